// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Checks identity tokens of the providers in the settings.
struct IdentityTokenCheck: AuthorityPart {
    let context: AuthorityContext
    /// `nil` if no provider is offered.
    let verifier: (any IdentityTokenVerifying)?

    /// The provider that a request names, and the claims of its token.
    ///
    /// - Throws: `provider_disabled`; `oauth.invalid_request` and `oauth.invalid_nonce` for a token that cannot be
    ///   accepted.
    func verified(_ request: IdentityTokenRequest) async throws -> (IdentityProvider, IdentityClaims) {
        guard let provider = settings.identityProviders.first(where: { $0.name.isExactly(request.provider) }),
            let verifier
        else { throw AuthorityRefusal.providerDisabled.error }
        let claims: IdentityClaims
        do {
            claims = try await verifier.verify(request.token, provider: provider)
        } catch let error as FarewellError where error.family == .tryAgain {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch let refused as UnacceptableAudience {
            throw refused.error
        } catch {
            throw AuthorityRefusal.badIdentityToken.error
        }
        guard provider.issuers.containsExactly(claims.issuer), !claims.subject.isEmpty,
            claims.subject.utf8.count <= 255
        else {
            throw AuthorityRefusal.badIdentityToken.error
        }
        guard claims.audience.contains(where: provider.audiences.containsExactly) else {
            throw UnacceptableAudience(claims.audience).error
        }
        try check(claims.nonce?.nonEmpty, request.nonce?.nonEmpty)
        return (provider, claims)
    }

    /// Both or neither; and the token's is the hash of the request's (contract, 1.7).
    private func check(_ hashed: String?, _ plain: String?) throws {
        switch (hashed, plain) {
        case (nil, nil): return
        case (let hashed?, let plain?):
            let expected = SHA256.hash(data: Data(plain.utf8)).hexadecimal
            guard ConstantTime.isEqual(hashed.utf8, expected.utf8) else { throw AuthorityRefusal.badNonce.error }
        default:
            throw AuthorityRefusal.badIdentityToken.error(
                "Passed nonce and nonce in id_token should either both exist or not.")
        }
    }
}
