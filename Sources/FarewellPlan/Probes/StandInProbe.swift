// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Checks in the database whether the row exists that a reference names afterwards (`set:`): if it has a key, it would
/// refuse any other value.
package struct StandInProbe {
    private let plan: Plan
    private let schema: Schema

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        self.schema = schema
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        for entry in plan.tables where entry.rule.isPersonal {
            for link in entry.links where link.replacement != nil && link.onDelete != nil {
                guard let finding = try await finding(link, of: entry.table, on: connection) else { continue }
                findings.append(finding)
            }
        }
        return findings
    }

    /// Whether a value that is to replace the reference of a question is in no row of a table to which its key leads.
    package func isUnknown(
        _ value: String, in question: PlanQuestion, on connection: any SQLConnection
    ) async throws -> Bool {
        for link in question.links where link.onDelete != nil {
            var link = link
            link.replacement = value
            if try await finding(link, of: question.table, on: connection) != nil { return true }
        }
        return false
    }

    private func finding(
        _ link: Link, of table: TableName, on connection: any SQLConnection
    ) async throws -> Finding? {
        guard let text = link.replacement, link.columns.count == 1, let target = schema[link.target],
            let key = target[link.targetColumns[0]], let column = schema[table]?[link.columns[0]],
            ConstantFit.problem(text, column) == nil
        else { return nil }
        let build = RowStatementBuilder(dialect: schema.dialect)
        let value = schema.dialect.castText("$1", as: key.type)
        let found = try await connection.run(
            SQLStatement(
                "SELECT count(*) FROM \(build.quoted(target.name)) AS t WHERE t.\(build.quoted(key.name)) = \(value)",
                [.text(text)]))
        guard found.scalar?.integer == 0 else { return nil }
        return Finding(
            "link.set-unknown", .error, table: table, column: link.columns[0],
            "The value of `set` is in no row of \(Shown.name(target.name.description)): the database would refuse it.",
            remedy: "Add a row that replaces deleted ones, or name an existing one.")
    }
}
