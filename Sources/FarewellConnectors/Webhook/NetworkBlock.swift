// SPDX-License-Identifier: Apache-2.0

/// Addresses that begin with the same bits, `10.0.0.0/8`.
package struct NetworkBlock: Sendable, Hashable {
    private let first: NetworkAddress
    private let bits: Int

    /// `nil` for malformed text; an address alone is a block of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ NetworkAddress(String($0)) }), parts.count <= 2 else { return nil }
        let most = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : most, (0...most).contains(bits) else { return nil }
        first = address
        self.bits = bits
    }

    package func holds(_ address: NetworkAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let whole = bits / 8
        guard address.bytes.prefix(whole).elementsEqual(first.bytes.prefix(whole)) else { return false }
        let rest = bits % 8
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> UInt8(8 - rest) == 0
    }

    private static func blocks(_ texts: [String]) -> [NetworkBlock] { texts.compactMap(NetworkBlock.init) }

    /// Addresses of four bytes in those of sixteen.
    static let embedding = blocks(["::ffff:0:0/96", "64:ff9b::/96"])
    static let loopback = blocks(["127.0.0.0/8", "::1/128"])
    /// All publicly assigned addresses (RFC 4291, 2.4).
    static let global = blocks(["2000::/3"])[0]
    /// The special-purpose registries of IANA (RFC 6890), multicast groups (RFC 1112), and a cloud's metadata address
    /// that is in none of them.
    static let special = blocks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])
}
