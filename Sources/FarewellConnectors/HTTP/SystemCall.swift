// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One call of an outside system: what is sent, and what of the answer is expected.
package struct SystemCall: Sendable {
    package var method: String
    package var address: SystemAddress
    /// Decoded, beginning with a slash.
    package var path: String
    package var query: [(name: String, value: String)]
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Statuses that are answers beside those of success, e.g. 404 for "not there".
    package var answers: Set<Int>
    /// The right that the call needs, in the system's own words.
    package var permission: String
    /// Bytes of an answer that are read at most.
    package var limit = 1 << 20
    /// The path as it goes over the wire, where a part of it is encoded in another way than the rest.
    package var writtenPath: String?
    /// The address of the network that is spoken to, whatever the host's name leads to by now.
    package var pin: String?
    /// What the system's other statuses mean.
    package var responses = ResponseTable.http
    /// The system's own code and sentence in a reply that is an error.
    package var reading: @Sendable (SystemReply) -> ErrorWords = { _ in ErrorWords() }

    package init(
        _ method: String, _ address: SystemAddress, _ path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8] = [], answers: Set<Int> = [],
        permission: String
    ) {
        self.method = method
        self.address = address
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.answers = answers
        self.permission = permission
    }

    package var encodedPath: String { writtenPath ?? PercentEncoding.path(path) }

    package var encodedQuery: String {
        query.map { "\(PercentEncoding.text($0.name))=\(PercentEncoding.text($0.value))" }.joined(separator: "&")
    }

    package var url: String {
        "\(address.scheme)://\(address.host)\(encodedPath)" + (query.isEmpty ? "" : "?\(encodedQuery)")
    }
}

/// What a system says of an error: its code, which may be shown; its sentence, which may name a person and never is;
/// and a date, region or link out of it.
package struct ErrorWords: Sendable, Hashable {
    package var code = ""
    package var message = ""
    package var detail: String?

    package init(code: String = "", message: String = "", detail: String? = nil) {
        // A code is a word; anything else may be about the person.
        let isWord =
            code.utf8.count <= 100
            && code.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
        self.code = isWord ? code : ""
        self.message = message
        self.detail = detail
    }
}

/// Where a system is reached: a scheme and a host, with its port where it is not the usual one.
package struct SystemAddress: Sendable, Hashable {
    package let scheme: String
    package let host: String
    /// What goes before every path; empty or begins with a slash and does not end with one.
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
        else { throw ConnectorFault.misconfigured(name, "its address is not one").error }
        scheme = String(parts[0].dropLast())
        host = parts[2].lowercased()
        let rest = parts.count == 4 ? "/" + parts[3] : ""
        base = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
        guard (0...65_535).contains(port) else {
            throw ConnectorFault.misconfigured(name, "its address names a port that there cannot be").error
        }
        guard scheme == "https" || Self.isThisMachine(host) else {
            throw ConnectorFault.misconfigured(name, "its address begins with http: what is sent could be read").error
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

    /// An emulator, as `127.0.0.1:8080` or `http://127.0.0.1:8080`; `nil` for anything else.
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
    /// metadata service (169.254.0.0/16, RFC 3927), which speaks without protection.
    package static func ofTokens(_ text: String, system name: String) throws -> (SystemAddress, path: String) {
        let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let path = String(decoding: rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }, as: UTF8.self)
        let written = path.hasBytePrefix("/") ? path : "/" + path
        guard text.hasBytePrefix("http://169.254.") else {
            let start = String(decoding: text.utf8.dropLast(path.utf8.count), as: UTF8.self)
            return (try met(start, system: name), written)
        }
        let host = String(decoding: rest.dropLast(path.utf8.count), as: UTF8.self)
        guard host.utf8.allSatisfy({ "0123456789.:".utf8.contains($0) }) else {
            throw ConnectorFault.misconfigured(name, "its address is not one")
        }
        return (SystemAddress(unprotected: host), written)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
    }
}

/// Percent-encoding in the one form that signatures agree on: all but unreserved characters (RFC 3986, 2.3), by bytes,
/// in capitals.
package enum PercentEncoding {
    package static func text(_ text: String) -> String { encoded(text, keeping: []) }

    /// Slashes stay.
    package static func path(_ path: String) -> String { encoded(path, keeping: [UInt8(ascii: "/")]) }

    /// `name=value&…`, as forms are sent.
    package static func form(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\(text($0.name))=\(text($0.value))" }.joined(separator: "&").utf8)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encoded(_ text: String, keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case _ where kept.contains(byte): bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
