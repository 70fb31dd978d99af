// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// What is retained says why and until when; what is anonymised changes something.
struct RetentionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            switch entry.plan.rule {
            case .retain(let retention): retained(retention, entry.plan, entry.table)
            case .anonymise: anonymised(entry.plan)
            case .erase, .notPersonal: []
            }
        }
    }

    private func retained(_ retention: Retention, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        var findings: [Finding] = []
        if retention.reason.allSatisfy(\.isWhitespace) {
            findings.append(
                Finding(
                    "retain.no-reason", .error, table: entry.table, "Rows are retained without a reason.",
                    remedy: "Write the ground into `reason`, in words for the person."))
        }
        if retention.period.count <= 0 {
            findings.append(
                Finding(
                    "retain.no-period", .error, table: entry.table, "Rows are retained for no time at all.",
                    remedy: "Write how long under `for`, e.g. `10 years`, or use the rule erase."))
        }
        if retention.then == .anonymise { findings += cannotBeEmptied(entry, table) }
        guard let start = retention.start else { return findings }
        guard let column = table[start] else {
            findings.append(
                Finding(
                    "retain.unknown-start", .error, table: entry.table, column: start,
                    "The period starts from a column this table does not have"
                        + "\(context.hints.hint(start, in: table.columns.map(\.name))).",
                    remedy: "Correct `from`, or remove it: the period then starts on the day of erasure."))
            return findings
        }
        // SQLite has no date type: dates there are text, integers or whatever the declared type became.
        let dates: Set<SchemaColumn.Kind> =
            context.map.schema.dialect == .sqlite
            ? [.timestamp, .text, .integer, .number, .other] : [.timestamp, .other]
        if !dates.contains(column.kind) {
            findings.append(
                Finding(
                    "retain.start-type", .error, table: entry.table, column: start,
                    "The period starts from a column that holds no date (\(Shown.line(column.type, limit: 60))).",
                    remedy: "Name a date column under `from`, or remove it."))
        }
        return findings
    }

    /// At the end what was retained is emptied; keys lead to nobody without the rest.
    private func cannotBeEmptied(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let keys = Set(table.primaryKey + table.foreignKeys.flatMap(\.columns))
        return entry.columns.filter { $0.rule == .retain && !keys.contains($0.name) }.compactMap { planned in
            guard table[planned.name]?.isNullable == false else { return nil }
            return Finding(
                "retain.cannot-be-emptied", .error, table: entry.table, column: planned.name,
                "The column is to be emptied when the retention ends, but may not be null.",
                remedy: "Write `then: erase`, or let the column be null.")
        }
    }

    private func anonymised(_ entry: TablePlan) -> [Finding] {
        let changes = entry.columns.contains { column in
            switch column.rule {
            case .null, .constant, .keyedHash, .expression, nil: true
            case .retain, .notPersonal: false
            }
        }
        let isEmptied = entry.links.contains { $0.onDelete == .setNull || $0.onDelete == .setDefault }
        guard !changes, !isEmptied else { return [] }
        return [
            Finding(
                "anonymise.nothing", .warning, table: entry.table,
                "The rule is anonymise, but no column is changed: the rows stay as personal as they are.",
                remedy: "Give the columns that lead to the person a rule such as null or hash.")
        ]
    }
}
