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

    /// Signs in a user who shows the code of a mail: it confirms a sign-up, replaces a forgotten password, or confirms
    /// a new address.
    func signIn(
        _ purpose: MailPurpose, by proof: CodeProof, device: SessionDevice,
        source: CallerSource
    ) async throws -> SessionGrant {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard let found = try await codes.matched(purpose, proof, source) else {
            throw AuthorityRefusal.otpExpired.error
        }
        do {
            let (account, token) = try await begun(purpose, by: found, device: device, source: source)
            return try await issuer.grant(account, token)
        } catch let error as FarewellError {
            let refusal = AuthorityRefusal.ofTakenName(error)?.error ?? error
            guard refusal.code == AuthorityRefusal.emailExists.error.code else { throw error }
            // The address is another user's: it does not stay in this account.
            try await database.run(store.users.withdrawTakenAddress(of: found.user))
            throw refusal
        }
    }

    private func begun(
        _ purpose: MailPurpose, by found: (user: UUID, token: [UInt8]), device: SessionDevice, source: CallerSource
    ) async throws -> (AccountRow, RefreshToken) {
        try await database.transaction { connection in
            // Locked first, as everywhere: transactions on the same rows take them in one order.
            let results = try await connection.pipeline(
                store.accounts.spending(found.token, of: found.user, purpose, now: environment.now()))
            guard var user = try AccountStore.spender(in: results), user.deletedAt == nil else {
                throw AuthorityRefusal.otpExpired.error
            }
            try await confirm(purpose, of: &user, on: connection)
            try await connection.run(try store.users.save(user))
            return try await issuer.begin(
                user.id, method: Self.methods[purpose] ?? "otp", device: device, source: source, on: connection)
        }
    }

    private static let methods: [MailPurpose: String] = [
        .signUp: "email/signup", .recovery: "recovery", .emailChange: "email_change",
    ]

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
