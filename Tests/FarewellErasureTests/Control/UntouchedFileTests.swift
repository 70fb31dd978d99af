// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A refused SQLite file is not written to")
struct UntouchedFileTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, name text);
        CREATE TABLE posts (id integer PRIMARY KEY, author_id integer REFERENCES people (id));
        INSERT INTO people VALUES (1, 'Ann');
        """

    enum Refusal: String, CaseIterable {
        case newerStore = "control.newer"
        case foreignTable = "control.foreign-table"
        case noKeys = "keys.not-here"
        case otherKeys = "keys.other"
        case lostKeys = "keys.missing"
        case damagedKeys = "keys.corrupt"
        case newTable = "plan.unaccounted"
        case noConnector = "plan.no-connector"

        /// The check of the plan already refuses a table of another program among the control store's.
        var code: String { self == .foreignTable ? "plan.unaccounted" : rawValue }
    }

    @Test("PK-2 a refusal leaves every byte of a file whose journal is no write-ahead log", arguments: Refusal.allCases)
    func refused(_ refusal: Refusal) async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            var plan = try await fixture.plan()
            if refusal != .foreignTable { #expect(try await fixture.engine(plan).erase(["1"]).map(\.word) == ["done"]) }
            let keys = URL(fileURLWithPath: fixture.state + "/keys.json")
            switch refusal {
            case .newerStore:
                try await fixture.run("INSERT INTO farewell_migrations VALUES (99, '2026-01-01T00:00:00Z')")
            case .foreignTable:
                try await fixture.run("CREATE TABLE farewell_audit (mine text)")
                plan = try await fixture.plan()
            case .noKeys: try FileManager.default.removeItem(atPath: fixture.state)
            case .otherKeys:
                try FileManager.default.removeItem(atPath: fixture.state)
                _ = try KeyStore.prepared(in: .prepared(at: fixture.state), now: { .now })
            case .lostKeys:
                // As after a restore of the database from before the first erasure.
                for table in try await fixture.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
                where table.hasPrefix("farewell_") {
                    try await fixture.run("PRAGMA foreign_keys = OFF; DROP TABLE \(table); PRAGMA foreign_keys = ON")
                }
                try FileManager.default.removeItem(at: keys)
            case .damagedKeys:
                let bytes = try Data(contentsOf: keys)
                try bytes.prefix(bytes.count / 2).write(to: keys)
            case .newTable: try await fixture.run("CREATE TABLE likes (fan_id integer REFERENCES people (id))")
            case .noConnector:
                plan.systems = [SystemPlan(name: "elsewhere", kind: "s3")]
            }
            let path = fixture.folder + "/copy.sqlite"
            try await fixture.run("VACUUM INTO '\(path)'")
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let database = try SQLiteDatabase(path: path)
            let thrown = await #expect(throws: FarewellError.self) {
                _ = try await ErasureEngine.open(
                    database, plan: plan, folder: fixture.folder, state: fixture.state,
                    environment: fixture.environment())
            }
            #expect(thrown?.code.rawValue == refusal.code)
            // These bytes are 1 where the journal is no write-ahead log.
            #expect(before[18...19] == Data([1, 1]))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
            for end in ["-wal", "-shm", "-journal"] {
                #expect(!FileManager.default.fileExists(atPath: path + end), "\(end)")
            }
            await database.close()
        }
    }
}
