// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Where the tests find their PostgreSQL.
package enum TestPostgreSQL {
    /// An empty database of its own, made anew.
    ///
    /// - Parameter preparedStatements: 0 where most statements differ, beside many changes of the schema: PostgreSQL looks
    ///   through all prepared statements at each.
    package static func database(
        named name: String, preparedStatements: Int = PostgreSQLConfiguration().preparedStatements
    ) async throws -> PostgreSQLDatabase {
        let server = try database()
        try await server.withConnection { connection in
            _ = try await connection.run(SQLStatement("DROP DATABASE IF EXISTS \(name) WITH (FORCE)"))
            try await make(name, on: connection)
        }
        await server.close()
        let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"] ?? ""
        var parts = URLComponents(string: address)
        parts?.path = "/\(name)"
        return try PostgreSQLDatabase(
            url: parts?.string ?? address, configuration: PostgreSQLConfiguration(preparedStatements: preparedStatements))
    }

    /// Makes a database, by copying the files of its template where the server can (since version 15): otherwise each of their pages
    /// goes through the server's memory and its log, which takes twice the processor time.
    ///
    /// - Parameter options: Those of `CREATE DATABASE`, after a space.
    package static func make(_ name: String, _ options: String = "", on connection: any SQLConnection) async throws {
        let version = try await connection.run("SELECT current_setting('server_version_num')::integer").scalar?.integer ?? 0
        let strategy = version >= 150_000 ? " STRATEGY FILE_COPY" : ""
        _ = try await connection.run(SQLStatement("CREATE DATABASE \(name)\(options)\(strategy)"))
    }

    package static func database() throws -> PostgreSQLDatabase {
        guard let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"] else {
            throw FarewellError(
                "test.no-postgres", .yoursToFix, "The tests need a PostgreSQL server.", remedy: "Run them by make test."
            )
        }
        return try PostgreSQLDatabase(url: address)
    }
}
