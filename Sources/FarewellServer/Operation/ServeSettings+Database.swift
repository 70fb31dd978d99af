// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSessions
import Logging

extension ServeSettings {
    /// The same, with a database of the server's own where the environment names the app's: `FAREWELL_DATABASE_URL` is
    /// set for the commands about the plan, and `erasures.database-url` names the plan's database for the server.
    ///
    /// A database that cannot be opened just now is left to whoever opens it.
    func withOwnDatabase(_ log: Logger) async throws -> ServeSettings {
        guard erasures.database != nil, case .environment(let otherwise) = databaseOrigin, let database,
            await Self.isOfOthers(database)
        else { return self }
        var own = self
        own.database = otherwise
        own.databaseOrigin = .settings
        log.notice(
            """
            FAREWELL_DATABASE_URL names a database whose accounts are another program's. The server keeps its own \
            tables elsewhere; erasures.database-url names the app's database.
            """,
            metadata: ["database": "\(otherwise == nil ? own.databaseAddress : "database.url of the settings file")"])
        return own
    }

    private static func isOfOthers(_ address: String) async -> Bool {
        guard let database = try? openDatabase(address) else { return false }
        var isOfOthers = false
        do {
            try await SessionAuthority.refuseOthers(in: database)
        } catch {
            isOfOthers = (error as? FarewellError)?.code == "authority.foreign-table"
        }
        await database.close()
        return isOfOthers
    }
}
