// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Checks in the database whether the row exists that a reference names afterwards (`set:`): if it has a key, it would
/// refuse any other value.
package struct ReplacementRowProbe {
    private let plan: Plan
    private let schema: Schema

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        self.schema = schema
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        var forbidden = ForbiddenTables(plan, schema)
        for entry in plan.tables where entry.rule.isPersonal {
            for link in entry.links where link.replacement != nil && link.onDelete != nil {
                guard let target = schema[link.target] else { continue }
                switch try await presence(link, of: entry.table, in: target, on: connection) {
                case .missing: findings.append(unknown(link, of: entry.table, in: target))
                case .forbidden: forbidden.add(target)
                case .found, nil: break
                }
            }
        }
        return findings + forbidden.findings
    }

    /// Whether a value that is to replace the reference of a question is in no row of a table to which its key leads.
    package func isUnknown(
        _ value: String, in question: PlanQuestion, on connection: any SQLConnection
    ) async throws -> Bool {
        for link in question.links where link.onDelete != nil {
            guard let target = schema[link.target] else { continue }
            var link = link
            link.replacement = value
            if try await presence(link, of: question.table, in: target, on: connection) == .missing { return true }
        }
        return false
    }

    /// `nil` where the database need not be asked.
    private func presence(
        _ link: Link, of table: TableName, in target: SchemaTable, on connection: any SQLConnection
    ) async throws -> RowPresence.Answer? {
        guard let text = link.replacement, link.columns.count == 1, let key = target[link.targetColumns[0]],
            let column = schema[table]?[link.columns[0]], ConstantFit.problem(text, column) == nil
        else { return nil }
        return try await RowPresence(dialect: schema.dialect).answer([(key, text)], in: target, on: connection)
    }

    private func unknown(_ link: Link, of table: TableName, in target: SchemaTable) -> Finding {
        Finding(
            "link.set-unknown", .error, table: table, column: link.columns[0],
            "The value of `set` is in no row of \(Shown.name(target.name.description)): the database would refuse it.",
            remedy: "Add a row that replaces deleted ones, or name an existing one.")
    }
}
