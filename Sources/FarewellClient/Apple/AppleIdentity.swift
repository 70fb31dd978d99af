// SPDX-License-Identifier: Apache-2.0

/// What Sign in with Apple gave the app just now.
public struct AppleIdentity: Sendable {
    /// Signed by Apple; holds the hash of the nonce.
    public let identityToken: Token
    /// Apple's code, by which a server obtains tokens that it can revoke later.
    public let authorizationCode: Token?
    /// What Apple calls the user.
    public let userID: String

    public init(identityToken: Token, authorizationCode: Token? = nil, userID: String) {
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.userID = userID
    }
}
