// SPDX-License-Identifier: Apache-2.0
import Crypto
public import Farewell
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Lets somebody in who shows what a mail brought them: a sign-up is confirmed, a forgotten password got round, or
    /// a new address theirs. A code counts once, within ten minutes, for one purpose, person and address, and five
    /// attempts end it.
    ///
    /// - Throws: `otp_expired` for every code that is not good, whatever the reason; `over_request_rate_limit`,
    ///   `validation_failed`, `user_banned`, `email_exists`.
    public func signIn(
        _ purpose: MailPurpose, by proof: CodeProof, device: SessionDevice = SessionDevice()
    ) async throws -> SessionGrant {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard let found = try await matched(purpose, proof) else { throw AuthorityRefusal.otpExpired.error }
        let (account, token) = try await database.transaction { connection in
            // Held first, as by everybody else: two who take the same rows take them in one order.
            let results = try await connection.pipeline([
                store.hold(found.user, now: environment.now()), store.spend(found.hash, of: found.user, purpose),
                store.account(found.user, session: nil),
            ])
            guard results[1].affected == 1, var user = try AccountRow(results[2])?.user, user.deletedAt == nil else {
                throw AuthorityRefusal.otpExpired.error
            }
            try await confirm(purpose, of: &user, on: connection)
            try await connection.run(try store.save(user))
            return try await begin(user.id, method: Self.methods[purpose] ?? "otp", device: device, on: connection)
        }
        return try await grant(account, token)
    }

    private static let methods: [MailPurpose: String] = [
        .signUp: "email/signup", .recovery: "recovery", .emailChange: "email_change",
    ]

    private func confirm(
        _ purpose: MailPurpose, of user: inout User, on connection: any SQLConnection
    ) async throws {
        guard purpose == .emailChange else {
            if user.emailConfirmedAt == nil, let email = user.email {
                // Whoever forgot the password never confirmed it: it may be somebody else's.
                if purpose == .recovery { try await connection.run(store.forgetPassword(of: user.id)) }
                try await confirm(email, of: &user, on: connection)
            }
            return
        }
        guard let email = user.newEmail else { throw AuthorityRefusal.otpExpired.error }
        guard try await connection.run(store.isTaken(email: email)).scalar?.integer == 0 else {
            throw AuthorityRefusal.emailExists.error
        }
        try await confirm(email, of: &user, on: connection)
    }

    /// Whose code it is, with its hash as it is kept; each attempt is written down, also one at nobody's.
    private func matched(
        _ purpose: MailPurpose, _ proof: CodeProof
    ) async throws -> (user: UUID, hash: [UInt8])? {
        let oldest = environment.now().addingTimeInterval(-MailWish.life)
        switch proof {
        case .token(let token):
            let hash = keys.hash(ofMailToken: token)
            let rows = try await database.withConnection { connection in
                try await connection.run(store.code(withToken: hash, purpose, oldest: oldest)).rows
            }
            return rows.first.flatMap { row in
                guard let user = row.first?.identifier, let kept = row.last?.bytes else { return nil }
                return (user, kept)
            }
        case .code(let code, let email):
            guard code.utf8.count <= 64 else { return nil }
            let address = try Self.address(email)
            let tried = store.tryCode(purpose, address: address, oldest: oldest)
            let results = try await countAttempt(keys.lookupHash(address, purpose: "code-attempts"), then: [tried])
            for row in results.first?.rows ?? [] {
                guard let user = row.first?.identifier, let kept = row.last?.bytes else { continue }
                let shown = keys.hash(ofCode: code, purpose, address: address, user: user)
                if HMAC<SHA256>.isValid(shown, kept) { return (user, kept) }
            }
            return nil
        }
    }

    /// The kept hash of the caller's code for another password, if it is right; it is not yet used up.
    ///
    /// - Throws: `reauthentication_not_valid`.
    func check(code: String, of user: User) async throws -> [UInt8] {
        let oldest = environment.now().addingTimeInterval(-MailWish.life)
        let tried = store.tryCode(.reauthentication, of: user.id, oldest: oldest)
        let kept = try await database.withConnection { try await $0.run(tried).rows.first?.last?.bytes }
        let shown = keys.hash(ofCode: code, .reauthentication, address: user.email ?? "", user: user.id)
        guard let kept, HMAC<SHA256>.isValid(shown, kept) else {
            throw AuthorityRefusal.reauthenticationNotValid.error
        }
        return kept
    }
}
