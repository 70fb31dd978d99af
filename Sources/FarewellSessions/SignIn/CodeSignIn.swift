// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Signs users in who show the code of a mail.
struct CodeSignIn: AuthorityPart {
    let context: AuthorityContext
    let codes: CodeCheck
    let writer: AccountWriter
    let unusedSignUps: UnusedSignUps
    let issuer: SessionIssuer
    let exchange: CodeExchange

    /// Signs in a user who shows the code of a mail: it confirms a sign-up, replaces a forgotten password, or confirms
    /// a new address. The caller shows the code in an app, so it needs no verifier.
    func signIn(
        _ purpose: MailPurpose, by proof: CodeProof, device: SessionDevice,
        source: CallerSource
    ) async throws -> SessionGrant {
        let found = try await matched(purpose, proof, source)
        return try await session(purpose, by: found, device: device, source: source)
    }

    /// Uses the link of a mail: it gives a session; or, if the mail was requested with a challenge, a code that only
    /// the requesting app can exchange for one.
    func follow(
        _ purpose: MailPurpose, token: String, device: SessionDevice, source: CallerSource
    ) async throws -> LinkOutcome {
        let found = try await matched(purpose, .token(token), source)
        guard let challenge = found.challenge else {
            return .session(try await session(purpose, by: found, device: device, source: source))
        }
        let code = try await spending(found, purpose) { user, connection in
            try await exchange.issue(to: user, purpose, challenge: challenge, on: connection)
        }
        return .code(code)
    }

    private func matched(_ purpose: MailPurpose, _ proof: CodeProof, _ source: CallerSource) async throws -> SentCode {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard let found = try await codes.matched(purpose, proof, source) else {
            throw AuthorityRefusal.otpExpired.error
        }
        return found
    }

    private func session(
        _ purpose: MailPurpose, by found: SentCode, device: SessionDevice, source: CallerSource
    ) async throws -> SessionGrant {
        let (account, token) = try await spending(found, purpose) { user, connection in
            try await issuer.begin(user, method: purpose.method, device: device, source: source, on: connection)
        }
        return try await issuer.grant(account, token)
    }

    /// Uses a code up, confirms the address, and lets `body` sign the user in, in one transaction.
    private func spending<Value: Sendable>(
        _ found: SentCode, _ purpose: MailPurpose,
        _ body: @Sendable (UUID, any SQLConnection) async throws -> Value
    ) async throws -> Value {
        do {
            return try await database.transaction { connection in
                // Locked first, as everywhere: transactions on the same rows take them in one order.
                let results = try await connection.pipeline(
                    store.accounts.spending(found.token, of: found.user, purpose, now: environment.now()))
                guard var user = try AccountStore.spender(in: results), user.deletedAt == nil else {
                    throw AuthorityRefusal.otpExpired.error
                }
                try await confirm(purpose, of: &user, on: connection)
                try await connection.run(try store.users.save(user))
                return try await body(user.id, connection)
            }
        } catch let error as FarewellError {
            let refusal = AuthorityRefusal.ofTakenName(error)?.error ?? error
            guard refusal.code == AuthorityRefusal.emailExists.error.code else { throw error }
            // The address is another user's: it does not stay in this account.
            try await database.run(store.users.withdrawTakenAddress(of: found.user))
            throw refusal
        }
    }

    private func confirm(
        _ purpose: MailPurpose, of user: inout User, on connection: any SQLConnection
    ) async throws {
        guard purpose == .emailChange else {
            if user.emailConfirmedAt == nil, let email = user.email {
                // A user who recovers an account never confirmed its password: it may be another person's, and so may
                // the data given beside it.
                if purpose == .recovery {
                    let results = try await connection.pipeline([
                        store.passwords.forget(of: user.id), store.knownSources.forget(of: user.id),
                    ])
                    if results.first?.affected != 0 { user.userMetadata = [:] }
                }
                try await writer.confirm(email, of: &user, on: connection)
            }
            return
        }
        guard let email = user.newEmail else { throw AuthorityRefusal.otpExpired.error }
        try await unusedSignUps.displace(from: email, for: user.id, on: connection)
        guard try await !store.users.isTaken(email: email).run(on: connection) else {
            throw AuthorityRefusal.emailExists.error
        }
        try await writer.confirm(email, of: &user, on: connection)
    }
}
