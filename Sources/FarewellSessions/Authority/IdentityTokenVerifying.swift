// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Checks an identity token of Apple, Google or another provider: signature, expiry, and issuer by the provider's
/// own keys. Issuer, audience and nonce are then held against the settings by the authority.
public protocol IdentityTokenVerifying: Sendable {
    /// What a token says.
    ///
    /// - Throws: Anything, for a token that cannot be trusted; the person is then told "Bad ID token" and no more.
    ///   An error of the family *try again* is passed on, so that an unreachable provider is not taken for a bad token.
    ///   One that holds audience against the settings itself throws `UnacceptableAudience`.
    func verify(_ token: String, provider: IdentityProvider) async throws -> IdentityClaims
}

/// That a token, good in all else that was looked at so far, is meant for other apps than the settings name.
package struct UnacceptableAudience: Error {
    /// Whom the token is meant for, in its own words.
    package let audience: [String]

    package init(_ audience: [String]) { self.audience = audience }

    /// As the contract (1.7) tells it. The words are those of the token that the caller sent.
    var error: FarewellError {
        let names = audience.prefix(8).map { Shown.line($0, limit: 200) }.joined(separator: " ")
        return AuthorityRefusal.badIdentityToken.error("Unacceptable audience in id_token: [\(names)]")
    }
}
