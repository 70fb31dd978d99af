// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Checks an identity token of Apple, Google or another provider: signature, expiry, and issuer by the provider's own
/// keys. The authority then compares issuer, audience and nonce with the settings.
public protocol IdentityTokenVerifying: Sendable {
    /// The claims of a token.
    ///
    /// - Throws: Any error for a token that cannot be trusted; the user then sees "Bad ID token" and no more. An error
    ///   of the family *try again* is passed on, so that an unreachable provider does not look like a bad token. An
    ///   implementation that compares the audience with the settings itself throws `UnacceptableAudience`.
    func verify(_ token: String, provider: IdentityProvider) async throws -> IdentityClaims
}
