// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

struct ColumnExpressionTests {
    @Test(
        "an expression reads back as written",
        arguments: [
            "city", "left(postcode, 2)", "concat('customer ', \"odd \"\"name\"\"\")", "year(birth_date)", "-12",
            "coalesce(lower(a), upper(b), '')", "round(salary, -3)", "'it''s'", "length(größe)",
        ])
    func reads(_ text: String) throws {
        #expect(try ColumnExpression(parsing: text).written == text)
    }

    @Test("spaces do not matter, and function names are also accepted in capitals")
    func spaces() throws {
        let expression = try ColumnExpression(parsing: "  LEFT( city ,2 ) ")
        #expect(expression == .call(.left, [.column("city"), .integer(2)]))
    }

    @Test(
        "an expression outside the grammar is refused, with its position",
        arguments: [
            ("", 0), ("   ", 3), ("a b", 2), ("a;DROP TABLE x", 1), ("left(a)", 0), ("left(a, 2", 9), ("delete(a)", 0),
            ("'open", 0), ("a + b", 2), ("99999999999999999999", 0), ("concat()", 7), ("left(a,, 2)", 7), ("-", 0),
            ("\"open", 0), ("a--", 1), ("lower(a, b)", 0),
        ])
    func refuses(_ text: String, offset: Int) {
        let problem = #expect(throws: ColumnExpression.Malformed.self) { try ColumnExpression(parsing: text) }
        #expect(problem?.offset == offset, "\(problem?.problem ?? "")")
    }

    @Test("endless nesting is refused")
    func depth() {
        let deep = String(repeating: "lower(", count: 100_000) + "a" + String(repeating: ")", count: 100_000)
        #expect(throws: ColumnExpression.Malformed.self) { try ColumnExpression(parsing: deep) }
    }

    @Test("each column that an expression reads is named once")
    func columns() throws {
        #expect(try ColumnExpression(parsing: "concat(a, left(b, 1), a)").columns == ["a", "b"])
    }
}
