// SPDX-License-Identifier: Apache-2.0

/// The result of a Sign in with Apple in the app.
public struct AppleIdentity: Sendable {
    /// Signed by Apple; holds the hash of the nonce.
    public let identityToken: Token
    /// Apple's code, by which a server obtains tokens that it can revoke later.
    public let authorizationCode: Token?
    /// Apple's name for the user.
    public let userID: String

    public init(identityToken: Token, authorizationCode: Token? = nil, userID: String) {
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.userID = userID
    }
}
