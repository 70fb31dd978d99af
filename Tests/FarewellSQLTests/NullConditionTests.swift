// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Testing

struct NullConditionTests {
    private static func refusal(
        _ condition: String, _ columns: [String] = ["a", "b"], of emptied: Set<String> = ["a"], filled: Set<String> = []
    ) -> NullCondition.Refusal? {
        NullCondition(SchemaCheck(name: "check", condition: condition, columns: columns))?
            .refusal(of: emptied, filled: filled)
    }

    @Test(
        "SQL-21 a check that exactly one of two columns has a value always refuses null in that one, however it is written",
        arguments: [
            "((a IS NOT NULL) <> (b IS NOT NULL))", "(num_nonnulls(a, b) = 1)", "(a IS NULL) = (b NOTNULL)",
            "((((a IS NOT NULL))::integer + ((b IS NOT NULL))::integer) = 1)", "(a IS NOT NULL) + (b IS NOT NULL) = 1",
            "(((a IS NULL) AND (b IS NOT NULL)) OR ((a IS NOT NULL) AND (b IS NULL)))", "(NOT ((a IS NULL) = (b IS NULL)))",
            "((\nCASE\n    WHEN (a IS NULL) THEN 0\n    ELSE 1\nEND +\nCASE\n    WHEN (b IS NULL) THEN 0\n    ELSE 1\nEND) = 1)",
            "((a IS NULL) IS DISTINCT FROM (b IS NULL))", "num_nulls(\"a\", b) = 1", "(num_nonnulls(a, b) = ANY (ARRAY[1]))",
            "cast(a IS NOT NULL AS integer) + iif(b IS NULL, 0, 1) IN (1)", "((a IS NULL) OR (b IS NULL)) AND (COALESCE(a, b) IS NOT NULL)",
        ])
    func exclusive(_ condition: String) {
        #expect(Self.refusal(condition) == .always)
        #expect(Self.refusal(condition, of: ["b"]) == .always)
    }

    @Test("SQL-21 a check about null refuses it in some rows, or in none, as the other columns allow")
    func others() {
        #expect(Self.refusal("(a IS NOT NULL) OR (b IS NOT NULL)") == .sometimes)
        #expect(Self.refusal("(a IS NOT NULL) OR (b IS NOT NULL)", filled: ["b"]) == .never)
        #expect(Self.refusal("num_nonnulls(a, b) <= 1") == .never)
        #expect(Self.refusal("(a IS NULL) = (b IS NULL)") == .always)
        #expect(Self.refusal("(a IS NULL) = (b IS NULL)", of: ["a", "b"]) == .never)
        #expect(Self.refusal("num_nonnulls(a, b) > 1", filled: ["b"]) == .always)
        #expect(Self.refusal("a IS NULL") == nil, "no row has a value there")
    }

    @Test("SQL-21 a domain's condition is about the value of its column")
    func domain() {
        let domain = SchemaCheck(name: "filled", condition: "(VALUE IS NOT NULL)", columns: ["a"], isOfDomain: true)
        #expect(NullCondition(domain)?.refusal(of: ["a"], filled: []) == .always)
        let other = SchemaCheck(name: "positive", condition: "(VALUE > 0)", columns: ["a"], isOfDomain: true)
        #expect(NullCondition(other) == nil)
    }

    private static func table(_ condition: String) -> SchemaTable {
        var table = SchemaTable(name: TableName("t"), kind: .table, columns: [])
        table.columns = ["a", "b", "kind"].map { SchemaColumn(name: $0, type: "text", kind: .text) }
        table.checks = [SchemaCheck(name: "check", condition: condition, columns: ["a", "b", "kind"])]
        return table
    }

    @Test("SQL-21 what a check demands beside other conditions refuses null as well")
    func parts() {
        let refusing = [
            "((a IS NOT NULL) AND (a > 0))", "a IS NOT NULL AND length(b) > 2 AND kind IN ('x')",
            "((kind = 'x') AND ((num_nonnulls(a, b) = 1) AND (b > 0)))",
        ]
        for condition in refusing { #expect(Self.table(condition).checkRefusingNull(in: ["a"]) != nil, "\(condition)") }
        let others = [
            "(a IS NOT NULL) OR (a > 0)", "a > 0 AND b > 0", "b BETWEEN 1 AND 2 OR a IS NOT NULL", "(a IS NULL) AND (b > 0)",
            "CASE WHEN b > 0 AND a IS NOT NULL THEN 1 ELSE 2 END = 1", "((kind = 'x' OR b > 1) OR a IS NOT NULL)",
            "(a IS NOT NULL AND (b > 0", "kind = 'and' OR a IS NOT NULL AND b > 0",
        ]
        for condition in others { #expect(!Self.table(condition).alwaysRefusesNull(in: ["a"]), "\(condition)") }
        #expect(!Self.table("num_nonnulls(a, b) = 1 AND kind > 'a'").mayHaveBoth("a", "b"))
        #expect(Self.table("num_nonnulls(a, b) >= 1 AND kind > 'a'").mayHaveBoth("a", "b"))
        #expect(Self.table("a > b").mayHaveBoth("a", "b"))
    }

    @Test("a check of twenty columns is read as well")
    func many() {
        let columns = (0..<20).map { "c\($0)" }
        let one = "num_nonnulls(\(columns.joined(separator: ", "))) = 1"
        #expect(Self.refusal(one, columns, of: ["c7"]) == .always)
        #expect(Self.refusal(one.replacing("= 1", with: ">= 1"), columns, of: ["c7"]) == .sometimes)
    }

    @Test(
        "a check about more than null is not judged",
        arguments: [
            "a > 0", "(a IS NULL) OR (b > 0)", "kind = 'x' AND num_nonnulls(a, b) = 1", "coalesce(a, b) = 1", "a", "",
            "(a IS NOT NULL", "CASE WHEN a IS NULL THEN 0 END = 0", "other IS NULL", "(a IS NULL) = NULL",
            String(repeating: "(", count: 5_000), "t.a IS NULL",
        ])
    func unread(_ condition: String) {
        #expect(Self.refusal(condition) == nil)
    }
}
