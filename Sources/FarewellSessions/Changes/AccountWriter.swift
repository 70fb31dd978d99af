// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Writes changes of an account, with its row held.
struct AccountWriter: AuthorityPart {
    let context: AuthorityContext
    let rules: AccountRules
    let outbox: MailOutbox

    /// Loads a user, lets `body` change them, and stores what it made, with the row held from before it was read.
    func changing(
        _ id: UUID, _ body: @Sendable (inout User, any SQLConnection) async throws -> Void
    ) async throws -> User {
        do {
            return try await database.transaction { connection in
                let results = try await connection.pipeline([
                    store.users.hold(id, now: environment.now()), store.accounts.find(id).statement,
                ])
                guard results.first?.affected == 1, let found = try results.last.flatMap(AccountRow.init) else {
                    throw AuthorityRefusal.userNotFound.error
                }
                var user = found.user
                try await body(&user, connection)
                try await connection.run(try store.users.save(user))
                guard let saved = try await store.accounts.find(id).run(on: connection) else {
                    throw RowReader.unreadable
                }
                return saved.user
            }
        } catch let error as FarewellError {
            throw AuthorityRefusal.ofTakenName(error)?.error ?? error
        }
    }

    /// Gives an address to the user, which ends an anonymous account. Earlier codes become invalid, and the former
    /// address is notified.
    func confirm(_ email: String, of user: inout User, on connection: any SQLConnection) async throws {
        if let former = user.email, former != email, outbox.sendsMail {
            try await connection.run(try outbox.warning(.emailChanged, to: former, user: user.id))
        }
        user.email = email
        user.emailConfirmedAt = environment.now()
        user.newEmail = nil
        user.isAnonymous = false
        _ = try await connection.pipeline(store.codes.forget(of: user.id))
        try await keepEmailIdentity(of: &user, on: connection)
    }

    /// The e-mail identity says what the account says.
    func keepEmailIdentity(of user: inout User, on connection: any SQLConnection) async throws {
        let identity = rules.emailIdentity(of: user)
        if try await connection.run(try store.identities.update(identity, now: environment.now())).affected == 0 {
            try await connection.run(try store.identities.insert(identity))
            nameEmailProvider(of: &user)
        }
    }

    func nameEmailProvider(of user: inout User) {
        var providers = user.appMetadata["providers"]?.array ?? []
        if !providers.contains("email") { providers.append("email") }
        user.appMetadata["providers"] = .array(providers)
        if user.appMetadata["provider"] == nil { user.appMetadata["provider"] = "email" }
    }
}

extension [String: JSONValue] {
    /// Takes members in; `null` removes one (contract, 1.8).
    mutating func merge(_ change: [String: JSONValue]) {
        for (name, value) in change { self[name] = value == .null ? nil : value }
    }
}
