// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import Synchronization
import TestFixtures
import Testing

@Suite("An account with a great many rows is erased in pieces")
struct LargeAccountTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE events (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id), body text);
        CREATE TABLE marks (id integer PRIMARY KEY, event integer NOT NULL REFERENCES events (id), who text);
        CREATE TABLE bills (id integer PRIMARY KEY, person integer REFERENCES people (id), name text, city text);
        CREATE INDEX by_person ON events (person);
        CREATE INDEX by_event ON marks (event);
        CREATE INDEX by_payer ON bills (person);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        """

    private func fill(_ fixture: EngineFixture, events: Int, bills: Int = 0) async throws {
        func series(_ count: Int) -> String {
            fixture.dialect == .postgresql
                ? "generate_series(1, \(count)) AS s (n)"
                : "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < \(count)) SELECT n FROM s) AS s"
        }
        try await fixture.run(
            """
            INSERT INTO events SELECT n, 1 + n % 2, 'text' FROM \(series(events * 2));
            INSERT INTO marks SELECT n, n, 'x' FROM \(series(events));
            \(bills == 0 ? "" : "INSERT INTO bills SELECT n, 1 + n % 2, 'name', 'city' FROM \(series(bills * 2));")
            """)
    }

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { $0.set("bills", .anonymise, ["person": .null, "name": .constant("gone"), "city": .null]) }
    }

    @Test("BX-4 an erasure deletes 30,000 rows in many transactions with exact counts", arguments: SQLDialect.allCases)
    func pieces(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try await fill(fixture, events: 20_000, bills: 3_000)
            let engine = try await fixture.engine(try await plan(fixture))
            let pieces = Mutex(0)
            let planned = try await engine.preview("1")
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(largeAccount: 30_000)) { progress in
                    if case .advanced(step: "rows", _, _) = progress.event { pieces.withLock { $0 += 1 } }
                }.first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.erased == ["people": 1, "events": 20_000, "marks": 10_000])
            #expect(receipt.anonymised == ["bills": 3_000])
            #expect(planned.erased == 30_001 && planned.kept == 3_000)
            #expect(pieces.withLock { $0 } >= 6)
            #expect(try await fixture.count("events") == 20_000)
            #expect(
                try await fixture.rows("SELECT count(*) FROM bills WHERE name = 'gone' AND person IS NULL AND city IS NULL") == ["3000"])
        }
    }

    /// Erases a subject and cancels it after so many chunks; returns their number.
    private func erase(
        _ key: String, by engine: ErasureEngine, _ options: ErasureOptions, cancelledAfter point: Int
    ) async throws -> (outcomes: [ErasureOutcome], pieces: Int) {
        let seen = Mutex(0)
        let outcomes = try await Task {
            try await engine.erase([key], options: options) { progress in
                guard case .advanced(step: "rows", _, _) = progress.event else { return }
                let pieces = seen.withLock { pieces in
                    pieces += 1
                    return pieces
                }
                if pieces == point { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }.value
        return (outcomes, seen.withLock { $0 })
    }

    @Test(
        "BX-4 interrupted at any point and resumed in the same process, the counts are right in total",
        arguments: SQLDialect.allCases, 1...9)
    func interrupted(_ dialect: SQLDialect, _ point: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try await fill(fixture, events: 5_000, bills: 4_500)
            let engine = try await fixture.engine(try await plan(fixture))
            let options = ErasureOptions(largeAccount: 1, residue: .leave)
            let (first, seen) = try await erase("1", by: engine, options, cancelledAfter: point)
            if first.map(\.word) == ["interrupted"] {
                let status = try #require(try await engine.statuses(ofSubject: "1").first)
                #expect(status.erasure.state == .running && status.erasure.owner == nil)
                #expect(status.done ?? 0 > 0, "the cursor is stored")
            } else {
                #expect(first.map(\.word) == ["done"] && seen < point, "\(first)")
            }
            let last = first.first?.receipt == nil ? try await engine.resume(options: options) : first
            let receipt = try #require(last.first?.receipt, "\(last)")
            #expect(receipt.erased == ["people": 1, "events": 5_000, "marks": 2_500])
            #expect(receipt.anonymised == ["bills": 4_500])
            #expect(try await fixture.count("events") == 5_000)
        }
    }

    @Test("hashes and expressions are applied once, interrupted or not", arguments: SQLDialect.allCases, 1...7)
    func once(_ dialect: SQLDialect, _ point: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try await fill(fixture, events: 3_000, bills: 2_500)
            let plan = try await fixture.plan { plan in
                plan.set(
                    "bills", .anonymise,
                    ["person": .notPersonal, "name": .expression(.call(.concat, [.text("x"), .column("name")])), "city": .keyedHash])
                plan.set("people", .anonymise, ["email": .null])
            }
            let engine = try await fixture.engine(plan)
            let options = ErasureOptions(largeAccount: 1, residue: .leave)
            let first = try await erase("1", by: engine, options, cancelledAfter: point).outcomes
            let last = first.first?.receipt == nil ? try await engine.resume(options: options) : first
            #expect(last.first?.receipt?.anonymised == ["bills": 2_500, "people": 1], "\(last)")
            #expect(try await fixture.rows("SELECT DISTINCT name FROM bills WHERE person = 1") == ["xname"])
        }
    }

    @Test(
        "BX-5 rows that another program adds meanwhile are swept, or park the run; a done run leaves no row",
        arguments: SQLDialect.allCases
    )
    func concurrentWriter(_ dialect: SQLDialect) async throws {
        let soft = Self.tables.replacing("person integer NOT NULL REFERENCES people (id), body", with: "person integer NOT NULL, body")
        try await EngineFixture.with(dialect, soft) { fixture in
            try await fill(fixture, events: 6_000)
            let plan = try await fixture.plan { plan in
                plan.set("events", .erase)
                plan.link("events", Link(columns: ["person"], target: plan.name("people"), targetColumns: ["id"], shared: .erase))
                plan.set("bills", .erase)
            }
            let engine = try await fixture.engine(plan)
            let written = Mutex(0)
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(largeAccount: 1)) { progress in
                    guard case .advanced(step: "rows", _, _) = progress.event else { return }
                    let number = written.withLock {
                        $0 += 1; return $0
                    }
                    do {
                        try await fixture.run(
                            "INSERT INTO events VALUES (\(900_000 + number), 1, 'late'), (\(910_000 + number), 2, 'late')")
                    } catch {
                        Issue.record("\(error)")
                    }
                }.first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            let late = written.withLock { $0 }
            #expect((1...100).contains(late), "it does not run after a writer for ever")
            #expect(receipt.erased["events"] == 6_000 + late)
            #expect(try await fixture.rows("SELECT count(*) FROM events WHERE person = 1") == ["0"])
            #expect(try await fixture.count("events") == 6_000 + late)
        }
    }

    @Test("a piece is halved when it took too long and doubled when it was quick, within bounds")
    func sizes() {
        #expect(LargeRowErasure.nextSize(2_000, took: .milliseconds(10)) == 4_000)
        #expect(LargeRowErasure.nextSize(2_000, took: .milliseconds(80)) == 2_000)
        #expect(LargeRowErasure.nextSize(2_000, took: .milliseconds(400)) == 1_000)
        #expect(LargeRowErasure.nextSize(150, took: .seconds(4)) == 100)
        #expect(LargeRowErasure.nextSize(100, took: .seconds(4)) == 100)
        #expect(LargeRowErasure.nextSize(15_000, took: .zero) == 20_000)
    }
}
