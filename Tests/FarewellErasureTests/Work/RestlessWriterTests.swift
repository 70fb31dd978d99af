// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A table that the database knows no key of, so that nothing but Farewell keeps rows of the erased out of it.
@Suite("A program that writes for the subject during the whole erasure")
struct RestlessWriterTests {
    private static let rules = ServiceRules(secondLook: 600, poll: 1)

    /// The result of the writing.
    private struct Written: Sendable {
        var rows = 0
        var refusals: [String: Int] = [:]
    }

    @Test(
        "F17 BX-5 constant writes park the run with its reason, or the second look finds them; once the writer stops nothing is left",
        arguments: SQLDialect.allCases)
    func unfenced(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let neighbours = try await Self.rows(but: "1", place)
            let requests = place.requests(Self.rules)
            let id = try await requests.request("1").erasure.id
            let written = Guarded(Written())
            // Nothing is deleted before some rows have been written into the erasure that has begun.
            let closing = RememberedClosing(meanwhile: {
                let before = written.withLock { $0.rows }
                try await eventually { written.withLock { $0.rows > before + 20 } }
            })
            try await Self.writing(
                written, on: dialect, { try await Self.insert($0, place) },
                while: {
                    try await place.working(Self.workers(place, closing)) { _ = try await requests.wait(for: id, atMost: 100) }
                })
            #expect(written.withLock { $0.rows } > 20, "it did not write all the while")
            let ended = try #require(try await requests.erasure(id))
            if ended.state == .needsAttention {
                let cause = ended.status.erasure.cause ?? ""
                #expect(cause.contains("found again after their erasure") && cause.contains("posts ("), "\(cause)")
                #expect(ended.receipt == nil, "no receipt over rows that are left")
                try await requests.release(id, by: "operator")
            } else {
                #expect(ended.state == .done, "\(place.fixture.log.lines.suffix(5))")
            }
            try await Self.expectNothingLeft(place, neighbours)
        }
    }

    @Test(
        "F17 BX-5 with a writer that respects the fence no run is done with rows left, and the second look finds later rows",
        arguments: SQLDialect.allCases)
    func fenced(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { first in
            if dialect == .postgresql { try await first.fixture.run(FenceScript(plan: first.engine.plan).text) }
            for statement in Self.guards(dialect) {
                _ = try await first.fixture.database.withConnection { try await $0.run(SQLStatement(statement)) }
            }
            // Triggers belong to the schema: workers must open after they exist.
            let place = try await first.again(owner: "here:1:a")
            let neighbours = try await Self.rows(but: "1", place)
            let requests = place.requests(Self.rules)
            let id = try await requests.request("1").erasure.id
            let written = Guarded(Written())
            let closing = RememberedClosing(meanwhile: {
                try await eventually { written.withLock { !$0.refusals.isEmpty } }
            })
            try await Self.writing(
                written, on: dialect, { try await Self.insertMindful($0, place) },
                while: {
                    try await place.working(Self.workers(place, closing)) { _ = try await requests.wait(for: id, atMost: 100) }
                })
            #expect(try await requests.erasure(id)?.state == .done, "\(place.fixture.log.lines.suffix(5))")
            let refusals = written.withLock { $0.refusals }
            #expect(refusals[Self.refusal(dialect)] ?? 0 > 0, "\(refusals)")
            try await Self.expectNothingLeft(place, neighbours)
        }
    }

    // MARK: Writing

    /// Writes one row after the other while `body` runs, and stops.
    private static func writing(
        _ written: Guarded<Written>, on dialect: SQLDialect, _ write: @escaping @Sendable (_ id: Int) async throws -> Void,
        while body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // SQLite has one writer at a time: two restless ones would leave no turn for others.
            for writer in 1...(dialect == .postgresql ? 2 : 1) {
                group.addTask {
                    var id = writer * 1_000_000
                    while !Task.isCancelled {
                        id += 1
                        do {
                            try await write(id)
                            written.withLock { $0.rows += 1 }
                        } catch let error as FarewellError {
                            written.withLock { $0.refusals[error.code.rawValue, default: 0] += 1 }
                        } catch {
                            return
                        }
                    }
                }
            }
            try await eventually { written.withLock { $0.rows > 0 } }
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private static func insert(_ id: Int, _ place: WorkerFixture) async throws {
        _ = try await place.fixture.rows("SELECT count(*) FROM people")
        try await place.fixture.database.withConnection { _ = try await $0.run(row(id)) }
    }

    /// On PostgreSQL the printed trigger refuses the row; on SQLite the writer looks for the fence in its transaction.
    private static func insertMindful(_ id: Int, _ place: WorkerFixture) async throws {
        guard place.fixture.dialect == .sqlite else { return try await insert(id, place) }
        _ = try await place.fixture.rows("SELECT count(*) FROM people")
        let fence = place.engine.control.fence(of: "1")
        try await place.fixture.database.transaction { connection in
            guard try await connection.run(fence).rows.isEmpty else {
                throw FarewellError("test.closed", .yoursToFix, "The account is being erased.")
            }
            _ = try await connection.run(row(id))
        }
    }

    private static func row(_ id: Int) -> SQLStatement {
        SQLStatement("INSERT INTO posts (id, author, body) VALUES ($1, 1, 'late')", [.integer(Int64(id))])
    }

    private static func refusal(_ dialect: SQLDialect) -> String { dialect == .postgresql ? "sql.FW001" : "test.closed" }

    // MARK: Looking

    /// The database itself refuses an end at whose very moment a row of the person is there.
    private static func guards(_ dialect: SQLDialect) -> [String] {
        guard dialect == .postgresql else {
            return [
                """
                CREATE TRIGGER nothing_left AFTER UPDATE OF state ON farewell_erasures \
                WHEN NEW.state = 'done' AND OLD.state <> 'done' BEGIN \
                SELECT RAISE(ABORT, 'rows are left') WHERE EXISTS (SELECT 1 FROM posts WHERE author = 1); END
                """
            ]
        }
        return [
            """
            CREATE FUNCTION public.nothing_left() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
            IF EXISTS (SELECT 1 FROM public.posts WHERE author = 1) THEN RAISE EXCEPTION 'rows are left'; END IF; \
            RETURN NULL; END $$
            """,
            """
            CREATE TRIGGER nothing_left AFTER UPDATE ON farewell.erasures FOR EACH ROW \
            WHEN (NEW.state = 'done' AND OLD.state <> 'done') EXECUTE FUNCTION public.nothing_left()
            """,
        ]
    }

    private static func rows(but person: String, _ place: WorkerFixture) async throws -> [String] {
        try await place.fixture.rows("SELECT id, author, body FROM posts WHERE author <> \(person)")
            + place.fixture.rows("SELECT id, 0, email FROM people WHERE id <> \(person)")
    }

    private static func workers(_ place: WorkerFixture, _ closing: any SubjectClosing = NoSessions()) -> ErasureWorkers {
        ErasureWorkers(
            place.engine, rules: rules, options: ErasureOptions(residue: .leave), closing: closing, signals: place.signals)
    }

    /// The writing has ended: parked erasures are released, and the second look finds later rows.
    private static func expectNothingLeft(_ place: WorkerFixture, _ neighbours: [String]) async throws {
        func end() async throws {
            try await place.working(workers(place)) {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
        }
        try await end()
        let keepsakes = place.fixture.control("keepsakes")
        try await place.fixture.run(
            "UPDATE \(keepsakes) SET look_at = '2001-01-01T00:00:00.000Z' WHERE look_at IS NOT NULL")
        try await Reverifier(workers: workers(place)).perform()
        try await end()
        #expect(try await place.fixture.rows("SELECT id FROM posts WHERE author = 1").isEmpty)
        #expect(try await place.fixture.rows("SELECT id FROM people WHERE id = 1").isEmpty)
        #expect(try await rows(but: "1", place) == neighbours)
        for status in try await place.engine.statuses() {
            #expect(try await place.engine.openReceipt(of: status.erasure.id).verification.readBack.rowsLeft == 0)
        }
        _ = try await place.engine.verifyAudit()
    }
}
