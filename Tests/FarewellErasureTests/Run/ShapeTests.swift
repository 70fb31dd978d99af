// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Schemas of every shape: one subject is erased, and the rest is exactly what a second database would hold that never knew the subject.
@Suite("Schemas of every shape")
struct ShapeTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var dialects = SQLDialect.allCases
        let tables: String
        /// A key to a table that comes later, at `{late}`: `(table, column, the table and column it refers to)`.
        var late: (table: String, column: String, target: String)?
        /// Other subjects' rows.
        let others: String
        /// The person's rows; each statement adds one.
        let person: String
        var subject = "1"
        var root = ("people", "id")
        var edit: @Sendable (inout Plan) -> Void = { _ in }

        /// SQLite accepts a key to a table that does not exist yet; PostgreSQL needs it afterwards.
        func script(_ dialect: SQLDialect) -> String {
            guard let late else { return tables + others }
            if dialect == .sqlite { return tables.replacing("{late}", with: "REFERENCES \(late.target)") + others }
            return tables.replacing("{late}", with: "")
                + "ALTER TABLE \(late.table) ADD FOREIGN KEY (\(late.column)) REFERENCES \(late.target);" + others
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let shape: Shape
        let dialect: SQLDialect
        /// From how many rows on an account is erased in pieces.
        let large: Int
        var testDescription: String { "\(shape.testDescription), \(dialect)\(large == 1 ? ", in pieces" : "")" }
    }

    /// Each shape on each database, and in pieces on one of them, in turn: the pieces are the engine's, on both databases.
    static let cases = Shape.all.enumerated().flatMap { index, shape in
        shape.dialects.enumerated().flatMap { turn, dialect in
            let isInPieces = shape.dialects.count == 1 || (index + turn).isMultiple(of: 2)
            return (isInPieces ? [20_000, 1] : [20_000]).map { Case(shape: shape, dialect: dialect, large: $0) }
        }
    }

    @Test("BX-1 BX-2 BX-3 an erasure deletes the subject's rows as previewed, and every other user's rows stay", arguments: cases)
    func goes(_ which: Case) async throws {
        let shape = which.shape
        try await EngineFixture.with(which.dialect, shape.script(which.dialect)) { fixture in
            let before = try await fixture.everything()
            try await fixture.run(shape.person)
            let plan = try await fixture.plan(shape.root.0, key: shape.root.1, shape.edit)
            let engine = try await fixture.engine(plan)
            let full = try await fixture.everything()
            let preview = try await engine.preview(shape.subject)
            #expect(try await fixture.everything() == full, "a preview writes nothing")
            #expect(preview.blockers.isEmpty)
            let outcome = try #require(
                try await engine.erase([shape.subject], options: ErasureOptions(largeAccount: which.large)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(try await fixture.everything() == before)
            let gone = full.mapValues(\.count).merging(before.mapValues(\.count)) { $0 - $1 }.filter { $0.value > 0 }
            let told = Dictionary(
                receipt.steps.flatMap(\.places).filter { $0.erased > 0 }.map { ($0.place, $0.erased) },
                uniquingKeysWith: +)
            let views = Set(
                try await Schema.read(from: fixture.database).tables.filter { $0.kind == .partition }.map { "\($0.name)" }
            )
            #expect(told == gone.filter { !views.contains($0.key) })
            #expect(preview.places.reduce(into: [:]) { if $1.count > 0 { $0[$1.place] = $1.count } } == told)
            #expect(receipt.verification.readBack.rowsLeft == 0)
            #expect(try await engine.erase([shape.subject]).map(\.word) == ["unknown"], "a second time")
        }
    }
}
