// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An address of the network: four bytes or sixteen.
package struct NetworkAddress: Sendable, Hashable {
    package let bytes: [UInt8]

    /// `nil` for text that is no address: four decimal numbers, or the form of RFC 4291 (2.2).
    package init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The IPv4 address inside an IPv6 address (RFC 4291, 2.5.5.2; RFC 6052, 2.1); otherwise the address itself.
    package var meant: NetworkAddress {
        guard bytes.count == 16, NetworkBlock.embedding.contains(where: { $0.holds(self) }) else { return self }
        return NetworkAddress(bytes: Array(bytes.suffix(4)))
    }

    /// Whether it is a public internet address: not this machine, no private or link-local network, no multicast group,
    /// and none of the addresses at which clouds publish their secrets.
    package var isPublic: Bool {
        let meant = meant
        if meant.bytes.count == 16 {
            return NetworkBlock.global.holds(meant) && !NetworkBlock.special.contains { $0.holds(meant) }
        }
        return !NetworkBlock.special.contains { $0.holds(meant) }
    }

    package var isLoopback: Bool { NetworkBlock.loopback.contains { $0.holds(meant) } }
}
