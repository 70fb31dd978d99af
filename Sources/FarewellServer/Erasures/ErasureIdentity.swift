// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import FarewellVerifier
import Foundation

/// Identifies the subject by a token: of our own authority, or of an issuer that is trusted to name subjects.
struct ErasureIdentity: Sendable {
    let authority: SessionAuthority
    /// Checks the tokens of other issuers; nil trusts none.
    let foreign: TokenVerifier?
    /// The time of the plan's store.
    let now: @Sendable () -> Date

    /// - Throws: `UnprovenIdentity` for a missing or invalid token; a `FarewellError` of the family *try again* if the
    ///   token cannot be checked now.
    func person(_ credentials: ErasureCredentials) async throws -> ErasurePerson {
        let askedAt = now()
        do {
            let token = try credentials.token.get()
            var person: ErasurePerson
            if let foreign, let issuer = Self.issuer(of: token), !issuer.isExactly(authority.settings.issuer) {
                person = try await self.person(token, of: foreign)
            } else {
                person = self.person(try await authority.authenticate(token))
            }
            person.askedAt = askedAt
            return person
        } catch let error as FarewellError where Self.refusesToken(error) {
            if foreign != nil, let token = try? credentials.token.get(), ProjectKey(token)?.isNoUser == true {
                throw UnprovenIdentity(error: Self.projectKey)
            }
            throw UnprovenIdentity(error: error)
        }
    }

    /// Whether the error is about the token. One of the database, the keys or the server says nothing of its bearer,
    /// and must not sign a client out.
    private static func refusesToken(_ error: FarewellError) -> Bool {
        error.family == .yoursToFix
            && ["auth.", "token."].contains { error.code.rawValue.utf8.starts(with: $0.utf8) }
    }

    /// Clients send the project's key as a token while no user is signed in.
    private static let projectKey = FarewellError(
        "token.project-key", .yoursToFix, "This is a key of the project, not a user's token.",
        remedy: "Sign in first and send the session's access token in Authorization.")

    /// A user of our own authority.
    func person(_ caller: Caller) -> ErasurePerson {
        let proofs = (caller.claims.amr ?? []).map { Date(timeIntervalSince1970: TimeInterval($0.timestamp)) }
        return ErasurePerson(
            subject: caller.user.id.text, provedAt: proofs.max(), caller: caller, isAnonymous: caller.user.isAnonymous,
            askedAt: now())
    }

    private func person(_ token: String, of verifier: TokenVerifier) async throws -> ErasurePerson {
        let verified: VerifiedToken
        do throws(TokenRefusal) {
            verified = try await verifier.verify(token)
        } catch {
            throw error.error as any Error
        }
        return ErasurePerson(
            subject: verified.person.subject, provedAt: Self.provedAt(verified), caller: nil,
            isAnonymous: verified.claims["is_anonymous"] == true,
            tokenLife: Int(verified.expiresAt.timeIntervalSince(verified.issuedAt)), tokenIssuedAt: verified.issuedAt)
    }

    /// `auth_time`, or the youngest of Supabase's methods. Refreshing a token proves nothing.
    private static func provedAt(_ token: VerifiedToken) -> Date? {
        if let time = token.authenticatedAt { return time }
        let methods = (token.claims["amr"]?.array ?? []).compactMap { method in
            method["method"] == "token_refresh" ? nil : method["timestamp"]?.integer
        }
        return methods.max().map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    private static func issuer(of token: String) -> String? {
        (try? CompactToken(token))?.unprovenClaims["iss"]?.string
    }

    /// The user, as `person` finds them; nil for a missing or invalid token.
    ///
    /// - Throws: the errors of `person` if the token cannot be checked now.
    func personIfProven(_ credentials: ErasureCredentials) async throws -> ErasurePerson? {
        do { return try await person(credentials) } catch is UnprovenIdentity { return nil }
    }

    /// Whether a token is an operator's.
    ///
    /// - Throws: errors that say nothing of the token, such as the database's.
    func isAdministrator(_ token: String) async throws -> Bool {
        try await unlessRefused { try await authority.administrator(token) } != nil
    }

    /// The subject of a token whose session or account is gone, only to report the state of their erasure.
    ///
    /// - Throws: errors that say nothing of the token, such as the database's.
    func recognised(_ credentials: ErasureCredentials) async throws -> String? {
        guard let token = try? credentials.token.get() else { return nil }
        return try await unlessRefused { try await authority.recognise(token) }?.sub?.lowercased()
    }

    /// The claims of a token; nil if it is refused.
    private func unlessRefused(_ check: () async throws -> AccessTokenClaims) async throws -> AccessTokenClaims? {
        do {
            return try await check()
        } catch let error as FarewellError where Self.refusesToken(error) {
            return nil
        }
    }
}
