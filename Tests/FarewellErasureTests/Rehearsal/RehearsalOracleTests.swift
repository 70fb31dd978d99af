// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The real run is the oracle: a rehearsal that fits is an erasure that completes, and one that does not is an erasure that parks without a
/// change. A dump before and after shows the changes that a rehearsal reports.
@Suite("A rehearsal predicts the result of the run")
struct RehearsalOracleTests {
    private static let count = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_HAZARDS"].flatMap(Int.init) ?? 25
    private static let first = ProcessInfo.processInfo.environment["FAREWELL_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

    @Test(
        "PL-4 PL-5 in random schemas a rehearsal succeeds where the run succeeds, and is refused where the run parks",
        arguments: SQLDialect.allCases)
    func predicts(_ dialect: SQLDialect) async throws {
        var fitting = 0
        for offset in 0..<Self.count {
            let fits = try await compare(HazardDatabase(seed: Self.first + UInt64(offset)), dialect)
            fitting += fits ? 1 : 0
        }
        #expect(fitting > 0 && fitting < Self.count, "both endings are met: \(fitting) of \(Self.count) fit")
    }

    private func compare(_ hazards: HazardDatabase, _ dialect: SQLDialect) async throws -> Bool {
        var fits = false
        try await EngineFixture.with(dialect, "SELECT 1") { fixture in
            try await fixture.database.withConnection { connection in
                for statement in hazards.script(dialect, schema: "house") {
                    try await connection.run(SQLStatement(statement))
                }
            }
            let words = "\(dialect), seed \(hazards.seed), \(hazards.hazards.map(\.rawValue).sorted())"
            let engine = try await fixture.guardedEngine(hazards.plan(dialect, schema: "house"))
            let before = try await fixture.database.withConnection { try await hazards.dump($0, schema: "house") }
            let rehearsal = try #require(try await engine.rehearse(["2"]).first)
            let between = try await fixture.database.withConnection { try await hazards.dump($0, schema: "house") }
            #expect(between == before, "a rehearsal changes nothing: \(words)")
            let options = ErasureOptions(largeAccount: hazards.seed.isMultiple(of: 5) ? 1 : 20_000, residue: .leave)
            let outcome = try #require(try await engine.erase(["2"], options: options).first)
            let after = try await fixture.database.withConnection { try await hazards.dump($0, schema: "house") }
            #expect((outcome.word == "done") == rehearsal.fits, "\(words): \(rehearsal), \(outcome)")
            fits = rehearsal.fits
            let changes = RehearsalTests.changes(rehearsal)
            if fits {
                for (table, rows) in before {
                    let change = changes[table] ?? [0, 0, 0]
                    let left = after[table] ?? []
                    #expect(left.count - rows.count == change[0] - change[2], "\(words), \(table): \(change)")
                    if change == [0, 0, 0] { #expect(left == rows, "\(words), \(table)") }
                    if change[1] == 0, change[0] == 0 { #expect(Set(left).isSubset(of: rows), "\(words), \(table)") }
                }
            } else if options.largeAccount > 1 {
                #expect(after == before, "a run that parks has changed nothing: \(words), \(outcome)")
            } else {
                #expect(after["people"] == before["people"], "identity last: \(words), \(outcome)")
            }
            if let refusal = rehearsal.refusals.first, outcome.word == "parked", options.largeAccount > 1 {
                let cause = outcome.cause ?? ""
                let isSame = refusal.name.map(cause.contains) ?? true || cause.contains("trigger") || dialect == .sqlite
                #expect(isSame, "\(words): \(refusal), \(cause)")
            }
        }
        return fits
    }
}
