// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every column of a row that stays has a rule that the column can take.
struct ColumnRuleCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            let referenced = Set(context.map.keys(to: entry.plan.table).flatMap(\.key.targetColumns))
            let referring = Set(context.map.keys(of: entry.plan.table).flatMap(\.key.columns))
            return entry.plan.columns.flatMap { planned -> [Finding] in
                guard let column = entry.table[planned.name] else { return [] }
                let place = Place(
                    entry: entry.plan, table: entry.table, column: column,
                    isReferenced: referenced.contains(column.name), isReferring: referring.contains(column.name))
                return findings(planned.rule, place)
            }
        }
    }

    private struct Place {
        let entry: TablePlan
        let table: SchemaTable
        let column: SchemaColumn
        let isReferenced: Bool
        let isReferring: Bool

        func finding(_ code: Finding.Code, _ message: String, _ remedy: String) -> Finding {
            Finding(code, .error, table: table.name, column: column.name, message, remedy: remedy)
        }
    }

    private func findings(_ rule: ColumnRule?, _ place: Place) -> [Finding] {
        switch place.entry.rule {
        case .erase, .notPersonal:
            guard let rule, rule != .notPersonal else { return [] }
            return [
                Finding(
                    "column.rule-unused", .warning, table: place.table.name, column: place.column.name,
                    "A rule for a column has no effect where the table's rule is \(place.entry.rule.word).",
                    remedy: "Remove the column's rule, or use the rule anonymise or retain.")
            ]
        case .anonymise, .retain:
            guard let rule else {
                return [
                    place.finding(
                        "column.no-rule", "The row stays, and the plan does not say what happens to this column.",
                        "Give it a rule: null, hash, {constant: …}, {expression: …}, retain or not personal.")
                ]
            }
            return stays(rule, place)
        }
    }

    private func stays(_ rule: ColumnRule, _ place: Place) -> [Finding] {
        switch rule {
        case .notPersonal: return []
        case .retain:
            guard place.entry.rule == .anonymise else { return [] }
            return [
                place.finding(
                    "column.retain-without-reason", "A column is retained in a table that says no reason.",
                    "Use the table's rule retain with a reason, or call the column not personal.")
            ]
        case .null, .constant, .keyedHash, .expression:
            return writable(place) + fits(rule, place)
        }
    }

    private func writable(_ place: Place) -> [Finding] {
        if place.column.isGenerated {
            return [
                place.finding(
                    "column.generated", "The database computes this column; it cannot be set.",
                    "Call it not personal, and anonymise the columns it is computed from.")
            ]
        }
        if place.isReferenced || place.table.primaryKey.contains(place.column.name) {
            let why = place.isReferenced ? "others refer to it" : "it is the table's primary key"
            return [
                place.finding(
                    "column.key", "This column cannot be changed: \(why).",
                    "Call it not personal or retain it; a key without its person's data leads to nobody.")
            ]
        }
        return []
    }

    private func fits(_ rule: ColumnRule, _ place: Place) -> [Finding] {
        let column = place.column
        let type = Shown.line(column.type, limit: 60)
        switch rule {
        case .null:
            guard !column.isNullable else { return [collision(place)].compactMap(\.self) }
            return [
                place.finding(
                    "column.null-refused", "The rule is null, but the column may not be null.",
                    "Use {constant: …} or hash, or make the column nullable.")
            ]
        case .constant(let text):
            let collision = collision(place)
            let found = [collision].compactMap(\.self)
            guard collision?.severity != .error, let problem = ConstantFit.problem(text, column) else { return found }
            let remedy = column.labels.map { "Use one of its labels\(Self.list($0))." } ?? Self.correct
            return found + [
                place.finding("column.constant-unfit", "The constant does not fit \(type): \(problem).", remedy)
            ]
        case .keyedHash:
            if place.isReferring {
                return [
                    place.finding(
                        "column.hash-unfit", "The column refers to another table's key; a hash would refer to nothing.",
                        "Use null.")
                ]
            }
            guard !HashFit.fits(column) else { return [] }
            if let labels = column.labels {
                let null = column.isNullable ? "null or " : ""
                return [
                    place.finding(
                        "column.hash-unfit", "A hash cannot be written to the enum \(type).",
                        "Use \(null)a constant that is one of its labels\(Self.list(labels)).")
                ]
            }
            return [
                place.finding(
                    "column.hash-unfit", "A hash does not fit \(type).",
                    "Hash only text of at least \(PlanCheck.shortestHash) characters and uuid; "
                        + "else use null or a constant."
                )
            ]
        case .expression(let expression):
            let fit = ExpressionFit(
                table: place.table, dialect: context.map.schema.dialect, hints: context.hints)
            let problems = fit.problems(expression, into: column)
            return problems.map {
                place.finding("column.expression-unfit", "The expression does not fit: \($0).", Self.correct)
            }
        case .retain, .notPersonal:
            return []
        }
    }

    private func collision(_ place: Place) -> Finding? {
        ConstantCollision(entry: place.entry, table: place.table).finding(at: place.column.name)
    }

    private static let correct = "Correct the column's rule."

    /// `: sad, glad`; nothing for an enum that has no labels yet.
    private static func list(_ labels: [String]) -> String {
        labels.isEmpty ? "" : ": " + Shown.line(labels.joined(separator: ", "), limit: 200)
    }
}
