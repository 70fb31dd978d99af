// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Citus changes rows of other servers by functions only whose answer depends on nothing but their arguments
/// (`IMMUTABLE`): the servers' settings could differ.
extension ColumnAssignment {
    /// Whether other servers hold the rows.
    var isDistributed: Bool { table.citus?.isDistributed == true }

    /// The bytes of a text in the database's own encoding: `convert_to` asks a setting.
    static func bytes(of value: String) -> String { "replace(\(value)::text, '\\', '\\\\')::bytea" }

    /// A call without functions that depend on a setting.
    func call(_ function: ColumnExpression.Function, _ arguments: [ColumnExpression], _ values: [String]) -> String {
        switch function {
        case .concat: "(" + values.map { "coalesce(\($0)::text, '')" }.joined(separator: " || ") + ")"
        case .year where isInstant(arguments.first): "extract(year FROM \(values[0]) AT TIME ZONE 'UTC')::integer"
        case .year where isDay(arguments.first): "extract(year FROM \(values[0]))::integer"
        default: dialect.call(function, values)
        }
    }

    /// Whether an expression can be evaluated on other servers.
    func isSettled(_ expression: ColumnExpression) -> Bool {
        guard case .call(let function, let arguments) = expression else { return true }
        guard arguments.allSatisfy(isSettled) else { return false }
        switch function {
        case .year: return isInstant(arguments.first) || isDay(arguments.first)
        case .concat, .left, .lower, .upper, .length: return arguments.allSatisfy(isWrittenInOneWay)
        case .coalesce, .round: return true
        }
    }

    private func column(_ expression: ColumnExpression?) -> SchemaColumn? {
        guard case .column(let name)? = expression else { return nil }
        return table[name]
    }

    private func isInstant(_ expression: ColumnExpression?) -> Bool {
        column(expression)?.type.hasSuffix("with time zone") == true
    }

    private func isDay(_ expression: ColumnExpression?) -> Bool {
        guard let type = column(expression)?.type else { return false }
        return type == "date" || type.hasSuffix("without time zone")
    }

    /// Whether a value becomes the same text under all settings.
    private func isWrittenInOneWay(_ expression: ColumnExpression) -> Bool {
        guard let column = column(expression) else { return true }
        let kinds: Set<SchemaColumn.Kind> = [.text, .uuid, .integer, .number, .boolean, .json]
        return column.labels == nil && kinds.contains(column.kind)
    }
}
