// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A database that lost the control store under a running engine")
struct LostStoreTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org'), (3, 'cyd@example.org');
        """

    private func lose(_ fixture: EngineFixture) async throws {
        guard fixture.database.dialect == .sqlite else { return try await fixture.run("DROP SCHEMA farewell CASCADE") }
        try await fixture.run("PRAGMA foreign_keys = OFF")
        for table in try await fixture.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'farewell_%'") {
            try await fixture.run("DROP TABLE \(table)")
        }
        try await fixture.run("PRAGMA foreign_keys = ON")
    }

    @Test(
        "OP-4 BX-7 after a restore from before the first erasure the control store is made again, with the ledger's erasures",
        arguments: SQLDialect.allCases)
    func remade(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            #expect(try await engine.remakeStore() == false, "nothing is missing")
            try await lose(fixture)
            try await fixture.run("INSERT INTO people VALUES (1, 'ada@example.org')")
            #expect(try await engine.remakeStore())
            #expect(try await engine.findReturned().certain == ["1"])
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))") == ["1"])
            #expect(try await engine.erase(["1", "2"]).map(\.word) == ["done", "done"])
            #expect(try await fixture.rows("SELECT id FROM people") == ["3"])
            #expect(try await engine.remakeStore() == false)
        }
    }
}
