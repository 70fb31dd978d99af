// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whom a limit by address counts as one caller.
enum CallerNetwork {
    /// Of IPv6 the first 64 bits: whoever has one address of such a network usually has all of them (RFC 6177). Of
    /// anything else the whole.
    static func name(of address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        // An IPv4 address in the form of IPv6 (RFC 4291, 2.5.5.2).
        if bytes.starts(with: Array(repeating: 0, count: 10) + [0xFF, 0xFF]) { return address }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
