// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import PlanCorpus
import TestFixtures
import Testing

/// Schemas with the character of real ones. The owner of each row, and the subject of each cell, is recorded before any row is written,
/// from the schema author's statements; the record judges, in SQL of its own.
@Suite("The corpus of schemas")
struct CorpusTests {
    @Test("PL-7 the corpus has at least twelve schemas of ten tables or more, and a database matches its record")
    func recorded() async throws {
        #expect(CorpusSchema.written.count >= 12)
        for which in CorpusFixture.cases {
            #expect(which.schema.tables.count >= 10, "\(which.schema)")
            try await CorpusFixture.with(which) { fixture in
                let found = try await fixture.everything()
                let expected = fixture.record.expected()
                for table in which.schema.tables {
                    #expect(found[table.name] == expected[table.name], "\(which.testDescription), \(table.name)")
                    let owners = fixture.record.rows[table.name]?.reduce(into: Set<Int>()) { $0.formUnion($1.owners) } ?? []
                    #expect(
                        !table.leads.contains(where: \.owns) || owners.isSuperset(of: [1, 2, 3]),
                        "the subjects have rows in \(table.name) of \(which.testDescription)")
                }
            }
        }
    }

    @Test("PL-1 an unedited draft changes only rows of the subject", arguments: CorpusFixture.allCases)
    func unedited(_ which: CorpusFixture.Case) async throws {
        try await CorpusFixture.with(which) { fixture in
            let live = try await fixture.live
            let draft = try fixture.draft(live)
            let right = fixture.author.completed(fixture.author.answered(draft), live)
            let checked = try await fixture.engines.engine(right)
            // No run starts while a question is open; and even without that check no other subject would lose anything.
            let errors = PlanCheck.findings(draft, live).filter { $0.severity == .error }
            #expect(!errors.isEmpty || draft.questions.isEmpty, "a draft with open questions passes its check")
            guard let engine = try? await fixture.uncheckedEngine(draft, beside: checked) else { return }
            for person in 1...3 {
                _ = try? await engine.erase([fixture.record.key(person)], options: ErasureOptions(residue: .leave))
                let strange = fixture.record.strange(in: try await fixture.everything(), without: Set(1...person))
                #expect(strange == [], "after person \(person)")
                if !strange.isEmpty { break }
            }
        }
    }

    @Test(
        "PL-1 PL-2 PL-3 after the author's answers an erasure deletes the subject's rows and names, and changes no other cell",
        arguments: CorpusFixture.allCases)
    func answered(_ which: CorpusFixture.Case) async throws {
        try await CorpusFixture.with(which) { fixture in
            let schema = try await fixture.live
            let plan = fixture.author.completed(fixture.author.answered(try fixture.draft(schema)), schema)
            let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(errors.map { "\($0.code.rawValue) \($0.place): \($0.message)" } == [])
            let engine = try await fixture.engines.engine(plan)
            for person in 1...3 {
                let large = person == 2 ? 1 : 20_000
                let outcome = try await engine.erase(
                    [fixture.record.key(person)], options: ErasureOptions(largeAccount: large, residue: .leave))
                #expect(outcome.map(\.word) == ["done"], "person \(person): \(outcome)")
                let found = try await fixture.everything()
                let expected = fixture.record.expected(without: Set(1...person))
                for table in which.schema.tables.map(\.name) where found[table] != expected[table] {
                    Issue.record("person \(person), \(table): \(Self.difference(expected[table] ?? [], found[table] ?? []))")
                }
                let mark = CorpusRecord.mark(person)
                let left = found.filter { $0.value.contains { $0.contains(mark) } }.keys.sorted()
                #expect(left == [], "nothing of person \(person) remains")
            }
        }
    }

    private static func difference(_ expected: [String], _ found: [String]) -> String {
        func shown(_ rows: [String]) -> String {
            rows.prefix(4).map { $0.replacing("\u{1f}", with: " | ") }.joined(separator: "\n  ")
        }
        let missing = expected.filter { !found.contains($0) }
        let surplus = found.filter { !expected.contains($0) }
        return "\(missing.count) rows missing\n  \(shown(missing))\n\(surplus.count) rows too many\n  \(shown(surplus))"
    }
}
