// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Turns the authorization code of a sign-in into the provider's refresh token (RFC 6749, 4.1.3), which is what
/// later revokes the connection at Apple.
public protocol AuthorizationCodeExchanging: Sendable {
    /// The refresh token; `nil` when the provider gives none.
    func refreshToken(for code: String, provider: IdentityProvider, clientID: String) async throws -> String?
}
