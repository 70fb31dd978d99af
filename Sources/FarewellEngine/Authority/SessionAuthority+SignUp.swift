// SPDX-License-Identifier: Apache-2.0
public import Farewell
import FarewellSQL
import Foundation

extension SessionAuthority {
    /// Makes a new person with a new identifier, and signs them in unless their address must be confirmed first.
    ///
    /// - Throws: `signup_disabled`, `anonymous_provider_disabled`, `phone_provider_disabled`, `validation_failed`,
    ///   `email_address_invalid`, `weak_password`, `user_already_exists`, `over_request_rate_limit`.
    public func signUp(_ request: SignUpRequest, device: SessionDevice = SessionDevice()) async throws -> SignUpOutcome
    {
        guard settings.signUp == .open else { throw AuthorityRefusal.signUpDisabled.error }
        try check(metadata: request.metadata)
        let (email, phone) = (request.email?.nonEmpty, request.phone?.nonEmpty)
        guard email == nil || phone == nil else {
            throw AuthorityRefusal.validationFailed.error(
                "Only an email address or phone number should be provided on signup.")
        }
        guard phone == nil else { throw AuthorityRefusal.phoneProviderDisabled.error }
        guard let email else { return .session(try await signUpAnonymously(request, device: device)) }
        guard let password = request.password?.nonEmpty else {
            throw AuthorityRefusal.validationFailed.error("Signup requires a valid password")
        }
        let address = settings.emailConfirmation == .required ? try mailable(email) : try Self.address(email)
        try check(newPassword: password)
        let hash = try await passwords.hash(password)
        var user = newUser()
        user.email = address
        user.appMetadata = ["provider": "email", "providers": .array(["email"])]
        user.userMetadata = request.metadata
        if settings.emailConfirmation == .automatic { user.emailConfirmedAt = user.createdAt }
        return try await insert(user, passwordHash: hash, device: device)
    }

    private func signUpAnonymously(_ request: SignUpRequest, device: SessionDevice) async throws -> SessionGrant {
        guard settings.anonymousSignUp == .allowed else { throw AuthorityRefusal.anonymousProviderDisabled.error }
        var user = newUser()
        user.isAnonymous = true
        user.userMetadata = request.metadata
        let made = user
        let (account, token) = try await database.transaction { connection in
            try await connection.run(try store.insert(made, passwordHash: nil))
            return try await begin(made.id, method: "anonymous", device: device, on: connection)
        }
        return try await grant(account, token)
    }

    private func insert(_ user: User, passwordHash: String, device: SessionDevice) async throws -> SignUpOutcome {
        let begun = try await database.transaction { connection -> (AccountRow, RefreshToken?)? in
            // Wanted whether or not the address is new: who has confirmed it gets none, and nobody sees which.
            if user.emailConfirmedAt == nil, partners.mail != nil {
                try await connection.run(try wish(.signUp, to: user.email ?? "", user: nil))
            }
            guard try await connection.run(try store.insert(user, passwordHash: passwordHash)).affected == 1 else {
                return nil
            }
            try await connection.run(try store.insert(emailIdentity(of: user)))
            if user.emailConfirmedAt != nil {
                return try await begin(user.id, method: "password", device: device, on: connection)
            }
            let account = try AccountRow(try await connection.run(store.account(user.id, session: nil)))
            return account.map { ($0, nil) }
        }
        mailBell.knock()
        switch begun {
        case (let account, let token?)?: return .session(try await grant(account, token))
        case (let account, nil)?: return .user(account.user)
        case nil:
            guard settings.emailConfirmation == .required else { throw AuthorityRefusal.userAlreadyExists.error }
            // Looks like anybody's, so that the answer does not tell who has an account.
            var nobody = user
            nobody.identities = [emailIdentity(of: user)]
            return .user(nobody)
        }
    }
}

extension SessionAuthority {
    /// A person who was never here before.
    func newUser() -> User {
        let now = environment.now()
        return User(id: environment.makeIdentifier(), audience: settings.audience, createdAt: now, updatedAt: now)
    }

    func emailIdentity(of user: User) -> UserIdentity {
        let name = user.id.text
        return UserIdentity(
            id: environment.makeIdentifier(), userID: user.id, provider: "email", providerID: name,
            data: [
                "sub": .string(name), "email": .string(user.email ?? ""),
                "email_verified": .boolean(user.emailConfirmedAt != nil), "phone_verified": false,
            ], createdAt: user.createdAt, updatedAt: user.createdAt)
    }

    func check(newPassword password: String) throws {
        guard password.utf8.count <= settings.passwordRule.maximumBytes, !password.utf8.contains(0) else {
            throw AuthorityRefusal.validationFailed.error(
                "The password is too long or holds a character it may not hold")
        }
        let weaknesses = settings.passwordRule.weaknesses(of: password)
        guard weaknesses.isEmpty else {
            let isShort = weaknesses.contains(.length)
            throw AuthorityRefusal.weakPassword.error(
                isShort
                    ? "Password should be at least \(settings.passwordRule.minimumLength) characters."
                    : "Password should contain at least one character of each kind.")
        }
    }

    /// What people keep beside their account travels in each of their tokens, so it has its limits.
    func check(metadata: [String: JSONValue]) throws {
        let size = try CanonicalJSON.data(metadata).count
        guard size <= settings.metadataLimit else {
            throw AuthorityRefusal.validationFailed.error(
                "The data beside the account is longer than \(settings.metadataLimit) bytes")
        }
    }
}
