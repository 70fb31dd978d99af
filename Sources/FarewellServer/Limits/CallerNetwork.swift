// SPDX-License-Identifier: Apache-2.0
import Farewell

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The network that a limit by address counts as one caller.
enum CallerNetwork {
    /// For IPv6 the first 64 bits: the owner of one address of such a network usually has all of them (RFC 6177). For
    /// anything else the whole; an IPv4 address in the form of IPv6 is the IPv4 address.
    static func name(of address: String) -> String {
        guard let bytes = bytes(of: address, AF_INET6, 16) else { return address }
        if formsOfIPv4.contains(where: { bytes.starts(with: $0) }) {
            return bytes.suffix(4).map { String($0) }.joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// `::ffff:0:0/96` (RFC 4291, 2.5.5.2) and `64:ff9b::/96` (RFC 6052, 2.1), by which a network without IPv4 is
    /// reached: all of IPv4 is in one network of 64 bits there.
    private static let formsOfIPv4: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
    ]

    /// Whether an address belongs to this machine or to a private network (RFC 1918, RFC 4193, RFC 6598), as that of a
    /// proxy usually does.
    static func isPrivate(_ address: String) -> Bool {
        guard let bytes = bytes(of: address, AF_INET6, 16) else {
            return Self.bytes(of: address, AF_INET, 4).map(isPrivate) ?? false
        }
        if formsOfIPv4.contains(where: { bytes.starts(with: $0) }) { return isPrivate(Array(bytes.suffix(4))) }
        let isLoopback = bytes[15] == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
        return isLoopback || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    private static func isPrivate(_ four: [UInt8]) -> Bool {
        switch (four[0], four[1]) {
        case (10, _), (127, _), (172, 16...31), (192, 168), (100, 64...127), (169, 254): true
        default: false
        }
    }

    /// The address in a proxy's text, which may end with a port (`192.0.2.1:443`, `[2001:db8::1]:443`) or be in
    /// brackets; `nil` for anything else, such as a name or `unknown`.
    static func address(written text: String) -> String? {
        if isAddress(text) { return text }
        if text.hasPrefix("[") {
            let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || isPort(parts[1]) else { return nil }
            let inside = String(parts[0])
            return bytes(of: inside, AF_INET6, 16) == nil ? nil : inside
        }
        guard let colon = text.lastIndex(of: ":"), isPort(text[colon...]) else { return nil }
        let before = String(text[..<colon])
        return bytes(of: before, AF_INET, 4) == nil ? nil : before
    }

    private static func isAddress(_ text: String) -> Bool {
        bytes(of: text, AF_INET, 4) != nil || bytes(of: text, AF_INET6, 16) != nil
    }

    /// A colon and up to five digits.
    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.hasPrefix(":") && (1...5).contains(digits.count)
            && digits.allSatisfy { $0.isASCIIDigit }
    }

    private static func bytes(of text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        // The parser of the text stops at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
