// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSessions
import Logging

extension ServeSettings {
    /// The same, with a database of the server's own where the environment names the app's: `FAREWELL_DATABASE_URL` is
    /// set for the commands about the plan, and `erasures.database-url` names the plan's database for the server.
    ///
    /// If the database cannot be opened now, the later opening reports it.
    func withOwnDatabase(_ log: Logger) async throws -> ServeSettings {
        guard erasures.database != nil, case .environment(let otherwise) = databaseOrigin, let database,
            await isOfOthers(database)
        else { return self }
        var own = self
        own.database = otherwise
        own.databaseOrigin = .settings
        log.notice(
            """
            FAREWELL_DATABASE_URL names the app's database, for the commands about the plan, and \
            erasures.database-url names it for the server. The server keeps its own tables elsewhere.
            """,
            metadata: ["database": "\(otherwise == nil ? own.databaseAddress : "database.url of the settings file")"])
        return own
    }

    /// Whether a database is the app's: its accounts are another program's, or it is the one that erasures are about,
    /// and no server has made its tables there.
    private func isOfOthers(_ address: String) async -> Bool {
        guard let database = try? openDatabase(address) else { return false }
        var isOfOthers = false
        do {
            try await SessionAuthority.refuseOthers(in: database)
            if erasures.database?.utf8.elementsEqual(address.utf8) == true {
                isOfOthers = try await !SessionAuthority.isMade(in: database)
            }
        } catch {
            isOfOthers = (error as? FarewellError)?.code == "authority.foreign-table"
        }
        await database.close()
        return isOfOthers
    }
}
