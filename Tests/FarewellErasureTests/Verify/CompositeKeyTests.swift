// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Rows that name their parents by several columns without a database key")
struct CompositeKeyTests {
    private static let shelves = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE shelves (room text NOT NULL, number integer NOT NULL, owner integer NOT NULL REFERENCES people (id),
            PRIMARY KEY (room, number));
        CREATE TABLE books (id integer PRIMARY KEY, shelf integer, room text);
        CREATE INDEX by_owner ON shelves (owner);
        CREATE INDEX by_shelf ON books (room, shelf);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO shelves VALUES ('a', 1, 1), ('b', 2, 1), ('a', 2, 2);
        INSERT INTO books VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'a'), (4, 1, 'b'), (5, NULL, 'a'), (6, NULL, NULL);
        """

    /// The derived plan, with a table's rows erased together with the rows that they name.
    private func plan(_ fixture: EngineFixture, _ table: String, _ columns: [String], in target: String, _ key: [String]) async throws
        -> Plan
    {
        try await fixture.plan { plan in
            plan.set(table, .erase)
            plan.link(table, Link(columns: columns, target: plan.name(target), targetColumns: key, shared: .erase))
        }
    }

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await plan(fixture, "books", ["shelf", "room"], in: "shelves", ["number", "room"])
    }

    /// Erases the first subject while another program writes, after the rows are deleted and before they are read back.
    private func erase(_ engine: ErasureEngine, while script: String, in fixture: EngineFixture) async throws -> ErasureOutcome {
        let outcomes = try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
            guard progress.event == .finished(step: "rows") else { return }
            do {
                try await fixture.run(script)
            } catch {
                Issue.record("\(error)")
            }
        }
        return try #require(outcomes.first)
    }

    @Test(
        "a row that references a deleted key is found again and erased, and a neighbour's row with parts of the key stays",
        arguments: SQLDialect.allCases)
    func readBack(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.shelves) { fixture in
            let engine = try await fixture.engine(try await plan(fixture))
            let late = "INSERT INTO books VALUES (10, 1, 'a'), (11, 2, 'a'), (12, 1, 'b'), (13, NULL, 'b');"
            let outcome = try await erase(engine, while: late, in: fixture)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.verification.readBack == .init(places: 3, rowsLeft: 0))
            #expect(try await fixture.rows("SELECT id FROM books") == ["11", "12", "13", "3", "4", "5", "6"])
        }
    }

    @Test("keys match again whatever their types on either side", arguments: SQLDialect.allCases)
    func types(_ dialect: SQLDialect) async throws {
        let tenant = "5f0c8a4e-abcd-4000-8000-000000000001"
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE chats (tenant uuid NOT NULL, code {bytes} NOT NULL, begun timestamp NOT NULL,
                owner integer NOT NULL REFERENCES people (id), PRIMARY KEY (tenant, code, begun));
            CREATE TABLE lines (id integer PRIMARY KEY, tenant text, code {bytes}, begun timestamp);
            CREATE INDEX by_owner ON chats (owner);
            CREATE INDEX by_chat ON lines (tenant, code, begun);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO chats VALUES ('\(tenant)', CAST('mine' AS {bytes}), '2020-02-29 10:00:00.123456', 1),
                ('\(tenant)', CAST('theirs' AS {bytes}), '2020-02-29 10:00:00.123456', 2);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let key = ["tenant", "code", "begun"]
            let engine = try await fixture.engine(try await plan(fixture, "lines", key, in: "chats", key))
            let late = """
                INSERT INTO lines VALUES (1, '\(tenant.uppercased())', CAST('mine' AS {bytes}), '2020-02-29 10:00:00.123456'),
                    (2, '\(tenant)', CAST('mine' AS {bytes}), '2020-02-29 10:00:00.123456'),
                    (3, '\(tenant)', CAST('mine' AS {bytes}), '2020-02-29 10:00:00'),
                    (4, '\(tenant)', CAST('theirs' AS {bytes}), '2020-02-29 10:00:00.123456');
                """
            let outcome = try await erase(engine, while: late, in: fixture)
            #expect(outcome.receipt?.verification.readBack.rowsLeft == 0, "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM lines ORDER BY id") == ["3", "4"])
        }
    }

    @Test("the server reads back the rows that it keeps of such keys")
    func kept() async throws {
        try await EngineFixture.with(.postgresql, Self.shelves) { fixture in
            let prepared = try await fixture.engine(try await plan(fixture)).prepared
            let prompt = try #require(prepared.programForOne.singleTransaction)
            let places = [fixture.name("people"), fixture.name("books")].map { "\($0)" }
            for (subject, expected) in [(1, [1, 2]), (2, [1, 1])] {
                let values = RowValues(subjects: [.integer(Int64(subject))], limit: 100)
                let left = try await fixture.database.withConnection { connection in
                    try await connection.run("BEGIN")
                    for statement in prompt.keeping {
                        try await connection.run(statement.bound(values, dialect: .postgresql))
                    }
                    try await connection.run("DELETE FROM shelves WHERE owner = $1", .integer(Int64(subject)))
                    let left = try await connection.run(prompt.readBack.bound(values, dialect: .postgresql))
                    try await connection.run("ROLLBACK")
                    return ReadBack.leftovers(left)
                }
                #expect(left == Dictionary(uniqueKeysWithValues: zip(places, expected)), "\(subject)")
            }
        }
    }

    @Test(
        "an erasure in one transaction, or together with others, leaves none of the subject's rows",
        arguments: SQLDialect.allCases, [["1"], ["1", "2"]])
    func erased(_ dialect: SQLDialect, _ subjects: [String]) async throws {
        try await EngineFixture.with(dialect, Self.shelves) { fixture in
            let outcomes = try await fixture.engine(try await plan(fixture)).erase(subjects)
            #expect(outcomes.map(\.word) == subjects.map { _ in "done" }, "\(outcomes)")
            let books = outcomes.compactMap { $0.receipt?.erased["books"] }
            #expect(books.sorted() == (subjects.count == 1 ? [2] : [1, 2]))
            let left = try await fixture.rows("SELECT id FROM books")
            #expect(left == (subjects.count == 1 ? ["3", "4", "5", "6"] : ["4", "5", "6"]))
        }
    }

    @Test(
        "remaining rows without a search value or key do not count as read back, nor do hashed values",
        arguments: SQLDialect.allCases)
    func unreadable(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE orders (id integer PRIMARY KEY, customer integer, name text);
            CREATE TABLE letters (id integer PRIMARY KEY, customer integer NOT NULL, name text);
            CREATE TABLE visits (id integer PRIMARY KEY, customer integer NOT NULL, name text);
            CREATE TABLE calls (id integer PRIMARY KEY, customer integer, name text);
            CREATE TABLE moves (customer integer, name text);
            CREATE TABLE gifts (customer integer, size text);
            INSERT INTO moves VALUES (1, 'One'); INSERT INTO gifts VALUES (1, 'big');
            INSERT INTO people VALUES (1, 'one@example.org');
            INSERT INTO orders VALUES (1, 1, 'One'); INSERT INTO letters VALUES (1, 1, 'One'); INSERT INTO visits VALUES (1, 1, 'One');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("orders", .anonymise, ["customer": .null, "name": .null])
                plan.set("calls", .anonymise, ["customer": .null, "name": .null])
                plan.set("moves", .anonymise, ["customer": .null, "name": .null])
                plan.set("gifts", .anonymise, ["customer": .null])
                plan.set("letters", .anonymise, ["name": .constant("removed")])
                plan.set("visits", .anonymise, ["name": .keyedHash])
                for table in ["orders", "letters", "visits", "calls", "moves", "gifts"] {
                    plan.link(table, Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
                }
            }
            let receipt = try #require(try await fixture.engine(plan).erase(["1"]).first?.receipt)
            #expect(receipt.verification.readBack == .init(places: 5, rowsLeft: 0), "not the moves and the visits")
            let note = try #require(receipt.notVerifiable.first { $0.about == "rows that stay" }?.note)
            #expect(note.hasPrefix("Rows of \(fixture.name("moves")), \(fixture.name("visits")) were changed"), "\(note)")
        }
    }

    @Test("unchanged rows do not count as read back", arguments: SQLDialect.allCases)
    func notRead(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE invoices (id integer PRIMARY KEY, customer integer NOT NULL, address text);
            CREATE TABLE letters (id integer PRIMARY KEY, customer integer NOT NULL, address text);
            INSERT INTO people VALUES (1, 'one@example.org');
            INSERT INTO invoices VALUES (1, 1, 'Here 1'); INSERT INTO letters VALUES (1, 1, 'Here 1');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let law = Retention(reason: "tax law", period: Period(10, .year))
                plan.set("invoices", .retain(law), ["customer": .retain, "address": .retain])
                plan.set("letters", .retain(law), ["customer": .retain, "address": .constant("removed")])
                for table in ["invoices", "letters"] {
                    plan.link(table, Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
                }
            }
            let receipt = try #require(try await fixture.engine(plan).erase(["1"]).first?.receipt)
            #expect(receipt.verification.readBack == .init(places: 2, rowsLeft: 0), "the person and the letters")
        }
    }
}
