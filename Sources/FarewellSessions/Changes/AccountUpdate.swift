// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Changes a caller's own account.
struct AccountUpdate: AuthorityPart {
    let context: AuthorityContext
    let rules: AccountRules
    let writer: AccountWriter
    let limits: MailLimits
    let outbox: MailOutbox
    let counter: AttemptCounter
    let codes: CodeCheck
    let passwords: PasswordHasher
    let revoker: SessionRevoker

    /// Changes the caller's own account.
    func update(
        _ caller: Caller, _ change: UserChange, source: CallerSource
    ) async throws -> User {
        guard change.phone?.nonEmpty == nil else { throw AuthorityRefusal.phoneProviderDisabled.error }
        let email = try change.email?.nonEmpty.map { text in
            settings.emailConfirmation == .required ? try rules.mailable(text) : try AccountRules.address(text)
        }
        let isNewEmail = email != nil && email != caller.user.email
        let proof = try await proof(caller, change, isNewEmail: isNewEmail)
        let password = try await newPassword(change, proof, caller)
        // After the password, which counts as a guess whatever else is wrong.
        try rules.check(change: change.metadata)
        let user: User
        do {
            user = try await changed(caller, change, email, proof, password, source)
        } catch let error as FarewellError where error.code == AuthorityRefusal.emailExists.error.code {
            // Another user took the address in the meantime; now it is known to be taken.
            user = try await changed(caller, change, email, proof, password, source)
        }
        if password != nil { try await revoker.announce() }
        outbox.wake()
        guard let email, settings.emailConfirmation == .automatic, user.email != email else { return user }
        return seeming(user, with: email)
    }

    private func changed(
        _ caller: Caller, _ change: UserChange, _ email: String?, _ proof: Proof?, _ password: String?,
        _ source: CallerSource
    ) async throws -> User {
        try await writer.changing(caller.user.id) { user, connection in
            if let code = proof?.code {
                let spent = try await connection.run(store.codes.spend(code, of: user.id, .reauthentication))
                guard spent.affected > 0 else { throw AuthorityRefusal.reauthenticationNotValid.error }
            }
            if let email, email != user.email {
                try await setEmail(
                    email, of: &user, by: caller, from: keys.hashes(of: source), returning: change.mailReturn,
                    on: connection)
            }
            if let metadata = change.metadata {
                user.userMetadata.merge(metadata)
                try rules.check(metadata: user.userMetadata)
            }
            guard let password else { return }
            _ = try await connection.pipeline(
                store.codes.forget(of: user.id) + [store.knownSources.forget(of: user.id)]
                    + store.knownSources.remember(keys.hashes(of: source), of: user.id, now: environment.now()))
            let set = store.passwords.set(password, of: user.id, instead: proof?.former)
            guard try await connection.run(set).affected == 1 else { throw AuthorityRefusal.conflict.error }
            let others: SessionSelection =
                caller.session.map { .others(than: $0.id, of: user.id) } ?? .all(of: user.id)
            _ = try await connection.pipeline(
                store.sessions.end(others, reason: .passwordChanged, now: environment.now()))
        }
    }

    /// By what a change was allowed.
    private struct Proof: Sendable {
        /// The password's hash as it was stored then.
        let former: String?
        /// The hash of the token of the code to use up.
        let code: [UInt8]?
    }

    /// A user who requested another user's address, as the answer would show them if the address had become theirs.
    private func seeming(_ user: User, with email: String) -> User {
        var user = user
        (user.email, user.emailConfirmedAt, user.newEmail) = (email, environment.now(), nil)
        user.isAnonymous = false
        var identity = rules.emailIdentity(of: user)
        if let place = user.identities.firstIndex(where: { $0.provider == identity.provider }) {
            user.identities[place].data = identity.data
            user.identities[place].updatedAt = environment.now()
        } else {
            (identity.createdAt, identity.updatedAt) = (user.createdAt, user.createdAt)
            user.identities.append(identity)
            writer.nameEmailProvider(of: &user)
        }
        return user
    }

    /// `nil` for a change that a session is enough for.
    private func proof(_ caller: Caller, _ change: UserChange, isNewEmail: Bool) async throws -> Proof? {
        if let password = change.password {
            guard caller.user.email != nil || caller.user.phone != nil || change.email?.nonEmpty != nil else {
                throw AuthorityRefusal.validationFailed.error(
                    "Updating password of an anonymous user without an email or phone is not allowed")
            }
            try rules.check(newPassword: password)
        } else {
            guard isNewEmail, settings.passwordChange != .withSession else { return nil }
        }
        let (former, highestImport) = try await store.passwords.stored(of: caller.user.id).run(in: database)
        let code = try await allowed(caller, change, former: former, highestImport: highestImport)
        return Proof(former: former, code: code)
    }

    /// The hash of the new password. The answer reveals whether it is the present one, so each comparison counts as an
    /// attempt at the present one.
    private func newPassword(_ change: UserChange, _ proof: Proof?, _ caller: Caller) async throws -> String? {
        guard let password = change.password else { return nil }
        if let former = proof?.former,
            try await checkCurrent(password, of: caller, former: former, highestImport: nil)
        {
            throw AuthorityRefusal.samePassword.error
        }
        return try await passwords.hash(password)
    }

    /// Whether the settings' rule for new passwords, and for new addresses, is met; answers the hash of the code that
    /// met it.
    private func allowed(
        _ caller: Caller, _ change: UserChange, former: String?, highestImport: Int?
    ) async throws -> [UInt8]? {
        let current = change.currentPassword?.nonEmpty
        let isNeeded = settings.passwordChange == .withCurrentPassword
        // A wrong current password is refused even if none is required.
        if isNeeded || current != nil, former != nil, !isRecovering(caller) {
            guard let current else { throw AuthorityRefusal.currentPasswordRequired.error }
            let verdict = try await checkCurrent(current, of: caller, former: former, highestImport: highestImport)
            guard verdict else { throw AuthorityRefusal.currentPasswordInvalid.error }
        }
        if let nonce = change.nonce?.nonEmpty { return try await codes.check(code: nonce, of: caller) }
        if case .withCode(let after) = settings.passwordChange, former != nil {
            let began = caller.session?.createdAt ?? .distantPast
            let isYoung = environment.now().timeIntervalSince(began) <= after / .seconds(1)
            guard isYoung else { throw AuthorityRefusal.reauthenticationNeeded.error }
        }
        return nil
    }

    /// A user who signed in by a recovery within the last hour does not know the present password.
    private func isRecovering(_ caller: Caller) -> Bool {
        guard let session = caller.session, session.methods.first?.method == "recovery" else { return false }
        return environment.now().timeIntervalSince(session.createdAt) < 3600
    }

    /// Counts as an attempt at the account's password, so that a stolen session cannot be used to guess it.
    private func checkCurrent(
        _ password: String, of caller: Caller, former: String?, highestImport: Int?
    ) async throws -> Bool {
        try await counter.countAttempt(.password(settings.attempts), by: caller)
        return try await passwords.check(password, against: former, highestImport: highestImport).isRight
    }

    /// Sets a new address: at once, or when it has been confirmed, according to the settings. Another user's address
    /// changes nothing that counts, and the answer is the same.
    private func setEmail(
        _ email: String, of user: inout User, by caller: Caller, from source: SourceHashes, returning: MailReturn,
        on connection: any SQLConnection
    ) async throws {
        // Without a code the former address is notified: a user who changes back and forth sends mail to others as
        // well.
        var allowsDigits = false
        if outbox.sendsMail {
            try await limits.countNewAddress(of: user.id, on: connection)
            allowsDigits = try await limits.countMail(.emailChange, to: email, by: caller, on: connection)
        }
        guard settings.emailConfirmation == .automatic else {
            user.newEmail = email
            // A code that went to an address requested before would confirm this one.
            _ = try await connection.pipeline(store.codes.forget(of: user.id))
            if outbox.sendsMail {
                let mail = MailPermit(allowsDigits: allowsDigits, network: source.network, device: source.device)
                try await connection.run(
                    try outbox.request(.emailChange, to: email, user: user.id, mail, returning: returning))
            }
            return
        }
        guard try await !store.users.isTaken(email: email).run(on: connection) else { return }
        try await writer.confirm(email, of: &user, on: connection)
    }
}
