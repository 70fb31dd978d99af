// SPDX-License-Identifier: Apache-2.0

import Farewell

extension PostgreSQLDatabase {
    /// Why the server takes no writes; nil if nothing prevents one.
    func obstacle() async throws -> FarewellError? {
        let found = try await withConnection { connection in
            let row = try await connection.run(
                "SELECT pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
            ).rows.first
            let found = WriteObstacle.of(
                inRecovery: row?.first == .bool(true), isReadOnly: row?.last == .bool(true))
            // The session keeps its settings, and its server may have stepped down: the next look takes a fresh one.
            if found != nil { (connection as? PostgreSQLConnection.Lease)?.retire() }
            return found
        }
        return found ?? refusedWrites.recent()
    }
}
