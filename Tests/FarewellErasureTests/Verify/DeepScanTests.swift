// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The deep scan searches outside the plan")
struct DeepScanTests {
    private static func tables(_ dialect: SQLDialect) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text, nick text, short text);
        CREATE TABLE notes (id integer PRIMARY KEY, body text, data {json}, thing uuid\(dialect == .postgresql ? ", tags text[]" : ""));
        INSERT INTO people VALUES (1, 'Élodie_100%@Example.org', 'elodie-the-first', 'ab'),
            (2, 'other@example.org', 'elodie-the-first', 'cd');
        INSERT INTO notes (id, body, data) VALUES (1, 'ab nothing', '{"a": 1}'), (2, 'elodieX100Y@example.org', '[]');
        """
    }

    private func engine(_ fixture: EngineFixture, _ identifiers: [String]) async throws -> ErasureEngine {
        let plan = try await fixture.plan(identifiers: identifiers.map { ("people", $0) }) { plan in
            plan.set("notes", .notPersonal)
        }
        return try await fixture.engine(plan)
    }

    private func scan(_ fixture: EngineFixture, _ identifiers: [String], _ extent: DeepScanExtent) async throws
        -> ReceiptVerification.DeepScan
    {
        let outcome = try #require(
            try await engine(fixture, identifiers).erase(["1"], options: ErasureOptions(deepScan: extent)).first)
        return try #require(outcome.receipt, "\(outcome)").verification.deepScan
    }

    @Test(
        "BX-5 a clean database has no occurrences; wildcards in an identifier are literal",
        arguments: SQLDialect.allCases)
    func clean(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let found = try await scan(fixture, ["email", "short"], .complete)
            #expect(found.occurrences == 0 && found.found.isEmpty && found.extent == .complete)
            #expect(found.rows >= 3)
        }
    }

    @Test(
        "a subject without a searchable name gets no report of an empty result, alone or in a group",
        arguments: SQLDialect.allCases)
    func nameless(_ dialect: SQLDialect) async throws {
        let tables = Self.tables(dialect).replacing("people (id integer", with: "people (id text")
            .replacing("VALUES (1, 'É", with: "VALUES ('p-1', 'É").replacing("(2, 'other", with: "('p-2', 'other")
        try await EngineFixture.with(dialect, tables) { fixture in
            try await fixture.run("INSERT INTO people VALUES ('p-3', 'third@example.org', 'third-of-them', 'a-long-one')")
            let engine = try await engine(fixture, ["short"])
            for asked in [DeepScanExtent.complete, .bounded(rows: 1_000)] {
                let found = try await engine.verify("p-1", extent: asked).deepScan
                #expect(found == .none, "\(found)")
            }
            var outcomes = try await engine.erase(["p-1"], options: ErasureOptions(deepScan: .complete))
            outcomes += try await engine.erase(["p-2", "p-3"], options: ErasureOptions(deepScan: .complete))
            let receipts = outcomes.compactMap(\.receipt)
            try #require(receipts.count == 3, "\(outcomes)")
            let residue: ReceiptVerification.Residue = dialect == .sqlite ? .init(state: .scrubbed) : .notApplicable
            let searched = receipts.filter { $0.verification.deepScan.extent == .complete }
            #expect(searched.count == 1, "the third one's name is long enough")
            for receipt in receipts where receipt.verification.deepScan == .none {
                #expect(receipt.notVerifiable.contains(.nothingToSearchFor))
                #expect(receipt.verification.residue == residue)
            }
            #expect(searched.first?.notVerifiable.contains(.nothingToSearchFor) == false)
        }
    }

    @Test(
        "an unreadable table is skipped, and the scan says that it did not read all",
        arguments: SQLDialect.allCases, ["select", "usage"])
    func unreadable(_ dialect: SQLDialect, _ right: String) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "nick")]) { $0.set("notes", .notPersonal) }
            var schema = try await Schema.read(from: fixture.database)
            let place = try #require(schema.tables.firstIndex { $0.name.name == "notes" })
            schema.tables[place].missingRights = [right]
            // Reading it all the same fails.
            try await fixture.run("DROP TABLE notes")
            let subject = SearchedSubject(key: nil, identifiers: ["other@example.org"])
            let outcome = try await DeepScan(schema: schema, plan: plan)
                .run(for: [subject], extent: .complete, on: fixture.database)[0]
            #expect(!outcome.isComplete && outcome.left.values.reduce(0, +) == 1, "\(outcome)")
            #expect(outcome.notSearched == ["\(fixture.name("notes"))": "the role may not read it"])
        }
    }

    @Test(
        "BX-5 planted identifiers are found in text, JSON and arrays, in any letter case",
        arguments: SQLDialect.allCases)
    func planted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            try await fixture.run(
                """
                INSERT INTO notes (id, body, data) VALUES (10, 'from ÉLODIE_100%@EXAMPLE.ORG to you', NULL),
                    (11, NULL, '{"deep": [{"mail": "Élodie_100%@example.org"}]}');
                """)
            var expected = ["notes.body", "notes.data"].map { dialect == .postgresql ? "public." + $0 : $0 }
            if dialect == .postgresql {
                try await fixture.run("INSERT INTO notes (id, tags) VALUES (12, ARRAY['x', 'élodie_100%@example.org'])")
                expected.append("public.notes.tags")
            }
            let found = try await scan(fixture, ["email"], .complete)
            // SQLite's lower() knows A to Z only: É in a row is found as it was in the identifier.
            #expect(found.found == (dialect == .sqlite ? expected : expected).sorted())
            #expect(found.occurrences == expected.count)
        }
    }

    @Test("BX-5 a subject's uuid is found in unplanned uuid and text columns", arguments: SQLDialect.allCases)
    func uuids(_ dialect: SQLDialect) async throws {
        let id = "5f0c8a4e-abcd-4000-8000-000000000001"
        let script = """
            CREATE TABLE people (id uuid PRIMARY KEY, email text);
            CREATE TABLE notes (n integer PRIMARY KEY, thing uuid, body text);
            INSERT INTO people VALUES ('\(id)', 'a'); INSERT INTO notes VALUES (1, '\(id)', 'see \(id.uppercased())');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let engine = try await engine(fixture, [])
            let outcome = try #require(try await engine.erase([id], options: ErasureOptions(deepScan: .complete)).first)
            let found = try #require(outcome.receipt, "\(outcome)").verification.deepScan
            #expect(found.occurrences == 2)
            #expect(outcome.receipt?.isComplete == false, "no receipt says that nothing is left")
            #expect(!"\(found.found)".contains(id))
        }
    }

    @Test("BX-3 BX-5 a neighbour of the same name is reported and stays unchanged", arguments: SQLDialect.allCases)
    func sameName(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let before = try await fixture.rows("SELECT * FROM people WHERE id = 2")
            let found = try await scan(fixture, ["nick"], .complete)
            // The key 1 is a member of another row's document too.
            #expect(found.left == 0 && found.similar == 2)
            #expect(found.similarIn == [("notes", "data"), ("people", "nick")].map { "\(ColumnName(fixture.name($0), $1))" })
            #expect(try await fixture.rows("SELECT * FROM people") == before)
        }
    }

    @Test(
        "a bounded scan is reported as bounded, a complete one as complete", arguments: SQLDialect.allCases)
    func extent(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            try await fixture.run("INSERT INTO notes (id, body) VALUES (3, 'x'), (4, 'y'), (5, 'z')")
            let engine = try await engine(fixture, ["email"])
            let bounded = try await engine.verify("1", extent: .bounded(rows: 2)).deepScan
            #expect(bounded.extent == .bounded && bounded.rows == 4)
            #expect(try await engine.verify("1", extent: .bounded(rows: 100)).deepScan.extent == .complete)
            let complete = try await engine.verify("1", extent: .complete)
            #expect(complete.deepScan.extent == .complete && complete.deepScan.rows == 7)
            #expect(complete.left == ["\(fixture.name("people"))": 1])
            let former = try await engine.verify("77", identifiers: ["elodieX100Y@example.org"], extent: .complete)
            #expect(former.left.isEmpty && former.deepScan.occurrences == 1 && !former.isClean)
            let other = try await engine.verify("77", identifiers: ["other@example.org"], extent: .complete)
            #expect(other.deepScan.left == 0 && other.deepScan.similar == 1, "it is another subject's own")
        }
    }
}
