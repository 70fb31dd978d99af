// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every column of a row that stays has a rule that the column can take.
struct ColumnRuleCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            let referring = Set(context.map.keys(of: entry.plan.table).flatMap(\.key.columns))
            return entry.plan.columns.flatMap { planned -> [Finding] in
                guard let column = entry.table[planned.name] else { return [] }
                let place = ColumnPlace(
                    entry: entry.plan, table: entry.table, column: column,
                    isReferring: referring.contains(column.name), dialect: context.map.schema.dialect,
                    hints: context.hints)
                return entry.plan.rule.rowsStay ? stays(planned.rule, place) : unused(planned.rule, place)
            }
        }
    }

    private func unused(_ rule: ColumnRule?, _ place: ColumnPlace) -> [Finding] {
        guard let rule, !rule.isNotPersonal else { return rule == nil ? objects(place) : [] }
        if rule.deletesObjects { return rule.kind.findingsWhereErased(place) }
        let words = TableRules.all.filter { $0.rowsStay }.map { $0.word }.joined(separator: " or ")
        return [
            Finding(
                "column.rule-unused", .warning, table: place.table.name, column: place.column.name,
                "A rule for a column has no effect where the table's rule is \(place.entry.rule.word).",
                remedy: "Remove the column's rule, or use the rule \(words).")
        ]
    }

    /// A large object stays when the row that names it is deleted, and no read of the tables finds it.
    private func objects(_ place: ColumnPlace) -> [Finding] {
        guard place.entry.rule.erasesRows, place.column.mayNameLargeObjects, !place.column.namesLargeObjects,
            !place.table.managesLargeObjects(of: place.column.name, at: "delete"), place.dialect.hasLargeObjects
        else { return [] }
        let name = Shown.line(place.column.name, limit: 120)
        return [
            place.finding(
                "column.large-object",
                "The column may refer to large objects (oid), which remain when the row is erased.",
                "Write {\(name): large object} to erase them too, or {\(name): not personal} if there are none.")
        ]
    }

    private func stays(_ rule: ColumnRule?, _ place: ColumnPlace) -> [Finding] {
        guard let rule else {
            return [
                place.finding(
                    "column.no-rule", "The row is kept, and the plan has no rule for this column.",
                    "Give it a rule: \(ColumnRules.offer).")
            ]
        }
        return (rule.changesValue ? writable(place) : []) + rule.kind.findings(place)
    }

    private func writable(_ place: ColumnPlace) -> [Finding] {
        if place.column.isGenerated {
            return [
                place.finding(
                    "column.generated", "The database computes this column; it cannot be set.",
                    "Call it not personal, and anonymise its source columns.")
            ]
        }
        // `ChangedKeyCheck` reports the keys that follow a changed value.
        guard place.table.primaryKey.contains(place.column.name) else { return [] }
        return [
            place.finding(
                "column.key",
                "This column cannot be changed: it is the table's primary key.",
                "Call it not personal or retain it; a key without the person's data identifies no one.")
        ]
    }
}
