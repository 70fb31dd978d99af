// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A caller with a valid token.
public struct Caller: Sendable {
    public var user: User
    /// `nil` for a token that belongs to no session.
    public var session: Session?
    public var claims: AccessTokenClaims

    public init(user: User, session: Session?, claims: AccessTokenClaims) {
        self.user = user
        self.session = session
        self.claims = claims
    }
}
