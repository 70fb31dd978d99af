// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import FarewellVerifier
import Logging
import ServiceLifecycle

/// Identity tokens of Apple and Google, checked by the same verifier that services embed.
struct IdentityTokens: IdentityTokenVerifying {
    private let verifier: TokenVerifier

    /// The verifier of the providers the settings name, and the service it needs while it is used; nil if none
    /// is named.
    static func prepared(_ settings: ServeSettings, log: Logger) throws -> (
        tokens: IdentityTokens, service: any Service
    )? {
        let issuers = try settings.authority.identityProviders.compactMap { provider in
            try trusted(provider, keysAt: settings.providerKeys[provider.name])
        }
        guard !issuers.isEmpty else { return nil }
        let service = try VerifierService(trusting: issuers, log: log)
        return (IdentityTokens(verifier: service.verifier), KeyFetching(service: service))
    }

    private static func trusted(_ provider: IdentityProvider, keysAt address: String?) throws -> TrustedIssuer? {
        let keys = try address.map { try IssuerKeys.published(at: $0, for: [.rs256]) }
        switch provider.name {
        case "apple": return try .apple(audiences: provider.audiences, keys: keys)
        case "google": return try .google(audiences: provider.audiences, keys: keys)
        default: return nil
        }
    }

    func verify(_ token: String, provider: IdentityProvider) async throws -> IdentityClaims {
        let verified = try await trusted(token, of: provider)
        guard provider.issuers.containsExactly(verified.person.issuer) else { throw TokenRefusal.issuer }
        let email = verified.email
        return IdentityClaims(
            issuer: verified.person.issuer, subject: verified.person.subject,
            audience: Self.audience(verified.claims["aud"]), nonce: verified.nonce, email: email?.address,
            isEmailVerified: email?.isVerified ?? false, name: verified.claims["name"]?.string,
            issuedAt: verified.issuedAt)
    }

    private func trusted(_ token: String, of provider: IdentityProvider) async throws -> VerifiedToken {
        do throws(TokenRefusal) {
            return try await verifier.verify(token)
        } catch {
            // Judged only when the signature fits, so that what the token says is its issuer's word.
            if error == .audience { throw UnacceptableAudience(Self.audience(of: token)) }
            guard error.family == .tryAgain else { throw error as any Error }
            throw FarewellError(
                "identity.keys-unreachable", .tryAgain, "The public keys of \(provider.name) cannot be fetched now.")
        }
    }

    /// The audience of a token that was read before.
    private static func audience(of token: String) -> [String] {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.bytes(of: parts[1]),
            let claims = try? StrictJSON.value(payload, depth: 64)
        else { return [] }
        return audience(claims["aud"])
    }

    private static func audience(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let one): [one]
        case .array(let many): many.compactMap(\.string)
        default: []
        }
    }
}

/// Holds the open connections that fetch the providers' keys. Has an empty description, because a log names each
/// service.
private struct KeyFetching: Service, CustomStringConvertible {
    let service: VerifierService

    var description: String { "KeyFetching" }

    func run() async throws { try await service.run() }
}
