// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Seconds depend on the machine's other work. A large schema is slow where the work grows faster than the schema: the text of
/// statements, the queries in one list.
@Suite("Schemas of very many tables")
struct LargeSchemaTests {
    /// Statements write each way from a table to a user at most once, so they grow with the tables.
    @Test("PL-8 twice as many tables make statements about twice as long, whatever links the tables have", arguments: ManyTables.allCases)
    func sizes(_ shape: ManyTables) async throws {
        for dialect in SQLDialect.allCases {
            let (few, many) = (try await size(shape, 60, dialect), try await size(shape, 120, dialect))
            #expect(many.all < few.all * 13 / 5, "\(dialect): \(few) bytes, then \(many)")
            #expect(many.longest < few.longest * 13 / 5, "\(dialect): \(few) bytes, then \(many)")
            #expect(many.longest < 120 * 4_000, "\(dialect): \(many) bytes")
        }
    }

    private func size(_ shape: ManyTables, _ count: Int, _ dialect: SQLDialect) async throws -> (all: Int, longest: Int) {
        var sizes: [Int] = []
        try await EngineFixture.with(dialect, shape.script(count)) { fixture in
            let graph = try RowGraph(plan: try await fixture.plan(), schema: try await Schema.read(from: fixture.database))
            let program = try RowProgram(graph: graph.aboutOne)
            if dialect == .postgresql, shape == .chains {
                // More than a hundred selections: PostgreSQL would read the whole statement for each of them.
                #expect(program.counts.text.contains(" AS MATERIALIZED (") == (count > 100))
            }
            let effects = [program.rows, program.everything, program.stepwise, program.identity]
            let statements =
                [program.counts, program.readBack, program.readBackByKeys, program.presence] + program.captures.map(\.statement)
                + effects.joined().flatMap(\.statements)
            sizes = statements.map(\.text.utf8.count)
        }
        return (sizes.reduce(0, +), sizes.max() ?? 0)
    }

    @Test(
        "PL-8 SCH-10 a user with rows in hundreds of tables is previewed and erased, and no other user changes",
        arguments: SQLDialect.allCases, [ManyTables.flat, .chains])
    func erased(_ dialect: SQLDialect, _ shape: ManyTables) async throws {
        try await EngineFixture.with(dialect, shape.script(shape == .flat ? 600 : 150)) { fixture in
            let count = shape == .flat ? 601 : 151
            let engine = try await fixture.engine(try await fixture.plan())
            let preview = try await engine.preview("1")
            #expect(preview.erased == count && preview.blockers.isEmpty, "\(preview.erased)")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.isComplete && receipt.totals.erased == count, "\(receipt.totals)")
            let left = try await fixture.everything().mapValues(\.count)
            #expect(left.count >= count && left.values.allSatisfy { $0 == 1 })
        }
    }
}
