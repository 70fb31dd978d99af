// SPDX-License-Identifier: Apache-2.0

/// A sign-in by an identity token (contract, 1.7).
public struct IdentityTokenRequest: Sendable {
    /// `apple`, `google`.
    public var provider: String
    public var token: String
    /// The application's secret, whose hash the token holds.
    public var nonce: String?
    /// Apple's authorization code, to be exchanged for the token that can revoke the connection.
    public var authorizationCode: String?

    public init(provider: String, token: String, nonce: String? = nil, authorizationCode: String? = nil) {
        self.provider = provider
        self.token = token
        self.nonce = nonce
        self.authorizationCode = authorizationCode
    }
}
