// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import FarewellSample
import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("An erasure killed anywhere comes to its end", .serialized)
struct CrashTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: SamplePeople.Profile
        let dialect: SQLDialect
        /// From how many rows on an account is erased in pieces; 1: always.
        let largeFrom: Int
        var testDescription: String { "\(profile) on \(dialect)\(largeFrom == 1 ? " in pieces" : "")" }
    }

    static let cases = [SamplePeople.Profile.coachme, .muse].flatMap { profile in
        SQLDialect.allCases.flatMap { dialect in
            [20_000, 1].map { Case(profile: profile, dialect: dialect, largeFrom: $0) }
        }
    }

    @Test("BX-4 killed after every recorded transition, the run ends, effects once, receipt right", arguments: cases)
    func killedEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "erase", rescuing: "resume")
        #expect(killed >= 5, "every run has more transitions than \(killed)")
    }

    @Test(
        "BX-4 F1 a worker killed after every recorded transition: another one ends the erasure, effects once, receipt right",
        arguments: cases.filter { $0.profile == .coachme || $0.largeFrom > 1 })
    func workerKilledEverywhere(_ which: Case) async throws {
        let killed = try await killEverywhere(which, "work", rescuing: "work") { engine, subject in
            let asked = try await ErasureDesk(engine, rules: ServiceRules(secondLook: 0)).request(subject)
            #expect(asked.erasure.state == .requested)
        }
        #expect(killed >= 6, "every erasure has more transitions than \(killed)")
    }

    /// Kills a process after its first recorded transition, the next one after its second, and so on until one lives
    /// to its end. Each time another process brings the erasure to its end, and everything is looked at.
    ///
    /// - Returns: how many were killed.
    private func killEverywhere(
        _ which: Case, _ verb: String, rescuing: String,
        asking: (ErasureEngine, _ subject: String) async throws -> Void = { _, _ in }
    ) async throws -> Int {
        let journey = try await ExampleJourney.make(which.profile, which.dialect, people: 50)
        let (database, engine) = try await journey.openEngine()
        var killed = 50
        var before = try await journey.rows()
        for point in 1...50 {
            let subject = journey.people.subjectKey(at: (point - 1) % journey.people.people)
            let planned = try await preview(engine, subject)
            try await asking(engine, subject)
            let first = try await journey.run(verb, subject: subject, dieAfter: point, largeFrom: which.largeFrom)
            if case .exited = first.0 {
                #expect(first.0 == .exited(0), "\(first.1)")
                _ = try await check(journey, engine, subject, before, planned, "uninterrupted at \(point): \(first.1)")
                killed = point - 1
                break
            }
            let second = try await journey.run(rescuing, subject: subject, dieAfter: 0, largeFrom: which.largeFrom)
            #expect(second.0 == .exited(0), "after \(point): \(second.1)")
            before = try await check(
                journey, engine, subject, before, planned, "killed after \(point): \(second.1)")
        }
        await database.close()
        await journey.remove()
        return killed
    }

    private func preview(_ engine: ErasureEngine, _ subject: String) async throws -> [String: Int] {
        let preview = try await engine.preview(subject)
        return Dictionary(preview.places.filter { $0.count > 0 }.map { ($0.place, $0.count) }) { first, _ in first }
    }

    /// The person is gone, everybody else's rows are byte for byte as before, and the receipt tells what went.
    /// Answers the rows that are left.
    private func check(
        _ journey: ExampleJourney, _ engine: ErasureEngine, _ subject: String, _ before: [String],
        _ planned: [String: Int], _ comment: String
    ) async throws -> [String] {
        let after = try await journey.rows()
        var left: [String: Int] = [:]
        for row in before { left[row, default: 0] += 1 }
        for row in after { left[row, default: 0] -= 1 }
        #expect(!left.values.contains { $0 < 0 }, "a neighbour's row was changed, \(comment)")
        #expect(!after.contains { $0.contains(subject) }, "the subject's key is left, \(comment)")
        let status = try #require(try await engine.statuses(ofSubject: subject).first, "no erasure, \(comment)")
        #expect(status.erasure.state == .done, "\(comment)")
        #expect(try await engine.statuses(ofSubject: subject).count == 1, "\(comment)")
        let receipt = try await engine.openReceipt(of: status.erasure.id)
        let told = Dictionary(
            receipt.steps.flatMap(\.places).filter { $0.erased > 0 }.map { ($0.place, $0.erased) }, uniquingKeysWith: +)
        #expect(told == planned, "the receipt's counts, \(comment)")
        #expect(before.count - after.count == planned.filter { $0.key != "photos" }.values.reduce(0, +), "\(comment)")
        #expect(receipt.isComplete, "\(comment)")
        #expect(try await engine.verifyAudit() > 0)
        #expect(
            !FileManager.default.fileExists(atPath: journey.photos.appendingPathComponent(subject).path), "\(comment)")
        return after
    }
}

extension ExampleJourney {
    /// Runs the crash body and tells how it ended and what it printed.
    func run(_ verb: String, subject: String, dieAfter: Int, largeFrom: Int) async throws -> (TerminationStatus, String) {
        let result = try await Subprocess.run(
            .path(FilePath(TestBinary.path("CrashBody"))),
            arguments: [verb, address, planPath, state, subject, "\(dieAfter)", "\(largeFrom)"],
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }
}
