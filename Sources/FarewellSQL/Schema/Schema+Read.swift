// SPDX-License-Identifier: Apache-2.0

extension Schema {
    /// Reads the live schema, on a connection lent by `database`.
    ///
    /// - Throws: errors of the connection, `schema.unreadable` for an unknown form of the catalog.
    public static func read(from database: any SQLDatabase) async throws -> Schema {
        try await database.withConnection { connection in try await read(from: connection) }
    }

    /// Reads the live schema as `connection` sees it, inside its transaction if it is in one.
    ///
    /// A fixed number of queries, however many tables there are.
    public static func read(from connection: any SQLConnection) async throws -> Schema {
        switch connection.dialect {
        case .postgresql: try await PostgreSQLCatalog.read(from: connection)
        case .sqlite: try await SQLiteCatalog.read(from: connection)
        }
    }
}
