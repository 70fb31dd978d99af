// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Claimed erasures that one transaction carries out")
struct UnfencedBatchTests {
    private static let rules = ServiceRules(secondLook: 3_600, poll: 3_600)

    /// Requests for the first people, and a count of all fences that were ever put up.
    private static func with(
        people: Int = 4, requested: Int = 3, failing: String? = nil,
        _ body: (WorkerFixture, JoiningClosing) async throws -> Void
    ) async throws {
        try await WorkerFixture.with(.postgresql, people: people) { place in
            try await place.fixture.run(JoiningClosing.table)
            try await place.fixture.run("ALTER TABLE farewell.fences ADD COLUMN number bigserial")
            for subject in 1...requested { _ = try await place.requests(rules).request("\(subject)") }
            try await body(place, JoiningClosing(failing: failing))
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            #expect(try await place.states() == Array(repeating: "done", count: requested))
            #expect(try await place.fixture.count("people") == people - requested)
            #expect(try await place.fixture.count("posts") == 2 * (people - requested))
            _ = try await place.engine.verifyAudit()
        }
    }

    private static func putUp(_ place: WorkerFixture) async throws -> Int {
        let number = try await place.fixture.rows(
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM farewell.fences_number_seq")
        return number.first.flatMap { Int($0) } ?? -1
    }

    private static func carryOut(_ place: WorkerFixture, _ closing: JoiningClosing) async throws {
        let workers = place.workers(rules, closing: closing)
        await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
    }

    @Test("P1 BX-6 their sessions, rows, records and events end in one transaction without fences, and are published after it")
    func together() async throws {
        try await Self.with { place, closing in
            try await Self.carryOut(place, closing)
            let written =
                ["ledger", "steps", "keepsakes", "sessions_ended"].map { "SELECT xmin::text AS x FROM farewell.\($0)" }
                + ["SELECT xmin::text FROM farewell.events WHERE kind <> 'erasure.requested'"]
            let transactions = "SELECT count(DISTINCT x) FROM (\(written.joined(separator: " UNION ALL "))) AS w"
            #expect(try await place.fixture.rows(transactions) == ["1"])
            #expect(try await Self.putUp(place) == 0)
            #expect(closing.published.withLock { $0.sorted() } == ["1", "2", "3"] && closing.closed.withLock { $0.isEmpty })
            let events = "SELECT string_agg(kind, ' ' ORDER BY id) FROM farewell.events GROUP BY erasure"
            let all = "erasure.requested erasure.begun erasure.done"
            #expect(try await place.fixture.rows(events) == [all, all, all])
            let told = "SELECT count(*) FROM farewell.requests WHERE told IS NULL OR ready_at IS NOT NULL"
            #expect(try await place.fixture.rows(told) == ["0"])
        }
    }

    @Test("P6 if the transaction fails, fences stand and sessions have ended before the first row is deleted step by step")
    func apart() async throws {
        try await Self.with(failing: "2") { place, closing in
            try await Self.carryOut(place, closing)
            #expect(try await Self.putUp(place) == 3)
            #expect(closing.closed.withLock { $0.sorted() } == ["1", "2", "3"] && closing.published.withLock { $0.isEmpty })
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.sessions_ended") == ["0"])
            let events = "SELECT string_agg(kind, ' ' ORDER BY id) FROM farewell.events GROUP BY erasure"
            try await Addresser(workers: place.workers()).perform()
            let all = "erasure.requested erasure.begun erasure.done"
            #expect(try await place.fixture.rows(events) == [all, all, all], "each is noted once")
        }
    }

    @Test("P6 BX-10 a subject without a row of its own is carried out behind a fence, and the others' ends are published with its own")
    func partly() async throws {
        try await Self.with { place, closing in
            try await place.fixture.run("DELETE FROM people WHERE id = 2")
            try await Self.carryOut(place, closing)
            #expect(try await Self.putUp(place) == 1 && closing.closed.withLock { $0 } == ["2"])
            #expect(closing.published.withLock { $0.sorted() } == ["1", "2", "3"])
            #expect(try await place.fixture.rows("SELECT subject FROM farewell.sessions_ended ORDER BY 1") == ["1", "2", "3"])
            try await Addresser(workers: place.workers()).perform()
            let events = "SELECT string_agg(kind, ' ' ORDER BY id) FROM farewell.events GROUP BY erasure"
            let all = "erasure.requested erasure.begun erasure.done"
            #expect(try await place.fixture.rows(events) == [all, all, all])
        }
    }

    @Test("P6 P5 a row that another program has locked delays the sessions' transaction by a moment; then it gives way")
    func locked() async throws {
        try await Self.with(requested: 1) { place, closing in
            try await place.fixture.database.withConnection { other in
                try await other.run("BEGIN")
                try await other.run("SELECT 1 FROM people WHERE id = 1 FOR UPDATE")
                async let erased: Void = Self.carryOut(place, closing)
                try await eventually { closing.closed.withLock { $0 } == ["1"] }
                #expect(try await Self.putUp(place) == 1)
                #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.sessions_ended") == ["0"])
                try await other.run("ROLLBACK")
                try await erased
            }
        }
    }

    @Test("P6 a hold between the claim and the transaction leaves sessions, rows and fences as they are")
    func held() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            try await place.fixture.run(JoiningClosing.table)
            let requests = place.requests(Self.rules)
            let asked = try await requests.request("1")
            let (closing, workers) = (JoiningClosing(), place.workers(Self.rules, closing: JoiningClosing()))
            let claimed = try #require(await workers.claimed())
            _ = try await requests.hold(asked.erasure.id, reason: "court order", by: "operator")
            await place.workers(Self.rules, closing: closing).batch { _ in }.carryOut(claimed)
            #expect(closing.closed.withLock { $0.isEmpty } && closing.published.withLock { $0.isEmpty })
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.sessions_ended") == ["0"])
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            #expect(try await place.fixture.count("people") == 3)
        }
    }

    @Test("P6 sessions of another database end before, behind fences")
    func elsewhere() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            for subject in ["1", "2"] { _ = try await place.requests(Self.rules).request(subject) }
            let fences = Guarded<[String]>([])
            let closing = RememberedClosing(meanwhile: {
                let standing = try await place.fixture.rows("SELECT count(*) FROM farewell.fences")
                let left = try await place.fixture.count("people")
                fences.withLock { $0 += standing + ["\(left)"] }
            })
            let workers = place.workers(Self.rules, closing: closing)
            await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
            #expect(fences.withLock { $0 } == ["2", "3"] && closing.closed.withLock { $0.sorted() } == ["1", "2"])
            #expect(try await place.states() == ["done", "done"])
        }
    }

    @Test("F17 P1 a program that looks for a fence waits until the transaction has ended, and writes into no erasure")
    func writer() async throws {
        try await WorkerFixture.with(.postgresql) { first in
            try await first.fixture.run(FenceScript(plan: first.engine.plan).text)
            try await first.fixture.run("ALTER TABLE farewell.fences ADD COLUMN number bigserial")
            let place = try await first.again(owner: "here:1:a")
            _ = try await place.requests(Self.rules).request("1")
            // A writer that has looked, and has not ended: the erasure waits for it, and takes its row along.
            try await place.fixture.database.withConnection { other in
                try await other.run("BEGIN")
                try await other.run("INSERT INTO posts (id, author, body) VALUES (900, 1, 'before')")
                async let erased: Void = Self.carryOut(place)
                let waiting = """
                    SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """
                try await eventually { try await place.fixture.rows(waiting) == ["1"] }
                #expect(try await place.fixture.count("people") == 3)
                try await other.run("COMMIT")
                try await erased
            }
            #expect(try await Self.putUp(place) == 0)
            #expect(try await place.states() == ["done"])
            #expect(try await place.fixture.rows("SELECT id FROM posts WHERE author = 1").isEmpty)
            let receipt = try await place.engine.openReceipt(of: try #require(try await place.engine.statuses().first?.erasure.id))
            #expect(receipt.erased == ["people": 1, "posts": 3])
        }
    }

    private static func carryOut(_ place: WorkerFixture) async throws {
        let workers = place.workers(rules)
        await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
    }

    @Test("P7 the sealed subject stays until the events of its end have addressees, and no longer than a minute where none are")
    func addressed() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            _ = try await place.erased("1")
            func left(areAddressed: Bool) async throws -> [String] {
                for statement in place.engine.control.clear(
                    eventsBefore: Date(timeIntervalSince1970: 0), areAddressed: areAddressed)
                {
                    _ = try await place.fixture.database.withConnection { try await $0.run(statement) }
                }
                return try await place.fixture.rows("SELECT count(*) FROM farewell.keepsakes")
            }
            try await place.fixture.run("UPDATE farewell.events SET happened_at = clock_timestamp()")
            #expect(try await left(areAddressed: true) == ["1"])
            #expect(try await left(areAddressed: false) == ["1"])
            try await place.fixture.run("UPDATE farewell.events SET happened_at = clock_timestamp() - interval '2 minutes'")
            #expect(try await left(areAddressed: true) == ["1"])
            #expect(try await left(areAddressed: false) == ["0"])
        }
    }
}
