// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A preview reports an erasure's effects, and changes nothing")
struct PreviewTests {
    @Test(
        "BX-2 the preview's counts match the rows that an erasure deletes, in random databases",
        arguments: SQLDialect.allCases, [false, true])
    func counts(_ dialect: SQLDialect, inPieces: Bool) async throws {
        for seed in UInt64(1)...5 {
            let random = RandomDatabase(seed: seed &* 7919 &+ (inPieces ? 1 : 0))
            try await EngineFixture.with(dialect, "SELECT 1") { fixture in
                try await fixture.database.withConnection { connection in
                    for statement in random.script(.asDrawn, dialect, schema: "house") {
                        _ = try await connection.run(SQLStatement(statement))
                    }
                }
                let engine = try await fixture.engine(random.plan(dialect, schema: "house"))
                let options = ErasureOptions(largeAccount: inPieces ? 1 : 20_000, residue: .leave)
                let people = dialect == .postgresql ? "house.people" : "people"
                for subject in ["2", "1"] where try await fixture.rows("SELECT id FROM \(people)").contains(subject) {
                    let before = try await fixture.everything()
                    let preview = try await engine.preview(subject)
                    #expect(try await fixture.everything() == before)
                    let outcome = try #require(try await engine.erase([subject], options: options).first)
                    let receipt = try #require(outcome.receipt, "seed \(random.seed): \(outcome)")
                    let after = try await fixture.everything()
                    let gone = before.mapValues(\.count).merging(after.mapValues(\.count)) { $0 - $1 }.filter { $0.value > 0 }
                    let planned = Dictionary(uniqueKeysWithValues: preview.places.filter { $0.count > 0 }.map { ($0.place, $0.count) })
                    #expect(planned == gone, "seed \(random.seed), subject \(subject)")
                    let told = Dictionary(
                        receipt.steps.flatMap(\.places).filter { $0.erased > 0 }.map { ($0.place, $0.erased) }, uniquingKeysWith: +)
                    #expect(told == gone, "seed \(random.seed), subject \(subject)")
                }
            }
        }
    }

    private static let posts = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id), quotes integer REFERENCES posts (id));
        CREATE INDEX by_author ON posts (author);
        CREATE INDEX by_quotes ON posts (quotes);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org');
        INSERT INTO posts VALUES (10, 1, NULL), (11, 1, 10), (20, 2, 10), (21, 2, 10), (30, 3, NULL);
        """

    /// The plan follows the author only: a neighbour's quoting post is not the person's. `check` refuses such a
    /// plan; here it is carried out all the same.
    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            plan.link(
                "posts", Link(columns: ["author"], target: plan.name("people"), targetColumns: ["id"], onDelete: .noAction, shared: .erase))
        }
    }

    @Test("BX-2 an obstacle to an erasure is named with its key and its rows", arguments: SQLDialect.allCases)
    func blockers(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let engine = try await fixture.uncheckedEngine(try await plan(fixture))
            let blocker = try #require(try await engine.preview("1").blockers.first)
            #expect(blocker.table == fixture.name("posts") && blocker.target == fixture.name("posts"))
            #expect(blocker.columns == ["quotes"] && blocker.rows == 2)
            #expect(blocker.examples.sorted() == ["20", "21"])
            #expect(blocker.message.contains("2 rows") && blocker.message.contains("quotes"))
            #expect(try await engine.preview("3").blockers.isEmpty)
        }
    }

    private static let moves: [ColumnRule] = [.null, .constant("99"), .expression(.integer(99))]

    private static let orders = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE orders (id integer PRIMARY KEY, customer integer REFERENCES people (id), city text);
        CREATE INDEX by_customer ON orders (customer);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (99, 'nobody@example.org');
        INSERT INTO orders VALUES (10, 1, 'Bath'), (11, 1, NULL), (20, 2, 'Rome');
        """

    @Test("a key whose column the plan empties or changes is no obstacle, and is not named", arguments: SQLDialect.allCases, moves)
    func movedAway(_ dialect: SQLDialect, _ rule: ColumnRule) async throws {
        try await EngineFixture.with(dialect, Self.orders) { fixture in
            let plan = try await fixture.plan { $0.set("orders", .anonymise, ["customer": rule, "city": .null]) }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.preview("1").blockers.isEmpty)
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            let moved = rule == .null ? "-" : "99"
            #expect(try await fixture.rows("SELECT id, customer FROM orders") == ["10 \(moved)", "11 \(moved)", "20 2"])
        }
    }

    @Test("a constant that names the subject itself moves no key away, and the rows with it are named", arguments: SQLDialect.allCases)
    func movedToOneself(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.orders) { fixture in
            try await fixture.run("INSERT INTO orders VALUES (90, 99, 'Oslo')")
            let plan = try await fixture.plan { $0.set("orders", .anonymise, ["customer": .constant("99"), "city": .null]) }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.preview("1").blockers.isEmpty)
            let blockers = try await engine.preview("99").blockers
            #expect(blockers.map(\.table) == [fixture.name("orders")] && blockers.map(\.columns) == [["customer"]])
            #expect(blockers.map(\.rows) == [1] && blockers.first?.examples == ["90"], "\(blockers)")
            let outcome = try #require(try await engine.erase(["99"]).first)
            #expect(outcome.cause?.contains("1 row of") == true, "\(outcome)")
            #expect(try await fixture.count("people") == 3)
        }
    }

    @Test(
        "an erasure that a key stops is parked with the count of the rows behind it, and nothing is deleted",
        arguments: SQLDialect.allCases)
    func blocked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let engine = try await fixture.uncheckedEngine(try await plan(fixture))
            let before = try await fixture.everything()
            let outcomes = try await engine.erase(["1", "3"])
            let cause = try #require(outcomes.compactMap(\.cause).first, "\(outcomes)")
            #expect(cause.contains("2 rows of") && cause.contains("quotes"), "\(cause)")
            if dialect == .postgresql { #expect(cause.contains("posts_quotes_fkey"), "\(cause)") }
            #expect(outcomes.contains { $0.word == "done" }, "the other one of the group")
            #expect(
                try await fixture.rows("SELECT * FROM posts") == (before["\(fixture.name("posts"))"] ?? []).filter { !$0.hasPrefix("30") })
            #expect(try await fixture.count("people") == 2)
            // Mended by hand and released, it finishes.
            try await fixture.run("UPDATE posts SET quotes = NULL WHERE author = 2")
            let parked = try #require(try await engine.statuses(ofSubject: "1").first).erasure
            let released = try await engine.release(parked.id)
            #expect(released.first?.receipt?.erased == ["people": 1, "posts": 2], "\(released)")
        }
    }

    @Test("BX-2 a preview writes nothing, and the database itself would refuse it", arguments: SQLDialect.allCases)
    func writesNothing(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let engine = try await fixture.engine()
            let control = try await fixture.rows("SELECT * FROM \(fixture.control("erasures"))")
            let audit = try await fixture.rows("SELECT * FROM \(fixture.control("audit"))")
            _ = try await engine.preview("1")
            #expect(try await fixture.rows("SELECT * FROM \(fixture.control("erasures"))") == control)
            #expect(try await fixture.rows("SELECT * FROM \(fixture.control("audit"))") == audit)
            let refused = await code {
                try await fixture.database.readOnly { connection in
                    _ = try await connection.run("DELETE FROM posts")
                }
            }
            #expect(refused == "sql.25006")
            #expect(try await fixture.count("posts") == 5)
            _ = try await engine.erase(["3"])
            #expect(try await fixture.count("posts") == 4, "writing works again afterwards")
        }
    }

    @Test("an interrupted preview leaves connections that can write", arguments: SQLDialect.allCases)
    func interrupted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let engine = try await fixture.engine()
            for _ in 0..<20 {
                let reading = Task {
                    try await fixture.database.readOnly { connection in
                        _ = try await connection.run("SELECT count(*) FROM posts")
                        withUnsafeCurrentTask { $0?.cancel() }
                        _ = try await connection.run("SELECT count(*) FROM posts")
                    }
                }
                _ = await reading.result
            }
            #expect(try await engine.erase(["3"]).map(\.word) == ["done"])
        }
    }

    @Test("a preview of an unknown subject says so", arguments: SQLDialect.allCases)
    func nobody(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let engine = try await fixture.engine()
            #expect(await code { _ = try await engine.preview("99") } == "subject.unknown")
            #expect(await code { _ = try await engine.preview("x") } == "subject.malformed")
        }
    }
}
