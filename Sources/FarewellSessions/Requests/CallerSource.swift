// SPDX-License-Identifier: Apache-2.0

/// The source of a request, as far as the server knows. Attempts are counted per account and per source
/// (decision 44).
public struct CallerSource: Sendable, Hashable {
    /// The caller's network: an IPv4 address, or the first 64 bits of an IPv6 address. `nil` if it is unknown; all
    /// callers without a network count as one source.
    public let network: String?
    /// A random secret that the caller's device keeps for itself, of 22 to 128 bytes. `nil` if it has none.
    public let device: String?
    /// The secret that an account learns at a sign-in unless it knows `device` already, because another site may have
    /// given the device its secret: a page of a neighbouring host can set a cookie. `nil` trusts `device`.
    public let freshDevice: String?

    /// A text that is too short to be a random secret, or too long, counts as no device.
    public init(network: String? = nil, device: String? = nil, freshDevice: String? = nil) {
        func secret(_ text: String?) -> String? { text.flatMap { (22...128).contains($0.utf8.count) ? $0 : nil } }
        self.network = network.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
        self.device = secret(device)
        self.freshDevice = secret(freshDevice)
    }
}
