// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import TestFixtures

/// The erasures, holds and audit log of a database at one moment, as its back-up has them.
struct ControlBackup {
    /// Each after those that it refers to.
    private static let tables = ["erasures", "requests", "holds", "stops", "compared_stops", "audit"]
    private var rows: [String: [[SQLValue]]] = [:]

    init(of fixture: EngineFixture) async throws {
        for table in Self.tables {
            rows[table] = try await fixture.database.run(SQLStatement("SELECT * FROM \(fixture.control(table))")).rows
        }
    }

    /// Brings the database back to that moment; the state directory stays.
    func restore(in fixture: EngineFixture) async throws {
        let rows = rows
        try await fixture.database.transaction { connection in
            for table in Self.tables.reversed() {
                _ = try await connection.run(SQLStatement("DELETE FROM \(fixture.control(table))"))
            }
            for table in Self.tables {
                for row in rows[table] ?? [] {
                    let places = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                    _ = try await connection.run(
                        SQLStatement("INSERT INTO \(fixture.control(table)) VALUES (\(places))", row))
                }
            }
        }
    }
}
