// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The operations of administrators. The caller has checked the role (`administrator`).
struct UserAdministration: AuthorityPart {
    let context: AuthorityContext
    let rules: AccountRules
    let writer: AccountWriter
    let unusedSignUps: UnusedSignUps
    let passwords: PasswordHasher
    let revoker: SessionRevoker

    /// A page of users.
    func users(
        page: Int, perPage: Int, filter: String?, order: UserOrder
    ) async throws -> UserPage {
        let (page, perPage) = (min(max(page, 1), 1_000_000), min(max(perPage, 1), 1000))
        let results = try await database.withConnection { connection in
            try await connection.pipeline(
                store.users.page(
                    offset: (page - 1) * perPage, limit: perPage, filter: filter?.nonEmpty, order: order))
        }
        let (users, total) = try UserStore.page(in: results)
        return UserPage(users: users, total: total, page: page, perPage: perPage)
    }

    func user(_ id: UUID) async throws -> User {
        guard let found = try await store.accounts.find(id).run(in: database) else {
            throw AuthorityRefusal.userNotFound.error
        }
        return found.user
    }

    /// Those of some users who exist, read in one round trip.
    func existing(_ ids: [UUID]) async throws -> [UUID] {
        guard !ids.isEmpty else { return [] }
        let statements = store.accounts.lookUp(ids.map { SessionLookUp(user: $0, session: nil) })
        let shares = store.accounts.found(in: try await database.pipeline(statements), among: ids.count)
        return try zip(ids, shares).compactMap { id, share -> UUID? in try share.account() == nil ? nil : id }
    }

    /// Makes a user; also one who comes from elsewhere with their identifier and password hash.
    func create(_ draft: AdministratorChange) async throws -> User {
        guard draft.email?.nonEmpty != nil || draft.phone?.nonEmpty != nil else {
            throw AuthorityRefusal.validationFailed.error("Cannot create a user without either an email or phone")
        }
        var user = rules.newUser()
        if let id = draft.id { user.id = id }
        let providers = [draft.email?.nonEmpty.map { _ in "email" }, draft.phone?.nonEmpty.map { _ in "phone" }]
            .compactMap(\.self)
        user.appMetadata = [
            "provider": .string(providers[0]), "providers": .array(providers.map(JSONValue.string)),
        ]
        let hash = try await passwordHash(draft)
        try apply(draft, to: &user)
        user.email = try address(draft)
        if draft.confirmsEmail == true { user.emailConfirmedAt = user.createdAt }
        let made = user
        return try await database.transaction { connection in
            // An operator who says so has seen to it whose the address is.
            if let email = made.email, made.emailConfirmedAt != nil {
                try await unusedSignUps.displace(from: email, for: made.id, on: connection)
            }
            guard try await connection.run(try store.users.insert(made, passwordHash: hash)).affected == 1 else {
                throw try await taken(made, on: connection)
            }
            if made.email != nil {
                try await connection.run(try store.identities.insert(rules.emailIdentity(of: made)))
            }
            guard let row = try await store.accounts.find(made.id).run(on: connection) else {
                throw RowReader.unreadable
            }
            return row.user
        }
    }

    /// Changes a user.
    func update(_ id: UUID, _ change: AdministratorChange) async throws -> User {
        let hash = try await passwordHash(change)
        let email = try address(change)
        try rules.check(change: change.userMetadata)
        try rules.check(change: change.appMetadata)
        let saved = try await writer.changing(id) { user, connection in
            let (formerPhone, formerRole) = (user.phone, user.role)
            try apply(change, to: &user)
            if user.role != formerRole { try await connection.run(store.consoleSessions.end(of: id)) }
            if let phone = user.phone, phone != formerPhone,
                try await store.users.isTaken(phone: phone).run(on: connection)
            {
                throw AuthorityRefusal.phoneExists.error
            }
            if let email, email != user.email {
                if change.confirmsEmail == true {
                    try await unusedSignUps.displace(from: email, for: id, on: connection)
                }
                guard try await !store.users.isTaken(email: email).run(on: connection) else {
                    throw AuthorityRefusal.emailExists.error
                }
                user.email = email
                user.emailConfirmedAt = nil
                user.newEmail = nil
                _ = try await connection.pipeline(store.codes.forget(of: id))
            }
            if change.confirmsEmail == true, user.email != nil {
                user.emailConfirmedAt = user.emailConfirmedAt ?? environment.now()
                user.isAnonymous = false
            }
            if email != nil || change.confirmsEmail == true, user.email != nil {
                try await writer.keepEmailIdentity(of: &user, on: connection)
            }
            if let hash {
                _ = try await connection.pipeline(
                    [store.passwords.set(hash, of: id), store.knownSources.forget(of: id)]
                        + store.codes.forget(of: id))
            }
            let isBanned = user.isBanned(at: environment.now())
            guard hash != nil || isBanned else { return }
            _ = try await connection.pipeline(
                store.sessions.end(
                    .all(of: id), reason: isBanned ? .banned : .byAdministrator, now: environment.now()))
        }
        if hash != nil || saved.isBanned(at: environment.now()) { try await revoker.announce() }
        return saved
    }

    /// Deletes a user, and publishes that none of their tokens is valid any longer.
    func delete(_ id: UUID, _ deletion: UserDeletion) async throws {
        let now = environment.now()
        try await database.transaction { connection in
            guard let found = try await store.accounts.find(id).run(on: connection) else {
                throw AuthorityRefusal.userNotFound.error
            }
            if deletion == .soft, found.user.deletedAt != nil { return }
            // The row is locked first: a simultaneous sign-in happens before or not at all.
            try await connection.run(store.users.hold(id, now: now))
            var statements = store.sessions.end(.all(of: id), reason: .deleted, now: now)
            statements.append(store.revocations.revokeAll(of: id, reason: .deleted, now: now))
            switch deletion {
            case .hard: statements.append(store.users.delete(id))
            case .soft: statements += store.users.empty(found.user, now: now, Self.unreadable)
            }
            _ = try await connection.pipeline(statements)
        }
        try await revoker.announce()
    }

    /// The replacement of an address or a provider's name when its user is softly deleted (contract, 1.11).
    private static func unreadable(_ value: String, of user: UUID) -> String {
        Base64URL.text(SHA256.hash(data: Data((user.text + value).utf8)))
    }

    private func address(_ change: AdministratorChange) throws -> String? {
        guard let text = change.email?.nonEmpty else { return nil }
        return try AccountRules.address(text)
    }

    private func passwordHash(_ change: AdministratorChange) async throws -> String? {
        let (password, hash) = (change.password?.nonEmpty, change.passwordHash?.nonEmpty)
        guard password == nil || hash == nil else {
            throw AuthorityRefusal.validationFailed.error("Only a password or a password hash should be provided")
        }
        if let hash {
            guard PasswordHash(hash) != nil else {
                throw AuthorityRefusal.validationFailed.error("The password hash is of a kind that cannot be checked")
            }
            return hash
        }
        guard let password else { return nil }
        try rules.check(newPassword: password)
        return try await passwords.hash(password)
    }

    /// Applies the changes that depend on nothing else.
    private func apply(_ change: AdministratorChange, to user: inout User) throws {
        let now = environment.now()
        if let role = change.role?.nonEmpty {
            guard role.utf8.count <= 255 else { throw AuthorityRefusal.validationFailed.error("role is too long") }
            user.role = role
        }
        if let phone = change.phone?.nonEmpty {
            let digits = phone.filter(Self.isDigit)
            guard phone.count <= 32, !digits.isEmpty,
                phone.allSatisfy({ Self.isDigit($0) || "+ -()".contains($0) })
            else { throw AuthorityRefusal.validationFailed.error("Invalid phone number format") }
            user.phone = digits
        }
        if change.confirmsPhone == true, user.phone != nil { user.phoneConfirmedAt = user.phoneConfirmedAt ?? now }
        if let metadata = change.userMetadata { user.userMetadata.merge(metadata) }
        if let metadata = change.appMetadata { user.appMetadata.merge(metadata) }
        try rules.check(metadata: user.userMetadata)
        try rules.check(metadata: user.appMetadata)
        guard let text = change.banDuration?.nonEmpty else { return }
        switch BanDuration(text) {
        case .none?: user.bannedUntil = nil
        case .lasting(let duration)?: user.bannedUntil = now.addingTimeInterval(duration / .seconds(1))
        case nil: throw AuthorityRefusal.validationFailed.error("invalid format for ban duration")
        }
    }

    /// `isNumber` is also true for ½ and for digits of other scripts, which no phone number has.
    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) && character.isASCII }

    private func taken(_ user: User, on connection: any SQLConnection) async throws -> FarewellError {
        if let email = user.email, try await store.users.isTaken(email: email).run(on: connection) {
            return AuthorityRefusal.emailExists.error
        }
        if let phone = user.phone, try await store.users.isTaken(phone: phone).run(on: connection) {
            return AuthorityRefusal.phoneExists.error
        }
        return AuthorityRefusal.userAlreadyExists.error
    }
}
