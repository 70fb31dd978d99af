// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellSQL
import Testing

@Suite("Statements of several parts that travel together")
struct StatementPartsTests {
    private static func query(_ text: String) -> StoreQuery<Int64?> {
        StoreQuery(SQLStatement(text)) { $0.scalar?.integer }
    }

    private static func results(_ values: Int64...) -> [SQLResult] {
        values.map { SQLResult(columns: ["a"], rows: [[.integer($0)]]) }
    }

    @Test("each part reads its own answers, wherever its statements stand")
    func places() throws {
        var sent = StatementParts()
        _ = sent.add([SQLStatement("BEGIN"), SQLStatement("SELECT 1")])
        let one = sent.add(Self.query("SELECT 2"))
        let none = sent.add([])
        let two = sent.add(StoreQueries(Self.query("SELECT 3"), Self.query("SELECT 4")) { [$0, $1] })
        let last = sent.add([SQLStatement("COMMIT")])
        #expect(sent.statements.map(\.text) == ["BEGIN", "SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4", "COMMIT"])
        let results = Self.results(0, 1, 2, 3, 4, 5)
        #expect(try one.answer(in: results) == 2)
        #expect(try two.answer(in: results) == [3, 4])
        #expect(none.answers(in: results).isEmpty)
        #expect(last.answers(in: results).map { $0.scalar?.integer } == [5])
        // The first of two pipelines has answered.
        let first = Array(results.prefix(3))
        #expect(try one.answer(in: first) == 2)
        #expect(last.answers(in: first).isEmpty)
        #expect(throws: FarewellError.self) { try two.answer(in: first) }
    }

    @Test("several queries of a store have one answer, which can be read as another value")
    func answer() throws {
        let sum = StoreQueries(Self.query("SELECT 1"), Self.query("SELECT 2")) { ($0 ?? 0) + ($1 ?? 0) }
        #expect(try sum.answer(Self.results(3, 4)[...]) == 7)
        let words = sum.map { "\($0) rows" }
        #expect(try words.answer(Self.results(3, 4)[...]) == "7 rows")
        let one = StoreQueries(Self.query("SELECT 1"))
        #expect(try one.answer(Self.results(3)[...]) == 3)
        #expect(throws: FarewellError.self) { try sum.answer(Self.results(3)[...]) }
        #expect(throws: FarewellError.self) { try sum.answer([]) }
    }
}
