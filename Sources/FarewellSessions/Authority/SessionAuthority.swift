// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
public import FarewellSQL
import Foundation

/// Keeps users, their sessions and the tokens of both, on SQLite or PostgreSQL. Several servers may share one
/// database; each decision is one conditional statement or one transaction of it.
///
/// Errors are `FarewellError`s whose code is `auth.` and a code of the Supabase Auth contract (`AuthorityRefusal`),
/// or the database's own.
public struct SessionAuthority: Sendable {
    let context: AuthorityContext
    let parts: AuthorityParts

    /// Opens the authority: makes its tables, its keys and its first signing key if there are none.
    ///
    /// - Parameters:
    ///   - database: The database of users and sessions; the authority does not close it.
    ///   - settings: The authority's settings.
    ///   - state: The path of the state directory, which holds the keys that seal what the database keeps. Servers
    ///     that share a database need the same.
    ///   - partners: Verify identity tokens, exchange codes and send mail. The function of a missing partner is not
    ///     offered.
    ///   - environment: Clock, identifiers, waiting and log.
    /// - Returns: The authority, ready; `run` looks after its feed.
    /// - Throws: `authority.newer` if a newer binary has made the tables, `authority.foreign-table` if another program
    ///   has, `authority.other-keys` if they belong to another state directory, `authority.bad-setting`.
    public static func open(
        _ database: any SQLDatabase, settings: AuthoritySettings, state: String,
        partners: AuthorityPartners = AuthorityPartners(), environment: EngineEnvironment
    ) async throws -> SessionAuthority {
        try await open(
            database, settings: settings, state: state, partners: partners, environment: environment, work: .live,
            entropy: .live)
    }

    package static func open(
        _ database: any SQLDatabase, settings: AuthoritySettings, state: String, partners: AuthorityPartners,
        environment: EngineEnvironment, work: PasswordWork, entropy: Entropy
    ) async throws -> SessionAuthority {
        try settings.check()
        try await refuseOthers(in: database)
        let directory = try StateDirectory.prepared(at: state)
        let kept = try await BlockingWork.run { try KeyStore.prepared(in: directory, now: environment.now) }
        let keys = AuthorityKeys(kept, entropy: entropy)
        let store = AuthorityStore(dialect: database.dialect)
        try await store.migrate(database, now: environment.now())
        let context = AuthorityContext(
            database, store, keys, StoreClock(database, keys: kept, environment), settings, environment)
        let authority = SessionAuthority(context, partners: partners, work: work)
        try await authority.context.clock.begin()
        try await authority.parts.returnedKeys.removeAtStart()
        try await authority.parts.signingKeys.ensure()
        return authority
    }

    /// Refuses a database that cannot be opened because a newer binary, or another program, has made the tables in it.
    /// Makes nothing.
    ///
    /// - Throws: `authority.newer`, `authority.foreign-table`.
    package static func refuseOthers(in database: any SQLDatabase) async throws {
        try await AuthorityStore(dialect: database.dialect).refuseOthers(in: database)
    }

    /// Refuses a database whose tokens are signed with keys that are sealed with those of a state directory, if that
    /// has none: new ones could not open them. Makes nothing.
    ///
    /// - Throws: `authority.other-keys`.
    package static func refuseLostKeys(in database: any SQLDatabase, state: String) async throws {
        guard try KeyStore.existing(at: state) == nil else { return }
        let store = AuthorityStore(dialect: database.dialect)
        do {
            try await store.requireTables(database)
        } catch let error as FarewellError where error.code == "authority.missing" {
            return
        }
        guard try await store.signingKeys.isEmpty.run(in: database) else { throw AuthoritySeal.others }
    }

    /// Whether a server has made the authority's tables in a database. Makes nothing.
    ///
    /// - Throws: Errors of the database.
    package static func isMade(in database: any SQLDatabase) async throws -> Bool {
        do {
            try await AuthorityStore(dialect: database.dialect).requireTables(database)
            return true
        } catch let error as FarewellError where error.code == "authority.missing" {
            return false
        }
    }

    /// The schema that a database will have once the authority is open in it. Nothing that is made for the look stays.
    ///
    /// - Throws: `authority.newer`, `authority.foreign-table`.
    package static func schemaOnceOpen(in database: any SQLDatabase, now: Date) async throws -> Schema {
        try await AuthorityStore(dialect: database.dialect).schemaOnceMigrated(database, now: now)
    }

    /// The authority that servers have made in a database, to manage its keys while they run. Makes nothing: neither
    /// tables nor keys nor a folder.
    ///
    /// - Throws: `authority.missing` if there are no tables, `state.missing` and `keys.missing` if the state directory
    ///   is missing or empty, and the errors of `open`.
    package static func existing(
        _ database: any SQLDatabase, settings: AuthoritySettings, state: String, environment: EngineEnvironment
    ) async throws -> SessionAuthority {
        try settings.check()
        let kept = try KeyStore.existing(in: try StateDirectory.existing(at: state))
        let keys = AuthorityKeys(kept, entropy: .live)
        let store = AuthorityStore(dialect: database.dialect)
        try await store.requireTables(database)
        let context = AuthorityContext(
            database, store, keys, StoreClock(database, keys: kept, environment), settings, environment)
        let authority = SessionAuthority(context, partners: AuthorityPartners(), work: .live)
        await authority.context.clock.refresh()
        // A key sealed with the keys of another state directory would be one that no server can open.
        try await authority.parts.ring.reload()
        return authority
    }
}

extension SessionAuthority {
    init(_ context: AuthorityContext, partners: AuthorityPartners, work: PasswordWork) {
        self.init(context: context, parts: AuthorityParts(context, partners: partners, work: work))
    }

    public var settings: AuthoritySettings { context.settings }

    /// Whether mail leaves this place.
    package var sendsMail: Bool { parts.outbox.sendsMail }

    /// Codes of this installation for one purpose, the same on every server that shares its state directory.
    package func purposeKey(_ purpose: some KeyPurpose) -> PurposeKey { context.keys.purposeKey(purpose) }

    /// The time that sessions and tokens are measured by: PostgreSQL's, or this machine's where the store is SQLite.
    package var now: @Sendable () -> Date { context.environment.now }
}
