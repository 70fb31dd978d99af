// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The plan's own values in places from which identifiers are read: they identify no subject.
struct PlanWrittenNames: Sendable {
    let plan: Plan
    let schema: Schema

    /// The identifiers without constants, hashes and results of expressions of the plan.
    func removed(from identifiers: [String], on connection: any SQLConnection) async throws -> [String] {
        var kept = identifiers
        for column in plan.subject.identifiers {
            guard let entry = plan[column.table], let table = schema[column.table],
                let written = WrittenValue(column.column, in: entry, of: table)
            else { continue }
            kept.removeAll(where: written.isWritten)
            guard let expression = try written.expression(in: table, schema.dialect) else { continue }
            for identifier in kept.exactlyDistinct {
                let isMade = try await isMade(identifier, by: expression, column, table, on: connection)
                if isMade { kept.removeAll { ExactText($0) == ExactText(identifier) } }
            }
        }
        return kept
    }

    private func isMade(
        _ text: String, by expression: SQLStatement, _ column: ColumnName, _ table: SchemaTable,
        on connection: any SQLConnection
    ) async throws -> Bool {
        let dialect = schema.dialect
        let parameter = dialect.typed("$\(expression.parameters.count + 1)", "text")
        let value = dialect.plainText("t.\(dialect.quoted(column.column))")
        let rows = RowStatementBuilder(dialect: dialect).rows(of: table)
        let found = try await connection.run(
            SQLStatement(
                "SELECT 1 FROM \(rows) AS t WHERE \(value) = \(parameter) "
                    + "AND \(dialect.plainText(expression.text)) = \(parameter) LIMIT 1",
                expression.parameters + [.text(text)]))
        return !found.rows.isEmpty
    }
}
