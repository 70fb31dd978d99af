// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Hummingbird

/// The host names by which the server may be called. It refuses requests for other names, so a third-party page whose
/// name was pointed at this address (DNS rebinding) shares no origin with the server.
///
/// Names are compared as bytes, without regard to case and to a point at the end; the port does not matter.
struct AcceptedHosts: Sendable {
    private let names: [[UInt8]]
    /// Whether every IP address is accepted too. DNS rebinding needs a name, not an address.
    private let acceptsAddresses: Bool

    /// - Parameters:
    ///   - settings: Names the hosts; the default is the loopback names, the issuer's host, and the address to listen
    ///     on unless that is every address of the machine.
    ///   - issuer: The address that others know, e.g. `https://id.example.org/auth/v1`.
    init(_ settings: ServerSettings, issuer: String) {
        let listening = ["0.0.0.0", "::", "[::]"].contains(settings.host) ? [] : [settings.host]
        let ownName = Self.host(in: Self.authority(of: issuer)[...].utf8).map { String(Substring($0)) } ?? ""
        let all = settings.acceptedHosts ?? Self.loopback + [ownName] + listening
        self.init(names: all.compactMap(Self.name), acceptsAddresses: false)
    }

    private init(names: [[UInt8]], acceptsAddresses: Bool) {
        self.names = Array(Set(names))
        self.acceptsAddresses = acceptsAddresses
    }

    /// The hosts of the operators' listener, which programs call by its address: the same names, the loopback names,
    /// the address that it listens on, and every IP address.
    func forOperations(listeningOn host: String) -> AcceptedHosts {
        AcceptedHosts(names: names + (Self.loopback + [host]).compactMap(Self.name), acceptsAddresses: true)
    }

    private static let loopback = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether a host is a loopback name.
    static func isLoopback(_ host: String) -> Bool {
        guard let name = name(host) else { return false }
        return loopback.compactMap(Self.name).contains(name)
    }

    /// Whether an address is on the loopback interface.
    static func isLoopback(address: String) -> Bool {
        guard let host = host(in: authority(of: address)[...].utf8) else { return false }
        return isLoopback(String(Substring(host)))
    }
    /// No name of a host is longer (RFC 1035, 2.3.4); a port is added.
    private static let longest = 261

    /// Whether the request is for one of these hosts: the one that it names, and the one in its target if that is a
    /// whole address (RFC 9112, 3.2.2).
    func accept(_ request: Request) -> Bool {
        guard let authority = request.head.authority, accept(authority[...]), !request.headers.contains(.secondHost)
        else { return false }
        guard let target = request.head.path, target.utf8.first != UInt8(ascii: "/"), target.contains("://") else {
            return true
        }
        return accept(Self.authority(of: target)[...])
    }

    /// Whether the authority (`host` or `host:port`) is one of these hosts.
    func accept(_ authority: Substring) -> Bool {
        guard authority.utf8.count <= Self.longest, let host = Self.host(in: authority.utf8) else { return false }
        if acceptsAddresses, Self.isAddress(host) { return true }
        return names.contains { name in
            name.count == host.count && zip(name, host).allSatisfy { $0 == $1.withoutASCIICapital }
        }
    }

    /// Whether it is an IPv6 address in brackets, or four numbers. Other forms that a browser takes for a number are no
    /// accepted address.
    private static func isAddress(_ host: Substring.UTF8View) -> Bool {
        if host.first == UInt8(ascii: "[") { return host.last == UInt8(ascii: "]") }
        let numbers = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) }
    }

    /// A setting's name in the form for comparison; nil if it is more than a host, such as an address with a port.
    static func name(_ text: String) -> [UInt8]? {
        let isBareIPv6 = text.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !text.hasPrefix("[")
        let written = isBareIPv6 ? "[\(text)]" : text
        guard written.utf8.count <= longest, let host = host(in: written[...].utf8) else { return nil }
        let bytes = host.map(\.withoutASCIICapital)
        // A port would be dropped silently.
        return bytes.allSatisfy(isOfHost) && written.utf8.count - bytes.count <= 1 && !hasPort(written) ? bytes : nil
    }

    private static func hasPort(_ written: String) -> Bool {
        written.utf8.last == UInt8(ascii: ":") || !written.hasPrefix("[") && written.utf8.contains(UInt8(ascii: ":"))
    }

    /// The authority of an address: the text between `://` and the path.
    private static func authority(of address: String) -> String {
        guard let start = address.range(of: "://") else { return "" }
        return String(address[start.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// The host without its port and without a point at the end; nil if there is none.
    private static func host(in authority: Substring.UTF8View) -> Substring.UTF8View? {
        var end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = authority.index(after: close)
        }
        let port = authority[end...]
        let isNumber = port.dropFirst().allSatisfy(\.isASCIIDigit)
        guard port.isEmpty || port.first == UInt8(ascii: ":") && port.count <= 6 && isNumber else { return nil }
        var host = authority[..<end]
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        return host.isEmpty ? nil : host
    }

    /// Letters, digits and marks of names and of addresses in brackets.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte.isASCIISmallLetter || Array("-._:[]".utf8).contains(byte)
    }
}
