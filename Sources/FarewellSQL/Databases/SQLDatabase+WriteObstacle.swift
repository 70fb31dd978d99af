// SPDX-License-Identifier: Apache-2.0

import Farewell

extension SQLDatabase {
    /// Looks whether the database takes writes, with reads alone: the server's role and settings, the file system of
    /// SQLite's file, and whether a write failed lately because the disk is full. A PostgreSQL server from which
    /// nothing is heard for four seconds is an obstacle too.
    ///
    /// - Returns: nil if nothing prevents a write.
    /// - Throws: the database's errors.
    package func writeObstacle() async throws -> FarewellError? {
        switch self {
        case let sqlite as SQLiteDatabase: return try await sqlite.obstacle()
        case let server as PostgreSQLDatabase: return try await server.obstacle()
        default: return nil
        }
    }
}
