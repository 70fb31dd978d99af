// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// `{expression: text}`: the value is replaced by what an expression makes of the row's own columns.
struct ExpressionColumnRule: ColumnRuleKind {
    static let word = "expression"
    static let meaning = "The column gets a value that an expression computes from columns of the same row."
    static let example = "{expression: \"left(postcode, 2)\"}"
    static let isMadeOfOld = true
    static let mayRepeat = true
    static let schema = [
        #""description": "A value computed from columns of the row, such as left(postcode, 2).","#,
        #""type": ["string", "number"],"#,
        #""examples": ["left(postcode, 2)", "year(birth_date)", "concat('customer ', id)"]"#,
    ]

    let expression: ColumnExpression
    var computation: ColumnExpression? { expression }

    static func read(_ value: Node, _ nodes: inout PlanNodes) -> ColumnRule? {
        guard let text = nodes.text(value, "The expression") else { return nil }
        do {
            return .expression(try ColumnExpression(parsing: text))
        } catch {
            let isQuoted = value.scalar?.style != .plain
            let place = value.mark?.column ?? 1
            nodes.problems.append(
                PlanProblem(
                    value.mark?.line ?? 1, place + error.offset + (isQuoted ? 1 : 0),
                    "The expression is malformed: \(error.problem)."))
            return nil
        }
    }

    var written: String { "{expression: \(YAMLScalar.quoted(expression.written))}" }

    /// The plan's author is responsible for the expression's value; the database checks that it refers to an existing
    /// row.
    func movesKey(_ column: String) -> Bool { !expression.reads(column) }

    func findings(_ place: ColumnPlace) -> [Finding] {
        let fit = ExpressionFit(table: place.table, dialect: place.dialect, hints: place.hints)
        return fit.problems(expression, into: place.column).map {
            place.finding("column.expression-unfit", "The expression does not fit: \($0).", ColumnPlace.correct)
        }
    }

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? { assignment.cast(try assignment.value(expression, &build), column) }

    func computed(_ assignment: ColumnAssignment, _ build: inout RowStatementBuilder) throws -> String? {
        try assignment.value(expression, &build)
    }
}

extension ColumnExpression {
    fileprivate func reads(_ column: String) -> Bool {
        switch self {
        case .column(let name): name == column
        case .text, .integer: false
        case .call(_, let arguments): arguments.contains { $0.reads(column) }
        }
    }
}
