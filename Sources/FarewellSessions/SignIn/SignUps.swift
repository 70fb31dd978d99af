// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Makes new users.
struct SignUps: AuthorityPart {
    let context: AuthorityContext
    let rules: AccountRules
    let limits: MailLimits
    let outbox: MailOutbox
    let passwords: PasswordHasher
    let issuer: SessionIssuer

    /// Makes a new user with a new identifier, and signs them in unless their address must be confirmed first.
    func signUp(
        _ request: SignUpRequest, device: SessionDevice, source: CallerSource
    ) async throws -> SignUpOutcome {
        guard settings.signUp == .open else { throw AuthorityRefusal.signUpDisabled.error }
        try rules.check(metadata: request.metadata)
        let (email, phone) = (request.email?.nonEmpty, request.phone?.nonEmpty)
        guard email == nil || phone == nil else {
            throw AuthorityRefusal.validationFailed.error(
                "Only an email address or phone number should be provided on signup.")
        }
        guard phone == nil else { throw AuthorityRefusal.phoneProviderDisabled.error }
        guard let email else { return .session(try await signUpAnonymously(request, device: device, source: source)) }
        guard let password = request.password?.nonEmpty else {
            throw AuthorityRefusal.validationFailed.error("Signup requires a valid password")
        }
        let address =
            settings.emailConfirmation == .required ? try rules.mailable(email) : try AccountRules.address(email)
        try rules.check(newPassword: password)
        let hash = try await passwords.hash(password)
        var user = rules.newUser()
        user.email = address
        user.appMetadata = ["provider": "email", "providers": .array(["email"])]
        user.userMetadata = request.metadata
        guard settings.emailConfirmation == .required else {
            user.emailConfirmedAt = user.createdAt
            return try await insert(user, passwordHash: hash, device: device, source: source)
        }
        let mails = try await permits(.signUp, to: address, from: source)
        for _ in 1...2 {
            let found = try await holding(of: address, tried: password)
            let account = try await insertUnconfirmed(
                user, passwordHash: hash, found, mails, returning: request.mailReturn)
            if let account {
                return .user(account.user)
            }
            // Otherwise another user has taken the address since.
            if !found.isFree { break }
        }
        // Looks like any new user, so that the answer does not reveal whether the account exists.
        user.identities = [rules.emailIdentity(of: user)]
        return .user(user)
    }

    private func signUpAnonymously(
        _ request: SignUpRequest, device: SessionDevice, source: CallerSource
    ) async throws -> SessionGrant {
        guard settings.anonymousSignUp == .allowed else { throw AuthorityRefusal.anonymousProviderDisabled.error }
        var user = rules.newUser()
        user.isAnonymous = true
        user.userMetadata = request.metadata
        let made = user
        let (account, token) = try await database.transaction { connection in
            try await connection.run(try store.users.insert(made, passwordHash: nil))
            return try await issuer.begin(made.id, method: "anonymous", device: device, source: source, on: connection)
        }
        return try await issuer.grant(account, token)
    }

    private func insert(
        _ user: User, passwordHash: String, device: SessionDevice, source: CallerSource
    ) async throws -> SignUpOutcome {
        let begun = try await database.transaction { connection -> (AccountRow, RefreshToken)? in
            guard try await connection.run(try store.users.insert(user, passwordHash: passwordHash)).affected == 1
            else {
                return nil
            }
            try await connection.run(try store.identities.insert(rules.emailIdentity(of: user)))
            return try await issuer.begin(user.id, method: "password", device: device, source: source, on: connection)
        }
        guard let (account, token) = begun else { throw AuthorityRefusal.userAlreadyExists.error }
        return .session(try await issuer.grant(account, token))
    }
}

// MARK: Addresses to be confirmed

extension SignUps {
    /// The state of an address before a sign-up with it.
    private enum Holding: Sendable {
        case free
        /// By an account with the same password.
        case samePassword
        /// By an account with another password, or none.
        case other(StoredCredentials, hash: String)

        var isFree: Bool { if case .free = self { true } else { false } }
    }

    /// Does the same work whether or not the address is taken.
    private func holding(of address: String, tried password: String) async throws -> Holding {
        let credentials = store.passwords.credentials(email: address, now: environment.now())
        let (holder, highestImport) = try await credentials.run(in: database)
        let verdict = try await passwords.check(
            password, against: holder?.passwordHash, orDeclined: holder?.declinedHash, highestImport: highestImport)
        guard let holder else { return .free }
        return verdict.isRight ? .samePassword : .other(holder, hash: verdict.hash)
    }

    /// `nil` if the address is taken already.
    private func insertUnconfirmed(
        _ user: User, passwordHash: String, _ found: Holding, _ mails: MailPermits, returning: MailReturn
    ) async throws -> AccountRow? {
        let account = try await database.transaction { connection -> AccountRow? in
            let insertion = try store.users.insert(user, passwordHash: passwordHash, isSignUp: true)
            let isNew = try await connection.run(insertion).affected == 1
            // Another sign-up has taken the address since it was looked at: look again, before any mail is requested.
            guard isNew || !found.isFree else { return nil }
            // Requested whether or not the address is new: a confirmed user gets no mail, and no caller sees which.
            if let mail = isNew ? mails.first : mails.further {
                try await connection.run(
                    try outbox.request(.signUp, to: user.email ?? "", user: nil, mail, returning: returning))
            }
            guard isNew else {
                _ = try await connection.pipeline(declining(found, now: user.createdAt))
                return nil
            }
            try await connection.run(try store.identities.insert(rules.emailIdentity(of: user)))
            return try await store.accounts.find(user.id).run(on: connection)
        }
        outbox.wake()
        return account
    }

    /// An unused sign-up loses its password to another one; beside any other account, the password of the declined
    /// sign-up is kept. Statements without an effect where there is nothing to do, so that both take as long.
    private func declining(_ found: Holding, now: Date) -> [SQLStatement] {
        guard case .other(let holder, let hash) = found else {
            let none = environment.makeIdentifier()
            return [store.signUps.disown(none, password: ""), store.signUps.decline(none, password: "", now: now)]
        }
        return [
            store.signUps.disown(holder.id, password: holder.passwordHash ?? ""),
            store.signUps.decline(holder.id, password: hash, now: now),
        ]
    }

    /// The mails that a sign-up may cause.
    private struct MailPermits: Sendable {
        /// For a new account. `nil` if no mail is sent.
        var first: MailPermit?
        /// For an address that has an account. `nil` if no mail may be sent now; the caller does not learn that.
        var further: MailPermit?
    }

    /// The first mail of a new account is sent regardless of earlier requests: requests for an address without an
    /// account sent no mail, so the mailbox holds none. An account is new once, which limits these mails.
    private func permits(
        _ purpose: MailPurpose, to address: String, from source: CallerSource
    ) async throws -> MailPermits {
        guard outbox.sendsMail else { return MailPermits() }
        do {
            let permit = try await limits.countMail(purpose, to: address, from: source)
            return MailPermits(first: permit, further: permit)
        } catch let error as FarewellError where error.code == AuthorityRefusal.overEmailSendRateLimit.error.code {
            let source = keys.hashes(of: source)
            return MailPermits(
                first: MailPermit(allowsDigits: true, network: source.network, device: source.device), further: nil)
        }
    }
}
