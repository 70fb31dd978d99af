// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Signs in a user who shows the code of a mail: it confirms a sign-up, replaces a forgotten password, or confirms
    /// a new address. A code is valid once, within ten minutes, for one purpose, user and address.
    ///
    /// The token of a link is valid anywhere. The digits are for the source that requested them, and five of its
    /// attempts invalidate them. A source that is known to the account may use them too; unknown sources have three
    /// attempts together, which do not affect those of the others.
    ///
    /// - Throws: `otp_expired` for every invalid code, whatever the reason; `over_request_rate_limit`,
    ///   `validation_failed`, `user_banned`, `email_exists`.
    public func signIn(
        _ purpose: MailPurpose, by proof: CodeProof, device: SessionDevice = SessionDevice(),
        source: CallerSource = CallerSource()
    ) async throws -> SessionGrant {
        guard purpose.bringsCode, purpose != .reauthentication else { throw AuthorityRefusal.validationFailed.error }
        guard let found = try await matched(purpose, proof, source) else { throw AuthorityRefusal.otpExpired.error }
        do {
            let (account, token) = try await begun(purpose, by: found, device: device, source: source)
            return try await grant(account, token)
        } catch let error as FarewellError where error.code == AuthorityRefusal.emailExists.error.code {
            // The address is another user's: it does not stay in this account.
            let withdrawal = store.withdrawTakenAddress(of: found.user)
            try await database.run(withdrawal)
            throw error
        }
    }

    private func begun(
        _ purpose: MailPurpose, by found: (user: UUID, token: [UInt8]), device: SessionDevice, source: CallerSource
    ) async throws -> (AccountRow, RefreshToken) {
        try await database.transaction { connection in
            // Locked first, as everywhere: transactions on the same rows take them in one order.
            let results = try await connection.pipeline(
                store.spending(found.token, of: found.user, purpose, now: environment.now()))
            guard var user = try AuthorityStore.spender(in: results), user.deletedAt == nil else {
                throw AuthorityRefusal.otpExpired.error
            }
            try await confirm(purpose, of: &user, on: connection)
            try await connection.run(try store.save(user))
            return try await begin(
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
                        store.forgetPassword(of: user.id), store.forgetSources(of: user.id),
                    ])
                    if results.first?.affected != 0 { user.userMetadata = [:] }
                }
                try await confirm(email, of: &user, on: connection)
            }
            return
        }
        guard let email = user.newEmail else { throw AuthorityRefusal.otpExpired.error }
        try await unusedSignUps.displace(from: email, for: user.id, on: connection)
        guard try await connection.run(store.isTaken(email: email)).scalar?.integer == 0 else {
            throw AuthorityRefusal.emailExists.error
        }
        try await confirm(email, of: &user, on: connection)
    }

    /// The owner of a code, with the hash of its token; each attempt is stored, also one without an account.
    func matched(
        _ purpose: MailPurpose, _ proof: CodeProof, _ source: CallerSource
    ) async throws -> (user: UUID, token: [UInt8])? {
        let oldest = environment.now().addingTimeInterval(-MailWish.life)
        switch proof {
        case .token(let token):
            let hash = keys.hash(ofMailToken: token)
            let owner = try await database.withConnection { connection in
                try await connection.run(store.code(withToken: hash, purpose, oldest: oldest)).scalar?.identifier
            }
            return owner.map { ($0, hash) }
        case .code(let code, let email):
            guard code.utf8.count <= 64 else { return nil }
            let address = try AccountRules.address(email)
            let source = keys.hashes(of: source)
            let knownSince = environment.now().addingTimeInterval(-AuthorityStore.knownSourceLife)
            let tried = store.tryCode(purpose, address: address, from: source, oldest: oldest, knownSince: knownSince)
            let (_, results) = try await counter.countAttempt(.code, of: address, from: source, then: [tried])
            for tried in try AuthorityStore.tried(in: results.first) {
                let shown = keys.hash(ofCode: code, purpose, address: address, user: tried.user)
                if ConstantTime.isEqual(shown, tried.code) { return (tried.user, tried.token) }
            }
            return nil
        }
    }

    /// The hash of the token of the caller's code for another password, if the code is right; it is not yet used up.
    ///
    /// - Parameter code: The digits, which are valid in the session that requested them, or the token of the link.
    /// - Throws: `reauthentication_not_valid`.
    func check(code: String, of caller: Caller) async throws -> [UInt8] {
        let (user, oldest) = (caller.user, environment.now().addingTimeInterval(-MailWish.life))
        let token = keys.hash(ofMailToken: code)
        let statements = [
            store.code(withToken: token, .reauthentication, oldest: oldest),
            store.tryCode(.reauthentication, of: user.id, from: keys.hash(ofSessionOf: caller), oldest: oldest),
        ]
        let results = try await database.pipeline(statements)
        if results.first?.scalar?.identifier == user.id { return token }
        let shown = keys.hash(ofCode: code, .reauthentication, address: user.email ?? "", user: user.id)
        for tried in try AuthorityStore.tried(in: results.last) where ConstantTime.isEqual(shown, tried.code) {
            return tried.token
        }
        throw AuthorityRefusal.reauthenticationNotValid.error
    }
}
