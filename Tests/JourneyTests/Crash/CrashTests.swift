// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import Testing

@Suite("An erasure killed at any point is completed")
struct CrashTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: SamplePeople.Profile
        let dialect: SQLDialect
        /// From how many rows on an account is erased in pieces; 1: always.
        var largeFrom = 20_000
        /// How many people leave together.
        var leaving = 1
        /// Whether the end is only read back, so that PostgreSQL does everything in one transaction, and every use of
        /// the database is a point to die at; else each transition is a transaction and a point.
        var isSingleTransaction = false

        var options: ErasureOptions { ErasureOptions(largeAccount: largeFrom, deepScan: isSingleTransaction ? .none : .complete) }

        var testDescription: String {
            "\(profile) on \(dialect)\(largeFrom == 1 ? " in pieces" : "")\(leaving > 1 ? ", \(leaving) together" : "")"
        }
    }

    static let cases = [SamplePeople.Profile.coachme, .muse].flatMap { profile in
        SQLDialect.allCases.flatMap { dialect in
            [20_000, 1].map { Case(profile: profile, dialect: dialect, largeFrom: $0) }
        }
    }

    static let prompt = SQLDialect.allCases.flatMap { dialect in
        [1, 2].map { Case(profile: .coachme, dialect: dialect, leaving: $0, isSingleTransaction: true) }
    }

    /// More points than any erasure has.
    private static let most = 40

    @Test("BX-4 after a kill at every recorded transition the run ends, with each effect once and the correct receipt", arguments: cases)
    func killedEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "erase", rescuing: "resume")
        #expect(killed >= 5, "every run has more transitions than \(killed)")
    }

    @Test(
        "BX-4 F1 after a worker is killed at every recorded transition another ends the erasure: effects once, correct receipt",
        arguments: cases.filter { $0.profile == .coachme || $0.largeFrom > 1 })
    func workerKilledEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "work", rescuing: "work", asking: ask)
        #expect(killed >= 6, "every erasure has more transitions than \(killed)")
    }

    @Test(
        "BX-4 F1 after a worker is killed at every use of the database, in one transaction where possible, the next ends it, each once",
        arguments: prompt)
    func promptWorkerKilledEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "work", rescuing: "work", asking: ask)
        #expect(killed >= 14, "every erasure has more points than \(killed)")
    }

    @Test(
        "BX-4 F1 after a kill at every use of the database in one transaction, a repeat erases no subject twice: the receipt is correct",
        arguments: prompt.filter { $0.dialect == .postgresql })
    func promptKilledEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "erase", rescuing: "erase", at: Array(1...Self.most))
        #expect(killed >= 10, "every run has more points than \(killed)")
    }

    @Test(
        "F27 an erasure that kills its worker every time is parked with that reason, others of its claim continue; released it ends",
        arguments: SQLDialect.allCases)
    func poison(_ dialect: SQLDialect) async throws {
        let which = Case(profile: .coachme, dialect: dialect, isSingleTransaction: true)
        let journey = try await ExampleJourney.make(which.profile, dialect, people: 6)
        let (database, engine) = try await journey.openEngine()
        let subjects = (0..<3).map { journey.people.subjectKey(at: $0) }
        let (deadly, others) = (subjects[1], [subjects[0], subjects[2]])
        let before = try await journey.rows()
        let planned = (deadly: try await journey.preview(engine, [deadly]), others: try await journey.preview(engine, others))
        for subject in subjects { try await ask(engine, subject) }
        var deaths = 0
        while deaths < 20 {
            let end = try await journey.run("work", subjects, dieAt: deadly, which)
            if case .exited = end.0 {
                #expect(end.0 == .exited(0), "\(end.1)")
                break
            }
            deaths += 1
        }
        #expect(deaths == 10, "claimed once and taken up nine times")
        let parked = try #require(try await engine.statuses(ofSubject: deadly).first).erasure
        #expect(parked.state == .needsAttention && parked.receipt == nil)
        #expect(parked.cause?.contains("attempted 10 times, and its worker died each time") == true, "\(parked.cause ?? "")")
        let left = try await journey.check(engine, others, before, planned.others, "beside one that kills")
        try await ErasureRequests(engine).release(parked.id, by: "operator")
        let last = try await journey.run("work", [deadly], dieAt: "0", which)
        #expect(last.0 == .exited(0), "\(last.1)")
        _ = try await journey.check(engine, [deadly], left, planned.deadly, "let go on")
        await database.close()
        await journey.remove()
    }

    private func ask(_ engine: ErasureEngine, _ subject: String) async throws {
        let asked = try await ErasureRequests(engine, rules: ServiceRules(secondLook: 0)).request(subject)
        #expect(asked.erasure.state == .requested)
    }

    /// Kills a process at the first of the points, another one at the next, and so on until one completes. Each time another process
    /// completes the erasure, and everything is checked.
    ///
    /// - Parameter points: `nil`: those of `KillPoints`.
    /// - Returns: the last point before the end.
    private func killEverywhere(
        _ which: Case, _ verb: String, rescuing: String, at points: [Int]? = nil,
        asking: (ErasureEngine, _ subject: String) async throws -> Void = { _, _ in }
    ) async throws -> Int {
        // Both examples take the same steps; one of them has no workers that erase it as a whole.
        let isShared = !which.isSingleTransaction && (verb == "erase" || which.largeFrom == 1)
        let points =
            points
            ?? KillPoints.of(
                which.dialect, most: Self.most, example: isShared && which.profile == .muse ? 1 : 0, examples: isShared ? 2 : 1)
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: points.count * which.leaving)
        let (database, engine) = try await journey.openEngine()
        var (killed, ended) = (Self.most, 0)
        var before = try await journey.rows()
        for (turn, point) in points.enumerated() {
            let first = turn * which.leaving
            ended += which.leaving
            let subjects = (first..<first + which.leaving).map { journey.people.subjectKey(at: $0) }
            let planned = try await journey.preview(engine, subjects)
            for subject in subjects { try await asking(engine, subject) }
            let end = try await journey.run(verb, subjects, dieAt: "\(point)", which)
            if case .exited = end.0 {
                #expect(end.0 == .exited(0), "\(end.1)")
                _ = try await journey.check(engine, subjects, before, planned, "uninterrupted at \(point): \(end.1)")
                killed = point - 1
                break
            }
            let outcome = try await journey.rescue(rescuing, subjects, which)
            before = try await journey.check(engine, subjects, before, planned, "killed after \(point): \(outcome)")
        }
        #expect(killed < Self.most, "no process lived to its end")
        #expect(try await engine.statuses(limit: 2 * ended).count == ended)
        let ledger = which.dialect == .postgresql ? "farewell.ledger" : "farewell_ledger"
        let entries = try await database.withConnection { try await $0.run("SELECT count(*) FROM \(ledger)").scalar?.integer }
        #expect(entries == Int64(ended), "one entry for each")
        await database.close()
        await journey.remove()
        return killed
    }
}
