// SPDX-License-Identifier: Apache-2.0

/// One way in which a user proved who they are, and when (RFC 8176 in spirit; the `amr` claim).
public struct AuthenticationMethod: Sendable, Hashable, Codable {
    /// `password`, `oauth`, `anonymous`, …: open, since other issuers have their own.
    public let method: String
    /// The identity provider, if there was one.
    public let provider: String?
    /// Seconds since 1970.
    public let timestamp: Int64

    public init(method: String, timestamp: Int64, provider: String? = nil) {
        self.method = method
        self.timestamp = timestamp
        self.provider = provider
    }
}
