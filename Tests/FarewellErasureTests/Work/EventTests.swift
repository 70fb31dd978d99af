// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Records its events, and refuses as often as requested.
struct RecordingEventDelivery: EventDelivery {
    let endpoints: [EventEndpoint]
    let taken = Guarded<[OutgoingEvent]>([])
    let refusals = Guarded<[DeliveryFailure]>([])

    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure) {
        let refusal: DeliveryFailure? = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let refusal { throw refusal }
        taken.withLock { $0.append(event) }
    }
}

@Suite("Events, the fence and the second look")
struct EventTests {
    private func deliver(_ place: WorkerFixture, _ delivery: RecordingEventDelivery) async throws {
        let waiting = "UPDATE \(place.fixture.control("deliveries")) SET next_at = '2001-01-01T00:00:00.000Z' WHERE state = 'waiting'"
        try await place.fixture.run(waiting)
        try await place.deliver(delivery)
    }

    @Test("BX-10 every end is reported once, even if the worker died before its report", arguments: SQLDialect.allCases)
    func told(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "all", kinds: ErasureEventKind.allCases), .init(name: "whom", kinds: [.done], needsSubject: true),
            ])
            let done = try #require(try await place.erased("1"))
            let cancelled = try await place.requests(ServiceRules(graceDays: 3, secondLook: 0, poll: 1)).request("2")
            _ = try await place.requests().cancel(cancelled.erasure.id, by: "2")
            for _ in 0..<3 { try await deliver(place, delivery) }
            let taken = delivery.taken.withLock { $0 }
            #expect(
                taken.filter { $0.subject == nil }.map { "\($0.erasure == done.id) \($0.kind.rawValue)" }.sorted() == [
                    "false erasure.cancelled", "false erasure.requested", "true erasure.begun", "true erasure.done",
                    "true erasure.requested",
                ])
            #expect(taken.filter { $0.subject != nil }.map { [$0.subject, $0.kind.rawValue] } == [["1", "erasure.done"]])
            #expect(Set(taken.map(\.id)).count == 5, "the same event has the same identifier for every receiver")
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("keepsakes"))") == ["1"])
            for statement in place.engine.control.clear(eventsBefore: Date(timeIntervalSince1970: 0)) {
                try await place.fixture.database.withConnection { _ = try await $0.run(statement) }
            }
            let left = try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("keepsakes"))")
            #expect(left == ["0"], "P9 the sealed data is destroyed once every receiver has the event")
        }
    }

    @Test(
        "BX-10 each parking after a release is reported once; an erasure that begins only then is reported as begun",
        arguments: SQLDialect.allCases)
    func parkedAgain(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "all", kinds: ErasureEventKind.allCases), .init(name: "whom", kinds: [.begun, .done], needsSubject: true),
            ])
            let asked = try await place.requests().request("1").erasure.id
            for number in 1...2 {
                try await place.park(asked, of: "1")
                for _ in 0..<3 { try await deliver(place, delivery) }
                let parked = delivery.taken.withLock { $0.filter { $0.kind == .parked } }
                #expect(parked.count == number && Set(parked.map(\.id)).count == number, "\(parked.map(\.id))")
                try await place.requests().release(asked, by: "console")
            }
            try await place.ripen()
            try await place.working {
                let ended = try await place.requests().wait(for: asked, atMost: 60)
                #expect(ended?.state == .done)
            }
            for _ in 0..<3 { try await deliver(place, delivery) }
            let taken = delivery.taken.withLock { $0 }
            #expect(
                taken.filter { $0.subject == nil }.map(\.kind.rawValue).sorted() == [
                    "erasure.begun", "erasure.done", "erasure.needs-attention", "erasure.needs-attention", "erasure.requested",
                ])
            let told = taken.filter { $0.subject != nil }.map { "\($0.subject ?? "") \($0.kind.rawValue)" }.sorted()
            #expect(told == ["1 erasure.begun", "1 erasure.done"], "whom it was about was kept though it was never begun with")
            #expect(try await place.requests().deadLetters().isEmpty)
        }
    }

    @Test(
        "F10 a refused delivery is tried again, a finally refused one is a dead letter that can be sent again",
        arguments: SQLDialect.allCases)
    func deadLetters(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [.init(name: "one", kinds: [.done])])
            _ = try await place.erased("1")
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 503"), DeliveryFailure("status 410: gone", isFinal: true)] }
            try await place.deliver(delivery)
            #expect(
                try await place.fixture.rows("SELECT state, attempts, error FROM \(place.fixture.control("deliveries"))") == [
                    "waiting 1 status 503"
                ])
            // Not before its time, however long this test is kept waiting.
            try await place.fixture.run("UPDATE \(place.fixture.control("deliveries")) SET next_at = '2999-01-01T00:00:00.000Z'")
            try await place.deliver(delivery)
            #expect(try await place.fixture.rows("SELECT attempts FROM \(place.fixture.control("deliveries"))") == ["1"])
            try await deliver(place, delivery)
            let letters = try await place.requests().deadLetters()
            #expect(
                letters.map { "\($0.endpoint) \($0.kind.rawValue) \($0.attempts) \($0.reason)" } == ["one erasure.done 2 status 410: gone"])
            #expect(try await place.requests().redeliver(to: "other", by: "operator") == 0)
            #expect(try await place.requests().redeliver(to: "one", by: "operator") == 1)
            try await deliver(place, delivery)
            #expect(delivery.taken.withLock { $0.count } == 1)
            #expect(try await place.requests().deadLetters().isEmpty)
        }
    }

    @Test(
        "a required delivery is tried without limit, is visible meanwhile, and keeps its subject",
        arguments: SQLDialect.allCases)
    func neverGivenUp(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "accounts", kinds: [.done], needsSubject: true, attempts: nil)
            ])
            _ = try await place.erased("1")
            delivery.refusals.withLock { $0 = [DeliveryFailure("the account stays"), DeliveryFailure("the account stays")] }
            try await deliver(place, delivery)
            #expect(try await place.requests().deadLetters().isEmpty, "not yet")
            let (deliveries, keepsakes) = (place.fixture.control("deliveries"), place.fixture.control("keepsakes"))
            try await place.fixture.run("UPDATE \(deliveries) SET attempts = 40")
            try await place.fixture.run("UPDATE \(keepsakes) SET keep_until = '2001-01-01T00:00:00.000Z'")
            try await deliver(place, delivery)
            #expect(try await place.fixture.rows("SELECT state, attempts FROM \(deliveries)") == ["waiting 41"])
            let letters = try await place.requests().deadLetters()
            #expect(letters.map { "\($0.endpoint) \($0.attempts) \($0.reason)" } == ["accounts 41 the account stays"])
            for statement in place.engine.control.clear(eventsBefore: Date(timeIntervalSince1970: 0)) {
                try await place.fixture.database.withConnection { _ = try await $0.run(statement) }
            }
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(keepsakes)") == ["1"], "it is needed for longer")
            #expect(try await place.requests().redeliver(to: "accounts", by: "operator") == 1)
            try await deliver(place, delivery)
            #expect(delivery.taken.withLock { $0.map(\.subject) } == ["1"])
            #expect(try await place.requests().deadLetters().isEmpty)
        }
    }

    @Test(
        "no endpoint learns of an end before the endpoint whose work belongs to the end has accepted it", arguments: SQLDialect.allCases)
    func inTurn(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "archive", kinds: [.done]),
                .init(name: "accounts", kinds: [.done], needsSubject: true, attempts: nil, isFirst: true),
            ])
            _ = try await place.erased("1")
            delivery.refusals.withLock { $0 = [DeliveryFailure("the account stays")] }
            try await deliver(place, delivery)
            #expect(delivery.taken.withLock { $0.isEmpty })
            for _ in 0..<2 { try await deliver(place, delivery) }
            #expect(delivery.taken.withLock { $0.map(\.subject) } == ["1", nil])
        }
    }

    @Test(
        "an endpoint gets events from its configuration on; delivered events are deleted after their period, undelivered ones stay",
        arguments: SQLDialect.allCases)
    func later(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let first = RecordingEventDelivery(endpoints: [.init(name: "first", kinds: [.done])])
            _ = try await place.erased("1")
            try await deliver(place, first)
            let both = RecordingEventDelivery(endpoints: [.init(name: "first", kinds: [.done]), .init(name: "second", kinds: [.done])])
            both.refusals.withLock { $0 = [DeliveryFailure("status 410: gone", isFinal: true)] }
            let two = try #require(try await place.erased("2"))
            try await deliver(place, both)
            #expect(first.taken.withLock { $0.count } == 1)
            #expect(both.taken.withLock { $0.map(\.erasure) } == [two.id], "one endpoint refused, the other heard of the second only")

            func clear(before time: TimeInterval) async throws -> [String] {
                for statement in place.engine.control.clear(eventsBefore: Date(timeIntervalSince1970: time)) {
                    try await place.fixture.database.withConnection { _ = try await $0.run(statement) }
                }
                return try await place.fixture.rows("SELECT kind FROM \(place.fixture.control("events")) ORDER BY kind")
            }
            let kinds = ["erasure.begun", "erasure.done", "erasure.requested"]
            #expect(try await clear(before: 0) == kinds.flatMap { [$0, $0] }, "not before their time")
            #expect(try await clear(before: 9_000_000_000) == ["erasure.done"], "the dead letter stays")
            #expect(try await place.requests().deadLetters().count == 1)
            _ = try await place.requests(ServiceRules(graceDays: 3, secondLook: 0, poll: 1)).request("3")
            #expect(try await clear(before: 9_000_000_000) == ["erasure.done", "erasure.requested"], "of one that lives nothing goes")
        }
    }

    @Test("Item 27: an event about another user counts once", arguments: SQLDialect.allCases)
    func received(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let first = try await requests.receive("e1", from: "https://a.example")
            let again = try await requests.receive("e1", from: "https://a.example")
            let other = try await requests.receive("e1", from: "https://b.example")
            #expect(first && !again && other)
        }
    }

    @Test("F17 other programs can see a running erasure, and nothing of the fence remains afterwards", arguments: SQLDialect.allCases)
    func fence(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let seen = Guarded<[String]>([])
            let closing = RememberedClosing(meanwhile: {
                for key in ["1", "2"] {
                    let fence = place.engine.control.fence(of: key)
                    let epoch = try await place.fixture.database.withConnection { try await $0.run(fence).scalar?.integer }
                    seen.withLock { $0.append("\(key) \(epoch.map(String.init) ?? "open")") }
                }
            })
            let asked = try await place.requests().request("1")
            try await place.working(place.workers(closing: closing)) {
                _ = try await place.requests().wait(for: asked.erasure.id, atMost: 60)
            }
            #expect(seen.withLock { $0 } == ["1 1", "2 open"])
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("fences"))") == ["0"])
        }
    }

    /// Writes as any program does, by SQLite as it is; prints how many fences stand.
    private static let foreignProgram = """
        import sqlite3, sys
        base = sqlite3.connect(sys.argv[1], timeout=60)
        base.execute("INSERT INTO posts (id, author, body) VALUES (901, 1, 'late'), (902, 2, 'fine')")
        base.execute("UPDATE posts SET body = 'later' WHERE author = 1")
        base.commit()
        print(base.execute("SELECT count(*) FROM farewell_fences").fetchone()[0])
        """

    @Test("F17 on SQLite the fence stops no program without Farewell's functions, and the erasure deletes that program's later writes")
    func foreignWriter() async throws {
        try await WorkerFixture.with(.sqlite) { place in
            let fences = Guarded<[String]>([])
            let closing = RememberedClosing(meanwhile: {
                let seen = try Program.python(Self.foreignProgram, [place.fixture.address])
                fences.withLock { $0.append(seen.trimmingCharacters(in: .whitespacesAndNewlines)) }
            })
            let asked = try await place.requests().request("1")
            try await place.working(place.workers(closing: closing)) {
                let ended = try await place.requests().wait(for: asked.erasure.id, atMost: 60)
                #expect(ended?.state == .done)
            }
            #expect(fences.withLock { $0 } == ["1"])
            #expect(try await place.fixture.rows("SELECT author, count(*) FROM posts GROUP BY author") == ["2 3", "3 2"])
        }
    }

    @Test("DX-1 the printed trigger says that Farewell's tables are missing before it creates anything")
    func unprepared() async throws {
        try await EngineFixture.with(.postgresql, "CREATE TABLE people (id integer PRIMARY KEY)") { fixture in
            let script = FenceScript(plan: try await fixture.plan()).text
            let refused = await code { try await fixture.run(script) }
            #expect(refused == "sql.P0001", "the script itself refuses, and not a missing schema")
        }
    }

    @Test("F17 the printed trigger refuses writes for the subject and waits for writers that checked before")
    func trigger() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let script = FenceScript(plan: place.engine.plan)
            #expect(script.places.map(\.description) == ["public.posts.author"])
            for part in [0, 1] {
                // Twice: running it again replaces what is there.
                try await place.fixture.run(script.text)
                #expect(part >= 0)
            }
            try await place.fixture.run("CREATE SEQUENCE more START 1000")
            // The trigger belongs to the schema: workers must open after it exists.
            let place = try await place.again(owner: "here:1:a")
            let insert = SQLStatement("INSERT INTO posts (id, author, body) VALUES (nextval('more'), $1, 'late')", [.integer(1)])
            let closing = RememberedClosing(meanwhile: {
                let code = await code { try await place.fixture.database.withConnection { _ = try await $0.run(insert) } }
                #expect(code == "sql.FW001")
                let epochs = try await place.fixture.rows("SELECT farewell.closed_since('1'), farewell.closed_since('2')")
                #expect(epochs == ["1 -"], "a writer may ask for itself")
                let other = SQLStatement("INSERT INTO posts (id, author, body) VALUES (nextval('more'), 2, 'fine')")
                try await place.fixture.database.withConnection { _ = try await $0.run(other) }
            })
            let asked = try await place.requests().request("1")
            let (isWriting, written) = AsyncStream.makeStream(of: Void.self)
            let (mayCommit, commit) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Looked before the fence stood, and commits only afterwards: its row must not be overlooked.
                group.addTask {
                    try await place.fixture.database.withConnection { connection in
                        _ = try await connection.run("BEGIN")
                        _ = try await connection.run(insert)
                        written.yield()
                        for await _ in mayCommit { break }
                        _ = try await connection.run("COMMIT")
                    }
                }
                for await _ in isWriting { break }
                group.addTask {
                    try await place.working(place.workers(closing: closing)) {
                        let ended = try await place.requests().wait(for: asked.erasure.id, atMost: 60)
                        #expect(ended?.state == .done)
                    }
                }
                try await eventually { !closing.closed.withLock { $0.isEmpty } }
                try await eventually {
                    try await place.fixture.rows(
                        "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()") == [
                            "true"
                        ]
                }
                commit.yield()
                try await group.waitForAll()
            }
            #expect(try await place.fixture.rows("SELECT author, count(*) FROM posts GROUP BY author") == ["2 3", "3 2"])
        }
    }

    @Test("BX-5 F16 the second look finds and erases rows that come back after the end", arguments: SQLDialect.allCases)
    func secondLook(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let rules = ServiceRules(secondLook: 600, poll: 1)
            for subject in ["1", "2"] {
                let ended = try await place.erased(subject, rules)
                #expect(ended?.state == .done)
            }
            try await place.fixture.run("INSERT INTO posts (id, author, body) VALUES (900, 1, 'from a slow queue')")
            let reverifier = Reverifier(workers: place.workers(rules))
            try await reverifier.perform()
            #expect(try await place.states() == ["done", "done"], "not before its time")
            try await place.fixture.run("UPDATE \(place.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z'")
            try await reverifier.perform()
            #expect(try await place.states() == ["done", "done", "requested"])
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(try await place.fixture.rows("SELECT DISTINCT author FROM posts") == ["3"])
            let kinds = try await place.fixture.rows(
                "SELECT kind FROM \(place.fixture.control("events")) WHERE kind = 'erasure.reappeared'")
            #expect(kinds == ["erasure.reappeared"])
            let looks = try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("keepsakes")) WHERE look_at IS NOT NULL")
            #expect(looks.first.map { Int($0) ?? 9 } ?? 9 <= 1)
        }
    }

    @Test(
        "operators get one warning before an erasure's day, and none about a request that can still be cancelled",
        arguments: SQLDialect.allCases)
    func due(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let asked = try await place.requests(ServiceRules(graceDays: 30, secondLook: 0)).request("1").erasure
            let (ready, due) = (try #require(asked.graceUntil), try #require(asked.dueAt))
            #expect(abs(due.timeIntervalSince(ready) - 86_400) < 60, "a day is left for the work")
            let scheduler = Scheduler(workers: place.workers())
            try await scheduler.perform()
            #expect(place.fixture.log.lines.allSatisfy { !$0.contains("due soon") })
            func move(_ column: String, _ by: String) async throws {
                let instant = dialect == .postgresql ? "now() + interval '\(by)'" : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '\(by)')"
                try await place.fixture.run("UPDATE \(place.fixture.control("requests")) SET \(column) = \(instant)")
            }
            try await move("due_at", "4 days")
            for ready in ["3 days", "-30 minutes"] {
                try await move("ready_at", ready)
                try await scheduler.perform()
                #expect(place.fixture.log.lines.allSatisfy { !$0.contains("due soon") }, "\(ready)")
            }
            try await move("ready_at", "-2 hours")
            try await scheduler.perform()
            try await scheduler.perform()
            #expect(place.fixture.log.lines.count { $0.contains("due soon") } == 1)
            #expect(
                try await place.fixture.rows("SELECT kind FROM \(place.fixture.control("events"))") == ["erasure.due", "erasure.requested"])
        }
    }
}
