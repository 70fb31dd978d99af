// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// `{constant: text}`: every row gets the same text.
struct ConstantColumnRule: ColumnRuleKind {
    static let word = "constant"
    static let meaning = "The column gets the same value in every row. The database casts it to the column's type."
    static let example = "{constant: \"removed\"}"
    static let mayRepeat = true
    static let schema = [
        #""description": "The same value for every subject.","#, #""type": ["string", "number", "boolean"],"#,
        #""examples": ["removed", "", 0]"#,
    ]

    let text: String

    static func read(_ value: Node, _ nodes: inout PlanNodes) -> ColumnRule? {
        guard value.scalar?.style != .plain || value.scalar?.string != "null" else {
            nodes.report(value, "Write `null` as the rule itself, or the text \"null\" between quotes.")
            return nil
        }
        return nodes.text(value, "The constant").map { .constant($0) }
    }

    var written: String { "{constant: \(YAMLScalar.quoted(text))}" }
    var constantText: String? { text }
    func movesKey(_ column: String) -> Bool { true }

    func findings(_ place: ColumnPlace) -> [Finding] {
        let collision = place.collision
        let found = [collision].compactMap(\.self)
        guard collision?.severity != .error, let problem = ConstantFit.problem(text, place.column) else { return found }
        let remedy = place.column.labels.map { "Use one of its labels\(ColumnPlace.list($0))." } ?? ColumnPlace.correct
        return found + [
            place.finding("column.constant-unfit", "The constant does not fit \(place.type): \(problem).", remedy)
        ]
    }

    func value(
        for column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) throws -> String? { assignment.constant(text, column, &build) }

    func violation(
        of target: String, _ column: SchemaColumn, _ assignment: ColumnAssignment, _ build: inout RowStatementBuilder
    ) -> String? {
        let value = column.compared(assignment.constant(text, column, &build))
        return "\(column.compared(target)) \(assignment.dialect.differs) \(value)"
    }

    func settled(in column: SchemaColumn, _ dialect: SQLDialect) -> ConstantProbe.Settled? {
        ConstantFit.problem(text, column) == nil ? ConstantProbe.Settled(column: column, constant: text) : nil
    }
}
