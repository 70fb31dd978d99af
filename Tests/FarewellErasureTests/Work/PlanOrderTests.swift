// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Processes with an earlier and a later plan")
struct PlanOrderTests {
    /// Two processes on one database. The later plan has a system that the earlier one does not know.
    private struct Place {
        let fixture: EngineFixture
        let earlier: Plan
        let later: Plan
        let old: WorkerFixture
        let new: WorkerFixture
        let lists: WatchedSystem

        var erasures: String { fixture.control("erasures") }
        var laterPrint: String { new.engine.prepared.planFingerprint }

        /// Makes what is waiting look as if it had waited for years.
        func age() async throws {
            let then = "'2001-01-01T00:00:00.000Z'"
            try await fixture.run("UPDATE \(fixture.control("requests")) SET ready_at = \(then) WHERE ready_at IS NOT NULL")
            try await fixture.run("UPDATE \(erasures) SET lease_until = \(then) WHERE lease_until IS NOT NULL")
        }

        /// Claims what is ready and carries it out.
        func carryOut(by process: WorkerFixture) async throws {
            await process.workers().batch { _ in }.carryOut(try #require(await process.workers().claimed()))
        }
    }

    private static func with(_ dialect: SQLDialect, _ use: (Place) async throws -> Void) async throws {
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        try await EngineFixture.with(dialect, script) { fixture in
            let earlier = try await WorkerFixture.plan(fixture)
            let later = try await WorkerFixture.plan(fixture) { plan in
                plan.systems = [SystemPlan(name: "lists", kind: "watched", person: .key)]
            }
            let lists = WatchedSystem("lists", ["1": 1, "2": 1], .sound) { _ in }
            let old = try await fixture.engine(earlier, owner: "here:1:a")
            let new = try await fixture.engine(later, owner: "here:2:b", connectors: ["lists": lists])
            try await use(
                Place(
                    fixture: fixture, earlier: earlier, later: later, old: WorkerFixture(fixture: fixture, engine: old),
                    new: WorkerFixture(fixture: fixture, engine: new), lists: lists))
        }
    }

    @Test(
        "OP-2 OP-4 a worker with an earlier plan leaves what was accepted under a later one to a worker that has it",
        arguments: SQLDialect.allCases)
    func left(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.new.requests().request("1")
            #expect(await place.old.workers().claimed()?.isEmpty == true)
            #expect(try await place.old.engine.lookAtStanding() == .superseded, "nothing has waited for long")
            #expect(try await place.new.engine.lookAtStanding() == .newest)

            try await place.age()
            #expect(try await place.old.engine.lookAtStanding() == .outdated)
            #expect(place.old.engine.planTrouble?.code == "run.later-plan")
            #expect(try await place.new.engine.lookAtStanding() == .unserved, "it hears of the workers that leave it")
            let read = try await ErasureEngine.left(
                by: place.earlier, folder: place.fixture.folder, limit: 10, in: place.fixture.database)
            #expect(read.count == 1)

            try await place.carryOut(by: place.new)
            #expect(try await place.new.states() == ["done"])
            #expect(await place.lists.left == ["2": 1], "the system of the later plan was called")
            #expect(try await place.old.engine.lookAtStanding() == .superseded)
            #expect(try await place.new.engine.lookAtStanding() == .newest)
        }
    }

    @Test(
        "OP-2 P7 a begun erasure of a dead worker is not taken over under an earlier plan, and the command names the cause",
        arguments: SQLDialect.allCases)
    func abandoned(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.new.requests().request("1")
            #expect(await place.new.workers().claimed()?.count == 1)
            try await place.age()
            let before = try await place.fixture.rows("SELECT state, epoch, attempts FROM \(place.erasures)")
            try await Rescuer(workers: place.old.workers()).rescue()
            let resumed = try await place.old.engine.resume()
            #expect(resumed.map { $0.error?.code } == ["run.later-plan"], "\(resumed)")
            #expect(try await place.fixture.rows("SELECT state, epoch, attempts FROM \(place.erasures)") == before)
            #expect(try await place.fixture.count("people") == 2)

            try await Rescuer(workers: place.new.workers()).rescue()
            #expect(try await place.new.states() == ["done"])
            #expect(await place.lists.left == ["2": 1])
        }
    }

    @Test(
        "OP-2 an erasure that was accepted under an earlier plan, or under an unknown one, is carried out under the later",
        arguments: SQLDialect.allCases)
    func forward(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.old.requests().request("1")
            try await place.carryOut(by: place.new)
            #expect(try await place.new.states() == ["done"])
            #expect(await place.lists.left == ["2": 1])

            _ = try await place.new.requests().request("2")
            try await place.fixture.run("UPDATE \(place.erasures) SET plan_fingerprint = 'older' WHERE state = 'requested'")
            try await place.carryOut(by: place.old)
            #expect(try await place.new.states() == ["done", "done"])
        }
    }

    @Test(
        "OP-2 a plan that was changed back carries out what waits once an operator accepts it, and then counts as the newest",
        arguments: SQLDialect.allCases)
    func changedBack(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.new.requests().request("1")
            try await place.age()
            #expect(try await place.old.engine.lookAtStanding() == .outdated)
            let (folder, database, now) = (place.fixture.folder, place.fixture.database, place.fixture.clock.now)
            #expect(try await ErasureEngine.standing(of: place.earlier, folder: folder, in: database) == .outdated)
            #expect(try await ErasureEngine.makeNewest(place.earlier, folder: folder, in: database, at: now))
            #expect(try await !ErasureEngine.makeNewest(place.earlier, folder: folder, in: database, at: now), "it is by now")
            #expect(try await place.old.engine.lookAtStanding() == .newest)

            try await place.carryOut(by: place.old)
            #expect(try await place.new.states() == ["done"])
            _ = try await place.old.requests().request("2")
            #expect(await place.new.workers().claimed()?.isEmpty == true, "the other plan is the earlier one now")
            try await place.carryOut(by: place.old)
            #expect(try await place.new.states() == ["done", "done"])
            _ = try await place.old.engine.verifyAudit()
        }
    }

    @Test(
        "OP-2 a process that changes its plan back hands back what it has claimed under the later one",
        arguments: SQLDialect.allCases)
    func changedMeanwhile(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            let (process, folder) = (place.new, place.fixture.folder)
            _ = try await process.requests().request("1")
            let plan = place.laterPrint
            let claimed = try #require(await process.workers().claimed(under: plan))
            let before = process.workers().batch { _ in }
            #expect(await before.permitted(claimed, under: plan) == claimed)

            try await process.engine.adopt(place.earlier, folder: folder, connectors: [:])
            let after = process.workers().batch { _ in }
            #expect(await after.permitted(claimed, under: plan).isEmpty)
            #expect(try await place.fixture.rows("SELECT state, owner FROM \(place.erasures)") == ["fenced -"])
            try await Rescuer(workers: process.workers()).rescue()
            #expect(try await process.states() == ["fenced"])

            try await process.engine.adopt(place.later, folder: folder, connectors: ["lists": place.lists])
            try await Rescuer(workers: process.workers()).rescue()
            #expect(try await process.states() == ["done"])
        }
    }

    @Test(
        "OP-2 what is parked because of a later plan is not released under an earlier one",
        arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect) { place in
            _ = try await place.new.requests().request("1")
            #expect(await place.new.workers().claimed()?.count == 1)
            try await place.fixture.run(
                """
                UPDATE \(place.erasures) SET state = 'needs attention', cause = 'The schema.', \
                cause_code = 'run.schema-changed', owner = NULL, lease_until = NULL
                """)
            #expect(try await place.old.requests().releaseParkedByPlan() == 0)
            #expect(try await place.old.engine.lookAtStanding() == .outdated, "it is no queue that they wait in")
            #expect(try await place.new.requests().releaseParkedByPlan() == 1)
            try await Rescuer(workers: place.new.workers()).rescue()
            #expect(try await place.new.states() == ["done"])
        }
    }

    @Test(
        "OP-2 the same plan from another folder has the same place in the order, and both are accepted together",
        arguments: SQLDialect.allCases)
    func folders(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, WorkerFixture.tables) { fixture in
            let engine = try await fixture.engine(try await WorkerFixture.plan(fixture))
            let (plans, database) = (engine.control.plans, fixture.database)
            let first = LoadedPlan(fingerprint: "a", source: "one")
            let other = LoadedPlan(fingerprint: "b", source: "two")
            let again = LoadedPlan(fingerprint: "c", source: "one")
            for plan in [first, other, again] { try await plans.enter(plan, in: database) }
            func isLater(_ one: String, _ other: String) async throws -> Bool {
                try await plans.wasLoadedLater(one, than: other).run(in: database)
            }
            #expect(try await [isLater("b", "a"), isLater("b", "c")] == [true, true])
            #expect(try await [isLater("c", "a"), isLater("a", "c"), isLater("c", "b")] == [false, false, false])
            #expect(try await [isLater("b", "unknown"), isLater("unknown", "a")] == [false, false])
            _ = try await database.transaction { try await $0.pipeline(plans.renew(again)) }
            #expect(try await [isLater("a", "b"), isLater("c", "b")] == [true, true])
            #expect(try await [isLater("a", "c"), isLater("c", "a")] == [false, false])
            let place = try await plans.place(of: LoadedPlan(fingerprint: "d", source: "two")).run(in: database)
            #expect(place == PlanStore.Place(isFollowed: true, isAwaited: false), "a command from a third folder knows it")
        }
    }

    @Test(
        "OP-2 OP-4 a store of an earlier release knows the order of the plans from the erasures that have ended",
        arguments: SQLDialect.allCases)
    func seeded(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, WorkerFixture.tables) { fixture in
            let plan = try await WorkerFixture.plan(fixture)
            _ = try await fixture.engine(plan)
            let (erasures, hash) = (fixture.control("erasures"), String(repeating: "a", count: 63))
            let columns = "(id, state, requested_at, finished_at, subject_hash, plan_fingerprint, schema_fingerprint)"
            for (number, (name, day)) in [("late", "03"), ("early", "01"), ("early", "02"), ("late", "01")].enumerated() {
                let time = "'2026-01-\(day)T00:00:00.000Z'"
                try await fixture.run(
                    """
                    INSERT INTO \(erasures) \(columns) VALUES ('00000000-0000-4000-8000-00000000000\(number)', 'done', \
                    \(time), \(time), '\(hash)\(number)', '\(name)', 's')
                    """)
            }
            for table in ["loaded_plans", "stops", "compared_stops"] {
                try await fixture.run("DROP TABLE \(fixture.control(table))")
            }
            for index in ["steps_placed", "retentions_failing", "erasures_held"] {
                try await fixture.run("DROP INDEX \(fixture.control(index))")
            }
            try await fixture.run("DELETE FROM \(fixture.control("migrations")) WHERE version >= 13")
            let engine = try await fixture.engine(plan)
            let (plans, own) = (engine.control.plans, engine.prepared.planFingerprint)
            #expect(try await plans.wasLoadedLater("late", than: "early").run(in: fixture.database))
            #expect(try await plans.wasLoadedLater(own, than: "late").run(in: fixture.database))
            #expect(try await engine.lookAtStanding() == .newest)
        }
    }
}
