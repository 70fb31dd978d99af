// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Workers")
struct ErasureWorkerTests {
    @Test("P1 accepted erasures are carried out, many together, and other users' rows stay unchanged", arguments: SQLDialect.allCases)
    func carriedOut(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 40) { place in
            let requests = place.requests()
            for number in 1...30 { _ = try await requests.request("\(number)") }
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(try await place.fixture.rows("SELECT id FROM people") == (31...40).map(String.init))
            #expect(try await place.fixture.count("posts") == 20)
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("ledger"))") == ["30"])
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("fences"))") == ["0"])
            #expect(try await place.engine.verifyAudit() == 60)
            for status in try await place.engine.statuses() {
                #expect(try await place.engine.openReceipt(of: status.erasure.id).erased == ["people": 1, "posts": 2])
            }
        }
    }

    @Test(
        "P6 Item 22: an erasure ends sessions before it deletes the first row; while sessions cannot end, it erases nothing",
        arguments: SQLDialect.allCases)
    func sessionsFirst(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let failures = Guarded(0)
            let closing = RememberedClosing(meanwhile: {
                #expect(try await place.fixture.count("posts") == 6, "no row is gone yet")
                guard
                    failures.withLock({
                        $0 += 1; return $0
                    }) > 2
                else {
                    throw FarewellError("sql.08006", .tryAgain, "The sessions' database does not answer.")
                }
            })
            let asked = try await requests.request("1")
            // Retried when the test says so, and not automatically.
            let rules = ServiceRules(secondLook: 0, poll: 3_600)
            try await place.working(place.workers(rules, closing: closing)) {
                for expected in 1...2 {
                    try await eventually {
                        try await place.fixture.rows("SELECT failures FROM \(place.fixture.control("requests"))") == ["\(expected)"]
                    }
                    #expect(try await requests.erasure(asked.erasure.id)?.state == .fenced)
                    try await place.ripen()
                    place.signals.work.wake()
                }
                #expect(try await requests.wait(for: asked.erasure.id, atMost: 60)?.state == .done)
            }
            #expect(closing.closed.withLock { $0 } == ["1"])
            #expect(try await place.fixture.rows("SELECT author FROM posts") == ["2", "2", "3", "3"])
        }
    }

    @Test("P7 an erasure that never progresses is parked with the cause, and the others continue", arguments: SQLDialect.allCases)
    func patience(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let closing = RefusingClosing(subject: "1")
            var rules = WorkerFixture.brisk
            rules.batch = 1
            rules.maximumAttempts = 2
            let stuck = try await requests.request("1")
            let other = try await requests.request("2")
            try await place.working(place.workers(rules, closing: closing)) {
                #expect(try await requests.wait(for: other.erasure.id, atMost: 60)?.state == .done)
                try await place.awaitParked(stuck.erasure.id)
            }
            let parked = try await requests.erasure(stuck.erasure.id)
            #expect(parked?.status.erasure.cause?.contains("does not answer") == true)
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["1", "3"])
        }
    }

    @Test(
        "BX-10 an event reports a run that parks after the end of its sessions as begun", arguments: SQLDialect.allCases)
    func parkedOnceClosed(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1").erasure.id
            try await place.fixture.run("ALTER TABLE people ADD COLUMN nickname text")
            let closing = RememberedClosing()
            try await place.working(place.workers(closing: closing)) {
                try await eventually { try await requests.erasure(asked)?.state == .needsAttention }
            }
            #expect(closing.closed.withLock { $0 } == ["1"])
            #expect(try await place.fixture.rows("SELECT kind FROM \(place.fixture.control("events"))").contains("erasure.begun"))
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("keepsakes"))") == ["1"])
            #expect(try await place.fixture.count("posts") == 6)
        }
    }

    @Test(
        "P6 after a release the erasure first ends the sessions that have not ended yet, and only then deletes data",
        arguments: SQLDialect.allCases)
    func released(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1").erasure.id
            try await place.park(asked, of: "1")
            let posts = Guarded<[Int]>([])
            let closing = RememberedClosing(meanwhile: {
                let left = try await place.fixture.count("posts")
                posts.withLock { $0.append(left) }
            })
            try await requests.release(asked, by: "console")
            try await place.working(place.workers(closing: closing)) {
                let ended = try await requests.wait(for: asked, atMost: 60)
                #expect(ended?.state == .done)
            }
            #expect(closing.closed.withLock { $0 } == ["1"])
            #expect(posts.withLock { $0 } == [6])
        }
    }

    /// As a worker leaves things that was killed: claimed by another process, nothing done.
    private func abandon(_ place: WorkerFixture, _ subjects: [String], owner: String) async throws {
        let requests = place.requests()
        for subject in subjects { _ = try await requests.request(subject) }
        let killed = try await place.again(owner: owner)
        #expect(await killed.workers().claimed()?.count == subjects.count)
    }

    @Test("P5 F1 the erasures of a killed worker are taken over at once where its death is known", arguments: SQLDialect.allCases)
    func rescue(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            try await abandon(place, ["1", "2"], owner: "here:2:dead")
            let rescuer = try await place.again(owner: "here:3:c", dead: ["here:2:dead"])
            try await rescuer.working {
                try await eventually { try await place.states() == ["done", "done"] }
            }
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["3"])
            #expect(try await place.fixture.rows("SELECT attempts, epoch FROM \(place.fixture.control("erasures"))") == ["2 2", "2 2"])
        }
    }

    @Test(
        "F5 a living worker's lease is respected; after its expiry another takes over and the sleeping worker changes nothing",
        arguments: SQLDialect.allCases)
    func sleeper(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1")
            let id = asked.erasure.id
            let other = try await place.again(owner: "here:2:b")
            // The first worker falls asleep between closing the subject and the first step, past its lease.
            let closing = RememberedClosing(meanwhile: {
                let rescuer = Rescuer(workers: other.workers())
                try await rescuer.rescue()
                #expect(try await requests.erasure(id)?.state == .fenced, "a living worker is not disturbed")
                try await place.fixture.run(
                    "UPDATE \(place.fixture.control("erasures")) SET lease_until = '2001-01-01T00:00:00.000Z'")
                try await rescuer.rescue()
                #expect(try await requests.erasure(id)?.state == .done, "\(place.fixture.log.lines)")
            })
            let batch = place.workers(closing: closing).batch { _ in }
            await batch.carryOut(try #require(await place.workers().claimed()))
            #expect(try await place.states() == ["done"])
            #expect(place.fixture.fenced.withLock { $0 } == 1, "it is counted")
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("ledger"))") == ["1"])
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["2", "3"])
            #expect(try await place.engine.verifyAudit() == 2)
        }
    }

    @Test("F6 a rescuer that read its state before a run ended changes nothing in the run", arguments: SQLDialect.allCases)
    func stale(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            try await abandon(place, ["1"], owner: "here:2:dead")
            let erasures = place.fixture.control("erasures")
            try await place.fixture.run("UPDATE \(erasures) SET lease_until = '2001-01-01T00:00:00.000Z'")
            let late = try await place.again(owner: "here:4:d")
            let seen = try await late.engine.control.leases.abandonedUnheld(
                limit: 20, under: late.engine.prepared.planFingerprint
            ).run(in: late.engine.database)
            #expect(seen.count == 1)
            let prompt = try await place.again(owner: "here:3:c")
            try await Rescuer(workers: prompt.workers()).rescue()
            let before = try await place.fixture.rows("SELECT state, epoch, attempts FROM \(erasures)")
            #expect(try await place.states() == ["done"])
            for record in seen { await late.workers().batch { _ in }.takeUp(record) }
            #expect(try await place.fixture.rows("SELECT state, epoch, attempts FROM \(erasures)") == before)
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("ledger"))") == ["1"])
        }
    }

    @Test(
        "F27 P7 a row that fails every attempt parks its erasure with the reason in words, and others of the claim continue",
        arguments: SQLDialect.allCases)
    func poison(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { first in
            for statement in Self.poison(dialect) {
                _ = try await first.fixture.database.withConnection { try await $0.run(SQLStatement(statement)) }
            }
            // A trigger belongs to the schema: workers must open after it exists.
            let place = try await first.again(owner: "here:1:a")
            let requests = place.requests()
            let poisoned = try await requests.request("1").erasure.id
            let others = [try await requests.request("2").erasure.id, try await requests.request("3").erasure.id]
            var rules = WorkerFixture.brisk
            rules.maximumAttempts = 3
            try await place.working(place.workers(rules)) {
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return try await place.states() == ["done", "done", "needs attention"]
                }
            }
            let cause = try await requests.erasure(poisoned)?.status.erasure.cause ?? ""
            #expect(cause.contains(dialect == .postgresql ? "PostgreSQL" : "The trigger poison of posts refused"), "\(cause)")
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["1"])
            #expect(try await place.fixture.rows("SELECT author FROM posts") == ["1", "1"], "nothing went by halves")
            for id in others {
                #expect(try await place.engine.openReceipt(of: id).erased == ["people": 1, "posts": 2])
            }
            try await place.fixture.run("DROP TRIGGER poison\(dialect == .postgresql ? " ON posts" : "")")
            let mended = try await place.again(owner: "here:3:c")
            try await mended.requests().release(poisoned, by: "console")
            try await mended.working { _ = try await mended.requests().wait(for: poisoned, atMost: 60) }
            #expect(try await place.states() == ["done", "done", "done"])
            #expect(try await place.fixture.count("posts") == 0)
        }
    }

    /// Makes one subject's rows deadly: on PostgreSQL to the connection that deletes them, which is temporary each time; on SQLite, without
    /// a connection to lose, to the transaction.
    private static func poison(_ dialect: SQLDialect) -> [String] {
        guard dialect == .postgresql else {
            return ["CREATE TRIGGER poison BEFORE DELETE ON posts WHEN OLD.author = 1 BEGIN SELECT RAISE(ABORT, 'no'); END"]
        }
        return [
            """
            CREATE FUNCTION public.poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
            PERFORM pg_terminate_backend(pg_backend_pid()); RETURN OLD; END $$
            """,
            """
            CREATE TRIGGER poison BEFORE DELETE ON public.posts FOR EACH ROW WHEN (OLD.author = 1) \
            EXECUTE FUNCTION public.poison()
            """,
        ]
    }

    @Test(
        "F28 a worker asked to stop finishes its erasures; a cancelled worker gives everything back at once",
        arguments: SQLDialect.allCases)
    func stopping(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1")
            let workers = place.workers(closing: RememberedClosing(meanwhile: {}))
            let stopper = RememberedClosing(meanwhile: { workers.stop() })
            try await place.working(place.workers(closing: stopper)) { _ = try await requests.wait(for: asked.erasure.id, atMost: 60) }
            #expect(try await place.states() == ["done"])

            let second = try await requests.request("2")
            let isInside = Guarded(false)
            let sleeping = RememberedClosing(meanwhile: {
                isInside.withLock { $0 = true }
                try await ContinuousClock().sleep(for: .seconds(600))
            })
            let work = Task { await place.workers(closing: sleeping).run() }
            try await eventually { isInside.withLock { $0 } }
            work.cancel()
            await work.value
            let left = try await place.fixture.rows(
                "SELECT state, owner, attempts FROM \(place.fixture.control("erasures")) WHERE state <> 'done'")
            #expect(left == ["fenced - 0"])
            try await place.working { _ = try await requests.wait(for: second.erasure.id, atMost: 60) }
            #expect(try await place.states() == ["done", "done"])
        }
    }

    @Test(
        "BX-10 P7 an erasure that a worker parks after its last retry names how the schema has changed",
        arguments: SQLDialect.allCases)
    func parkedWithDifferences(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1").erasure.id
            // Its worker died while it was running: the next one closes the subject again before it goes on.
            try await place.fixture.run("UPDATE \(place.fixture.control("erasures")) SET state = 'running', epoch = 1")
            try await place.fixture.run("ALTER TABLE people ADD COLUMN nickname text")
            var rules = WorkerFixture.brisk
            rules.maximumAttempts = 1
            let batch = place.workers(rules, closing: DriftedClosing()).batch { _ in }
            let record = try #require(try await place.engine.status(of: asked)?.erasure)
            await batch.takeUp(record)
            let parked = try await requests.erasure(asked)
            #expect(parked?.state == .needsAttention)
            #expect(parked?.status.erasure.cause?.contains("nickname") == true, "\(parked?.status.erasure.cause ?? "")")
        }
    }

    @Test(
        "an erasure whose sealed key does not open with the server's keys is parked, and the reason says so",
        arguments: SQLDialect.allCases)
    func foreignSeal(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1")
            let other = try await requests.request("2")
            let bytes = dialect == .postgresql ? "'\\x00ff'::bytea" : "x'00ff'"
            try await place.fixture.run(
                "UPDATE \(place.fixture.control("erasures")) SET sealed = \(bytes) WHERE id = '\(asked.erasure.id.uuidString.lowercased())'"
            )
            try await place.working { _ = try await requests.wait(for: other.erasure.id, atMost: 60) }
            #expect(try await requests.erasure(asked.erasure.id)?.state == .needsAttention)
            #expect(try await requests.erasure(other.erasure.id)?.state == .done)
        }
    }
}

/// Cannot end the sessions of one person.
struct RefusingClosing: SubjectClosing {
    let subject: String

    func close(_ subjects: [String]) async throws {
        guard subjects.contains(subject) else { return }
        throw FarewellError("sql.08006", .tryAgain, "The sessions' database does not answer.")
    }
}

/// Finds another schema than the plan's where it ends sessions.
struct DriftedClosing: SubjectClosing {
    func close(_ subjects: [String]) async throws { throw GuardFailure.schemaChanged }
}
