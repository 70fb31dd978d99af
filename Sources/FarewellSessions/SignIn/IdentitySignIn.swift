// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Signs users in by identity tokens of Apple, Google and other providers.
struct IdentitySignIn: AuthorityPart {
    let context: AuthorityContext
    let tokens: IdentityTokenCheck
    /// Exchanges the authorization code of a sign-in; `nil` if none is exchanged.
    let exchanger: (any AuthorizationCodeExchanging)?
    let rules: AccountRules
    let unusedSignUps: UnusedSignUps
    let issuer: SessionIssuer

    /// Signs a user in by an identity token of Apple, Google or another provider of the settings, and makes a new user
    /// for an unknown name at the provider.
    func signIn(
        _ request: IdentityTokenRequest, signUp: SignUpRule?, device: SessionDevice,
        source: CallerSource
    ) async throws -> SessionGrant {
        let (provider, claims) = try await tokens.verified(request)
        let credential = await exchanged(request, provider, claims)
        for _ in 1...3 {
            if let (account, token) = try await begin(
                claims, provider, credential, signUp, device: device, source: source)
            {
                return try await issuer.grant(account, token)
            }
        }
        throw AuthorityRefusal.conflict.error
    }

    /// The provider's refresh token, if the request has a code. Failing to get it does not prevent the sign-in.
    private func exchanged(
        _ request: IdentityTokenRequest, _ provider: IdentityProvider, _ claims: IdentityClaims
    ) async -> ProviderCredential? {
        guard let code = request.authorizationCode?.nonEmpty, let exchanger,
            let clientID = claims.audience.first(where: provider.audiences.containsExactly)
        else { return nil }
        do {
            let token = try await exchanger.refreshToken(for: code, provider: provider, clientID: clientID)
            return token.map { ProviderCredential(refreshToken: $0, clientID: clientID) }
        } catch {
            environment.log.warning(
                "An authorization code could not be exchanged; Farewell cannot revoke the provider's tokens later.",
                metadata: ["provider": "\(provider.name)", "error": "\(FarewellError.text(of: error))"])
            return nil
        }
    }

    /// `nil` if another call with the same name came first.
    private func begin(
        _ claims: IdentityClaims, _ provider: IdentityProvider, _ credential: ProviderCredential?,
        _ signUp: SignUpRule?, device: SessionDevice, source: CallerSource
    ) async throws -> (AccountRow, RefreshToken)? {
        do {
            return try await database.transaction { connection in
                let user = try await person(claims, provider, signUp, on: connection)
                if let credential {
                    let sealed = try keys.seal(
                        Array(credential.refreshToken.utf8), .providerCredential, of: [provider.name, user.text])
                    try await connection.run(
                        store.credentials.keep(
                            sealed, of: user, provider: provider.name, clientID: credential.clientID,
                            now: environment.now()))
                }
                return try await issuer.begin(
                    user, method: "oauth", provider: provider.name, device: device, source: source, on: connection)
            }
        } catch is CameSecond {
            return nil
        }
    }

    /// Rolls back a sign-in whose user another call has made meanwhile.
    private struct CameSecond: Error {}

    private func person(
        _ claims: IdentityClaims, _ provider: IdentityProvider, _ signUp: SignUpRule?,
        on connection: any SQLConnection
    ) async throws -> UUID {
        let now = environment.now()
        let issuer = provider.issuers.first ?? claims.issuer
        let known = store.identities.find(provider: provider.name, issuer: issuer, subject: claims.subject)
        if let (identity, user) = try await known.run(on: connection) {
            try await connection.run(store.identities.touch(identity, now: now))
            return user
        }
        guard settings.signUp == .open, signUp != .closed else { throw AuthorityRefusal.signUpDisabled.error }
        var user = rules.newUser()
        user.appMetadata = ["provider": .string(provider.name), "providers": .array([.string(provider.name)])]
        user.userMetadata = claims.metadata(issuer: issuer)
        if claims.isEmailVerified, let email = claims.email.flatMap(EmailAddress.init) {
            user.email = email.text
            user.emailConfirmedAt = now
            try await unusedSignUps.displace(from: email.text, for: user.id, on: connection)
        }
        if try await connection.run(try store.users.insert(user, passwordHash: nil)).affected == 0 {
            // The address belongs to another user here and stays theirs: it does not identify this user.
            user.email = nil
            user.emailConfirmedAt = nil
            try await connection.run(try store.users.insert(user, passwordHash: nil))
        }
        let identity = UserIdentity(
            id: environment.makeIdentifier(), userID: user.id, provider: provider.name, providerID: claims.subject,
            data: user.userMetadata, lastSignInAt: now, createdAt: now, updatedAt: now)
        guard try await connection.run(try store.identities.insert(identity)).affected == 1 else { throw CameSecond() }
        return user.id
    }
}

extension IdentityClaims {
    /// The stored part of the claims.
    fileprivate func metadata(issuer: String) -> [String: JSONValue] {
        var kept: [String: JSONValue] = [
            "iss": .string(issuer), "sub": .string(subject), "provider_id": .string(subject),
            "email_verified": .boolean(isEmailVerified),
        ]
        if let email { kept["email"] = .string(String(email.prefix(255))) }
        if let name { kept["full_name"] = .string(String(name.prefix(200))) }
        return kept
    }
}
