// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A database migrated by a newer Farewell", .serialized)
struct ServerNewerDatabaseTests {
    /// The stores with a version in the database, by their names in the refusal.
    enum Store: String, Sendable, CaseIterable {
        case sessions = "session store"
        case control = "control store"

        /// The table of its versions.
        func migrations(_ dialect: SQLDialect) -> String {
            switch (self, dialect) {
            case (.sessions, .postgresql): "auth.migrations"
            case (.sessions, .sqlite): "auth_migrations"
            case (.control, .postgresql): "farewell.migrations"
            case (.control, .sqlite): "farewell_migrations"
            }
        }
    }

    @Test(
        "serve reports it once and exits 2, listens nowhere and does not change the database",
        .timeLimit(.minutes(30)), arguments: Store.allCases, SQLDialect.allCases)
    func leftAlone(_ store: Store, _ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            try await place.place.serving(place.settings()) { server in _ = try await place.signIn(0, server) }
            let table = store.migrations(dialect)
            let newest = try #require(try await place.query("SELECT max(version) FROM \(table)").first?.first?.integer)
            _ = try await place.query("UPDATE \(table) SET version = 1000 WHERE version = \(newest)")
            let before = try await everything(place)
            try Data(place.settings().utf8).write(to: place.place.folder.appendingPathComponent("settings.yaml"))

            let end = try await place.place.call(["serve", "--port", "0", "--settings", "settings.yaml"])
            #expect(end.status == 2, "\(end)")
            let words = "error: The \(store.rawValue) has version 1000; this farewell knows versions up to \(newest)."
            let told = end.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
            #expect(told == [Substring(words)] && end.errors.contains("  → Use the newer farewell that created it."), "\(end)")
            #expect(end.output.isEmpty, "\(end)")
            let after = try await everything(place)
            #expect(after == before)

            if dialect == .postgresql {
                let fresh = try await place.place.call(
                    ["serve", "--port", "0", "--settings", "settings.yaml", "--state", "fresh"])
                let others = "keys of this state directory cannot open"
                #expect(fresh.status == 2 && (fresh.errors.contains(words) || fresh.errors.contains(others)), "\(fresh)")
                let state = place.place.folder.appendingPathComponent("fresh").path
                #expect(!FileManager.default.fileExists(atPath: state), "keys were made for a database that is not ours")
            }

            // It is the version alone that it minded.
            _ = try await place.query("UPDATE \(table) SET version = \(newest) WHERE version = 1000")
            let status = try await place.place.serving(place.settings()) { server async throws in
                #expect(try await server.ask(.GET, "/readyz").status == 200)
            }
            #expect(status == 0)
        }
    }

    /// How everything is defined, and every row of every table.
    private func everything(_ place: ErasurePlace) async throws -> [String] {
        let isPostgreSQL = place.place.dialect == .postgresql
        let definitions =
            isPostgreSQL
            ? """
            SELECT table_schema::text, table_name::text, column_name::text, data_type::text FROM information_schema.columns \
            WHERE table_schema NOT IN ('pg_catalog', 'information_schema')
            """
            : "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
        let tables =
            isPostgreSQL
            ? """
            SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables \
            WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
            """
            : "SELECT name FROM sqlite_schema WHERE type = 'table'"
        var lines = try await place.query(definitions).map { "\($0)" }
        for table in try await place.query(tables).compactMap({ $0.first?.text }) {
            lines += try await place.query("SELECT * FROM \(table)").map { "\(table) \($0)" }
        }
        return lines.sorted()
    }
}
