// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The address of a system: a scheme and a host, with its port if it is not the default one.
package struct SystemAddress: Sendable, Hashable {
    package let scheme: String
    package let host: String
    /// The prefix of every path; empty, or it begins with a slash and does not end with one.
    package let base: String

    /// The host without its port, and without the brackets of an address.
    package var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    package var port: Int {
        let rest = host.hasPrefix("[") ? host.drop { $0 != "]" }.dropFirst() : host.drop { $0 != ":" }
        return Int(rest.dropFirst()) ?? (scheme == "https" ? 443 : 80)
    }

    /// Reads `https://host`, `https://host:port/base`; http only for this machine itself.
    ///
    /// - Throws: `ConnectorFault` of the system `name`, without what was written.
    package init(_ text: String, system name: String) throws {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "https:" || parts[0] == "http:", parts[1].isEmpty, !parts[2].isEmpty,
            parts[2].utf8.allSatisfy(Self.isHostByte)
        else { throw ConnectorFault.misconfigured(name, "its address is malformed").error }
        scheme = String(parts[0].dropLast())
        // The header Host, which signatures contain, has no usual port (RFC 9110, section 7.2 and 4.2.3).
        let (written, usual) = (parts[2].lowercased(), scheme == "https" ? ":443" : ":80")
        host = written.hasSuffix(usual) ? String(written.dropLast(usual.utf8.count)) : written
        let rest = parts.count == 4 ? "/" + parts[3] : ""
        base = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
        guard !hostName.isEmpty else { throw ConnectorFault.misconfigured(name, "its address has no host").error }
        guard (0...65_535).contains(port) else {
            throw ConnectorFault.misconfigured(name, "its address has an impossible port").error
        }
        guard scheme == "https" || Self.isThisMachine(host) else {
            throw ConnectorFault.misconfigured(name, "its address begins with http: others could read the data").error
        }
    }

    /// The same for an address that is read while calls are made, out of a file of credentials or the environment.
    ///
    /// - Throws: `ConnectorFault`.
    package static func met(_ text: String, system name: String) throws -> SystemAddress {
        do {
            return try SystemAddress(text, system: name)
        } catch let error as FarewellError {
            throw ConnectorFault(error)
        }
    }

    /// An emulator, as `127.0.0.1:8080` or `http://127.0.0.1:8080`; `nil` for any other text.
    package init?(emulator text: String, base: String) {
        let host = text.hasPrefix("http://") ? String(text.dropFirst("http://".utf8.count)) : text
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
        scheme = "http"
        self.host = host.lowercased()
        self.base = base
    }

    /// A service of the machine's own network, which is spoken to without protection wherever its owner put it:
    /// metadata servers of clouds, and an emulator that a vendor's variable names.
    package init(unprotected host: String) {
        scheme = "http"
        self.host = host.lowercased()
        base = ""
    }

    /// Where another provider's token is fetched, and the path there: protected, or of this machine, or of a cloud's
    /// metadata service (169.254.0.0/16, RFC 3927; `fd00:ec2::254` of Amazon), which speaks without protection.
    package static func ofTokens(_ text: String, system name: String) throws -> (SystemAddress, path: String) {
        let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let path = String(decoding: rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
        let written = path.hasBytePrefix("/") ? path : "/" + path
        let amazon = "[fd00:ec2::254]"
        guard text.hasBytePrefix("http://169.254.") || text.hasBytePrefix("http://\(amazon)") else {
            let start = String(decoding: text.utf8.dropLast(path.utf8.count), as: UTF8.self)
            return (try met(start, system: name), written)
        }
        let host = String(decoding: rest.dropLast(path.utf8.count), as: UTF8.self)
        guard host == amazon || host.utf8.allSatisfy({ "0123456789.:".utf8.contains($0) }) else {
            throw ConnectorFault.misconfigured(name, "its address is malformed")
        }
        return (SystemAddress(unprotected: host), written)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || ".-_:[]".utf8.contains(byte)
    }

    private static func isThisMachine(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
    }
}
