// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

/// A process that dies over the example, and how is judged what came of it.
extension ExampleJourney {
    /// Runs the crash body and returns its status and its output.
    func run(
        _ verb: String, _ subjects: [String], dieAt point: String, _ which: CrashTests.Case
    ) async throws -> (TerminationStatus, String) {
        let arguments = [
            verb, address, planPath, state, subjects.joined(separator: ","), point, "\(which.largeFrom)",
            which.isSingleTransaction ? "prompt" : "scan",
        ]
        let result = try await Subprocess.run(
            .path(FilePath(TestBinary.path("CrashBody"))), arguments: .init(arguments),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    /// Ends what a killed process left, by an engine of this process that is opened after its death. Workers, which run until they are
    /// stopped, get a process of their own; in the longer run, every rescue does.
    ///
    /// - Returns: what came of it, in words.
    func rescue(_ verb: String, _ subjects: [String], _ which: CrashTests.Case) async throws -> String {
        guard verb != "work", !KillPoints.isEachOnBoth else {
            let end = try await run(verb, subjects, dieAt: "0", which)
            #expect(end.0 == .exited(0), "\(end.1)")
            return end.1
        }
        let (database, engine) = try await openEngine()
        let outcomes: [ErasureOutcome]
        switch verb {
        case "resume": outcomes = try await engine.resume(options: which.options)
        case "reerase":
            let returned = try await engine.findReturned().certain
            outcomes = try await engine.erase(returned, options: which.options)
        default: outcomes = try await engine.erase(subjects, options: which.options)
        }
        await database.close()
        return outcomes.map { if case .done = $0 { "done" } else { "\($0)" } }.joined(separator: "\n")
    }

    /// How many rows and files will go with these people, by place.
    func preview(_ engine: ErasureEngine, _ subjects: [String]) async throws -> [String: Int] {
        var planned: [String: Int] = [:]
        for subject in subjects {
            let places = try await engine.preview(subject).places.filter { $0.count > 0 }.map { ($0.place, $0.count) }
            planned.merge(Dictionary(places) { first, _ in first }, uniquingKeysWith: +)
        }
        return planned
    }

    /// The subjects are erased, all other rows are byte for byte as before, and the receipts have the right counts. Returns the remaining
    /// rows.
    func check(
        _ engine: ErasureEngine, _ subjects: [String], _ before: [String], _ planned: [String: Int], _ comment: String
    ) async throws -> [String] {
        let after = try await rows()
        var left: [String: Int] = [:]
        for row in before { left[row, default: 0] += 1 }
        for row in after { left[row, default: 0] -= 1 }
        #expect(!left.values.contains { $0 < 0 }, "a neighbour's row was changed, \(comment)")
        var told: [String: Int] = [:]
        let remaining = after.joined(separator: "\n")
        for subject in subjects {
            let isLeft = remaining.withCString { strstr($0, subject) != nil }
            #expect(!isLeft, "the subject's key is left, \(comment)")
            let statuses = try await engine.statuses(ofSubject: subject)
            let status = try #require(statuses.first, "no erasure, \(comment)")
            #expect(status.erasure.state == .done, "\(comment)")
            #expect(statuses.count == 1, "\(comment)")
            let receipt = try await engine.openReceipt(of: status.erasure.id)
            let places = receipt.steps.flatMap(\.places).filter { $0.erased > 0 }
            told.merge(places.map { ($0.place, $0.erased) }, uniquingKeysWith: +)
            #expect(receipt.isComplete, "\(comment)")
            let photos = photos.appendingPathComponent(subject).path
            #expect(!FileManager.default.fileExists(atPath: photos), "\(comment)")
        }
        #expect(told == planned, "the receipts' counts, \(comment)")
        #expect(before.count - after.count == planned.filter { $0.key != "photos" }.values.reduce(0, +), "\(comment)")
        #expect(try await engine.verifyAudit() > 0)
        return after
    }
}
