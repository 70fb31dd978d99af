// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Writes the statements that search one table: one that counts the values which may hold a name, and one for each
/// column with such values that reads them.
struct SearchStatements: Sendable {
    let dialect: SQLDialect
    let table: SchemaTable
    let names: [SearchedName]
    let extent: DeepScanExtent

    /// The most values of a column that are read and compared.
    static let mostValues = 10_000
    /// The most bytes of a column's values that are read.
    static let mostBytes = 33_554_432
    /// Longer values are not read.
    static let longestValue = 8_388_608

    /// Counts the rows, and for each column and way the values that may hold a name.
    func counting(_ columns: [(column: SearchedColumn, way: SearchedColumn.Way)]) -> SQLStatement {
        var build = Build()
        let sums = columns.map { column, way in
            "coalesce(sum(CASE WHEN \(condition(column, way, &build)) THEN 1 ELSE 0 END), 0)"
        }
        return build.statement("SELECT \((["count(*)"] + sums).joined(separator: ", ")) FROM \(source)")
    }

    /// The ways in which something is searched for in a column.
    func ways(of column: SearchedColumn) -> [SearchedColumn.Way] {
        column.ways.filter { way in
            switch way {
            case .text: !patterns(column).isEmpty || !digits(column).isEmpty
            case .number: !numbers(column).isEmpty
            case .bytes: !bytes(column).isEmpty
            }
        }.sorted { "\($0)" < "\($1)" }
    }

    /// Reads the values of a column that may hold a name, as text, each with what the plan's expression makes of its
    /// row.
    func reading(_ column: SearchedColumn) throws -> SQLStatement {
        var build = Build()
        var made = "NULL"
        if let expression = try column.written?.expression(in: table, dialect) {
            build = Build(after: expression.parameters)
            made = dialect.plainText(expression.text)
        }
        let value = dialect.plainText(name(column))
        let condition = condition(column, .text, &build)
        return build.statement(
            """
            SELECT v, made FROM (SELECT v, made, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (\
            SELECT CASE WHEN bytes <= \(Self.longestValue) THEN v END AS v, made, \
            CASE WHEN bytes <= \(Self.longestValue) THEN bytes ELSE 0 END AS bytes FROM (\
            SELECT \(value) AS v, \(made) AS made, \(dialect.byteLength(value)) AS bytes \
            FROM \(source) WHERE \(condition) LIMIT \(Self.mostValues)) AS held) AS short) AS summed \
            WHERE total <= \(Self.mostBytes)
            """)
    }

    /// Counts the values of a column that are a name, by value: numbers as text, bytes in hexadecimal digits.
    func grouping(_ column: SearchedColumn, _ way: SearchedColumn.Way) -> SQLStatement {
        var build = Build()
        let value = way == .bytes ? dialect.hexadecimal(name(column)) : dialect.plainText(name(column))
        let condition = condition(column, way, &build)
        return build.statement("SELECT \(value) AS v, count(*) FROM \(source) WHERE \(condition) GROUP BY 1")
    }

    // MARK: Parts

    private func name(_ column: SearchedColumn) -> String { "t.\(dialect.quoted(column.column.name))" }

    /// The table's own rows: those of tables that inherit from it are read there.
    private var source: String {
        let rows = RowStatementBuilder(dialect: dialect).rows(of: table)
        guard case .bounded(let most) = extent else { return "\(rows) AS t" }
        return "(SELECT * FROM \(rows) LIMIT \(max(most, 1))) AS t"
    }

    private func condition(_ column: SearchedColumn, _ way: SearchedColumn.Way, _ build: inout Build) -> String {
        let name = name(column)
        switch way {
        case .text:
            let text = dialect.plainText(name)
            var conditions: [String] = []
            let patterns = patterns(column)
            if !patterns.isEmpty {
                conditions.append(dialect.holds(text, anyOf: build.parameter(dialect.searchList(patterns))))
            }
            let dialled = names(in: column).compactMap(\.name.dialled).map { String(decoding: $0, as: UTF8.self) }
            if !dialled.isEmpty {
                conditions.append(
                    dialect.holdsDialled(text, anyOf: dialled.exactlyDistinct) { build.parameter($0) })
            }
            let digits = digits(column)
            if !digits.isEmpty {
                conditions.append(dialect.holdsDigits(text, anyOf: digits) { build.parameter($0) })
            }
            let condition = "(\(conditions.joined(separator: " OR ")))"
            return column.isTextByChance ? "(\(dialect.isText(name)) AND \(condition))" : condition
        case .number:
            let type = numberType(column)
            return dialect.isNumber(name, anyOf: build.parameter(dialect.numberList(numbers(column))), as: type)
        case .bytes:
            let list = build.parameter(.array(bytes(column).map(SQLValue.text)))
            let longest = bytes(column).map { $0.utf8.count / 2 }.max() ?? 0
            return dialect.isBytes(name, anyOf: list, longest: build.parameter(.integer(Int64(longest))))
        }
    }

    /// The type as which the column's numbers are compared.
    private func numberType(_ column: SearchedColumn) -> String {
        guard column.column.kind == .number else { return "bigint" }
        return ["real", "double precision"].contains(column.column.type) ? "double precision" : "numeric"
    }

    /// The names that a column may hold, each with its place in the list.
    func names(in column: SearchedColumn) -> [(place: Int, name: SearchedName)] {
        let isTyped = dialect.holdsUUIDs(column.column.kind)
        return names.enumerated().map { ($0, $1) }.filter { _, name in
            guard !(name.isKey && column.keepsKey), !isTyped || name.form == .uuid else { return false }
            guard let digits = name.digits else { return true }
            return column.shortestNumber.map { digits.utf8.count >= $0 } ?? false
        }
    }

    private func patterns(_ column: SearchedColumn) -> [String] {
        names(in: column).flatMap(\.name.patterns).exactlyDistinct
    }

    private func digits(_ column: SearchedColumn) -> [String] {
        names(in: column).compactMap(\.name.digits).map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
            .exactlyDistinct
    }

    private func numbers(_ column: SearchedColumn) -> [String] {
        guard let shortest = column.shortestNumber else { return [] }
        let numbers = names(in: column).compactMap(\.name.number).filter { $0.utf8.count >= shortest }.exactlyDistinct
        return column.column.kind == .number && dialect.hasColumnTypes ? numbers : numbers.filter { Int64($0) != nil }
    }

    private func bytes(_ column: SearchedColumn) -> [String] {
        names(in: column).flatMap(\.name.bytes).exactlyDistinct
    }

    /// Collects the parameters of a statement.
    private struct Build {
        private var values: [SQLValue]

        init(after values: [SQLValue] = []) { self.values = values }

        mutating func parameter(_ value: SQLValue) -> String {
            if let place = values.firstIndex(of: value) { return "$\(place + 1)" }
            values.append(value)
            return "$\(values.count)"
        }

        func statement(_ text: String) -> SQLStatement { SQLStatement(text, values) }
    }
}
