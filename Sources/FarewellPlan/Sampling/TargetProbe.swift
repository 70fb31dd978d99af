// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks the database whether there is a row for what a key's columns are set to: the default of `SET DEFAULT`, the
/// constant of a rule. Reads nothing but whether a row of that key exists.
package struct TargetProbe {
    private let context: CheckContext

    package init(_ plan: Plan, _ schema: Schema) {
        context = CheckContext(plan, schema)
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        var forbidden = ForbiddenTables(context.plan, context.map.schema)
        for emptying in Emptying.all(context) where emptying.takesDefaults {
            guard case .key(let key) = emptying.cause, key.isPaired, key.emptiedColumns.count == key.columns.count
            else { continue }
            let values = key.columns.map { LiteralDefault.text(emptying.table[$0]?.defaultExpression) }
            guard try await isMissing(values, key, &forbidden, on: connection) else { continue }
            findings.append(
                finding(
                    "key.default-leads-nowhere", key, emptying.table,
                    "The database's key sets this column to its default",
                    "Insert a row of that key, change the default, or change the key's action."))
        }
        for entry in context.entries where entry.plan.rule.isPersonal {
            for key in context.map.keys(of: entry.plan.table).map(\.key) where key.isPaired {
                // `set:` of a reference is looked up by `ReplacementRowProbe`.
                let isReplaced = entry.plan.links.contains { key.isSame(as: $0) && $0.replacement != nil }
                guard entry.plan.rule.rowsStay, !isReplaced else { continue }
                let values = key.columns.map { context.columnRule(entry.plan.table, $0)?.constantText }
                guard try await isMissing(values, key, &forbidden, on: connection) else { continue }
                findings.append(
                    finding(
                        "column.constant-leads-nowhere", key, entry.table, "The plan sets this column to a constant",
                        "Use null, or the key of a row that is kept."))
            }
        }
        return findings + forbidden.findings
    }

    private func finding(
        _ code: Finding.Code, _ key: ForeignKey, _ table: SchemaTable, _ what: String, _ remedy: String
    ) -> Finding {
        Finding(
            code, .error, table: table.name, column: key.columns.first,
            "\(what), and no row of \(Shown.name(key.target.description)) has that key: the database would refuse.",
            remedy: remedy)
    }

    /// Whether all values are known and no row has them; false if the database cannot be queried.
    private func isMissing(
        _ values: [String?], _ key: ForeignKey, _ forbidden: inout ForbiddenTables, on connection: any SQLConnection
    ) async throws -> Bool {
        guard let target = context.map[key.target], !values.isEmpty else { return false }
        let known = zip(key.targetColumns, values).compactMap { name, value in
            target[name].flatMap { column in value.map { (column: column, text: $0) } }
        }
        guard known.count == values.count else { return false }
        do {
            let presence = RowPresence(dialect: context.map.schema.dialect)
            switch try await presence.answer(known, in: target, on: connection) {
            case .missing: return true
            case .found: return false
            case .forbidden:
                forbidden.add(target)
                return false
            }
        } catch let error as FarewellError where error.family != .tryAgain {
            return false
        }
    }
}
