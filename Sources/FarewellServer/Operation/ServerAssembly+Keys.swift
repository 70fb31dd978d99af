// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import FarewellSQL
import FarewellSessions
import Logging

extension ServerAssembly {
    /// Lends `body` the authority that servers of these settings have made, to manage its keys while they run, and
    /// closes the database in every case. Makes nothing: neither tables nor keys nor a folder.
    ///
    /// - Throws: `state.…`, `keys.…`, `authority.missing`, `authority.other-keys`, or what the database throws.
    package static func visiting<Value: Sendable>(
        _ given: ServeSettings, access: SQLiteConfiguration.Access, log: Logger,
        _ body: (SessionAuthority) async throws -> Value
    ) async throws -> Value {
        let settings = try await given.completed().withOwnDatabase(log)
        // Checked first: without it there is no file of SQLite in it either.
        _ = try StateDirectory.existing(at: settings.state)
        let database = try openDatabase(
            settings.databaseAddress, sqlite: SQLiteConfiguration(access: access, maximumConnections: 4),
            postgresql: settings.connecting(PostgreSQLConfiguration(maximumConnections: 4)))
        do {
            let authority = try await SessionAuthority.existing(
                database, settings: settings.authority, state: settings.state, environment: .live(log: log))
            let value = try await body(authority)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}
