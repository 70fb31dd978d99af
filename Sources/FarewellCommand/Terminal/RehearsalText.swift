// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL

/// Rehearsals in words, as `rehearse` and `check --rehearse` show them.
struct RehearsalText {
    private let rehearsals: [Rehearsal]
    private let notes: [String]
    private let isCounting: Bool
    /// All effects that the plan should declare; none if no trigger changed more than it declares.
    private let effectsToDeclare: [TriggerEffect]
    /// Whether the plan declares effects already.
    private let hasEffects: Bool

    init(_ rehearsals: [Rehearsal], _ engine: ErasureEngine) {
        self.rehearsals = rehearsals
        notes = engine.whatRollbackLeaves
        isCounting = engine.countsChanges
        effectsToDeclare = engine.effects(declaring: rehearsals.flatMap(\.effects))
        hasEffects = !engine.plan.effects.isEmpty
    }

    func say(on terminal: Terminal) {
        changes(on: terminal)
        for refusal in merged(rehearsals.map(\.refusals)) {
            let name = refusal.value.name.map { " (\($0))" } ?? ""
            let table = refusal.value.table.map { "\($0)\(name): " } ?? ""
            problem(table + refusal.value.message, refusal.subjects, refusal.value.remedy, on: terminal)
        }
        for difference in merged(rehearsals.map(\.differences)) {
            problem(difference.value.text + ".", difference.subjects, remedy(for: difference.value), on: terminal)
        }
        for left in merged(rehearsals.map { $0.left.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } }) {
            problem("Still there afterwards: \(left.value).", left.subjects, nil, on: terminal)
        }
        let keepers = distinct(rehearsals.flatMap(\.keepers))
        if !keepers.isEmpty {
            let text =
                "The deletion or change is prevented by \(Words.count(keepers.count, "trigger")): "
                + "\(keepers.joined(separator: ", ")). Drop or disable "
                + "\(keepers.count == 1 ? "it" : "them"), or let the changes of Farewell pass."
            terminal.paragraph("  → ", text)
        }
        effects(on: terminal)
        if !isCounting {
            problem(
                "The database does not count the changes of a transaction, so the rehearsal only found refusals.", [],
                "PostgreSQL: set track_counts to on. SQLite: use a library with the pre-update hook.", on: terminal)
        }
        terminal.line()
        terminal.line(summary(terminal))
        for note in notes { terminal.paragraph("  · ", note, terminal.dim) }
    }

    private func changes(on terminal: Terminal) {
        var sums: [TableName: RowChanges] = [:]
        for change in rehearsals.flatMap(\.changes) {
            sums[change.table, default: RowChanges()] = sums[change.table, default: RowChanges()] + change.rows
        }
        var table = TextTable(["table", "inserted", "updated", "deleted"], numbers: [1, 2, 3])
        for (name, rows) in sums.sorted(by: { $0.key < $1.key }) {
            table.add(["\(name)"] + [rows.inserted, rows.updated, rows.deleted].map { Words.grouped($0) })
        }
        if !table.isEmpty { table.lines(width: terminal.width).forEach { terminal.line($0) } }
        for unknown in rehearsals where !unknown.isKnown {
            terminal.line("  No data of the subject \(Terminal.printable(unknown.subject)) was found.")
        }
    }

    private func problem(_ text: String, _ subjects: [String], _ remedy: String?, on terminal: Terminal) {
        terminal.line()
        terminal.paragraph("✗ ", text, terminal.red)
        if rehearsals.count > 1, !subjects.isEmpty {
            let shown = subjects.prefix(5).joined(separator: ", ") + (subjects.count > 5 ? ", …" : "")
            terminal.line("  Found for \(Words.count(subjects.count, "subject")): \(Terminal.printable(shown))")
        }
        guard let remedy, !remedy.isEmpty else { return }
        terminal.paragraph("  → ", remedy)
    }

    /// The remedy if no trigger explains a difference.
    private func remedy(for difference: ChangeDifference) -> String? {
        guard !rehearsals.flatMap(\.effects).contains(where: { $0.also == difference.table }) else { return nil }
        // Explained by the triggers that keep the rows.
        guard !rehearsals.contains(where: { !$0.keepers.isEmpty && $0.left["\(difference.table)"] != nil }) else {
            return nil
        }
        guard !difference.isShort else {
            return "Fewer rows were changed than planned. A trigger or rule of this table may keep rows or put values "
                + "back, and on SQLite ON CONFLICT IGNORE leaves rows out. Let it pass the changes of Farewell, or "
                + "give the table another rule."
        }
        return "No trigger explains this. Look for a key of this table with ON DELETE CASCADE, for a rule, or on "
            + "SQLite for ON CONFLICT REPLACE or IGNORE; then give the table, or a column that collides, another rule."
    }

    private func effects(on terminal: Terminal) {
        let lines = TriggerEffectText.lines(for: effectsToDeclare)
        guard !lines.isEmpty else { return }
        terminal.line()
        let names = distinct(rehearsals.flatMap(\.triggers))
        let text = TriggerEffectText.advice(about: names, isReplacing: hasEffects)
        Paragraph.marked("  → ", Terminal.printable(text), width: terminal.width).forEach { terminal.line($0) }
        terminal.line()
        lines.forEach { terminal.line(Terminal.printable($0)) }
    }

    private func summary(_ terminal: Terminal) -> String {
        let known = rehearsals.filter(\.isKnown)
        let subjects = Words.count(known.count, "subject")
        let bad = known.filter { !$0.fits }.count
        guard !known.isEmpty else { return "No subject was rehearsed." }
        guard bad > 0 else {
            return terminal.green("✓ ")
                + "\(subjects) rehearsed: everything fits the plan. All changes were rolled back."
        }
        return terminal.red("✗ ")
            + "\(subjects) rehearsed, \(bad) would not end as planned. All changes were rolled back."
    }

    private func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// An effect of several subjects is reported once.
    private func merged<Value: Hashable>(_ lists: [[Value]]) -> [(value: Value, subjects: [String])] {
        var order: [Value] = []
        var subjects: [Value: [String]] = [:]
        for (rehearsal, list) in zip(rehearsals, lists) {
            for value in list {
                if subjects[value] == nil { order.append(value) }
                subjects[value, default: []].append(rehearsal.subject)
            }
        }
        return order.map { ($0, subjects[$0] ?? []) }
    }

    // MARK: For programs

    struct Record: Encodable {
        struct Refusal: Encodable {
            let code: String
            let table: String?
            let name: String?
            let message: String
            let remedy: String
        }

        struct Difference: Encodable {
            let table: String
            let kind: String
            let rows: Int
            let predicted: String
        }

        struct Change: Encodable {
            let table: String
            let inserted: Int
            let updated: Int
            let deleted: Int
        }

        struct Subject: Encodable {
            let subject: String
            let isKnown: Bool
            let fits: Bool
            let changes: [Change]
            let refusals: [Refusal]
            let differences: [Difference]
            let left: [String: Int]
        }

        let fits: Bool
        let countsChanges: Bool
        let subjects: [Subject]
        let effects: [String]
        let notRolledBack: [String]
    }

    var record: Record {
        Record(
            fits: rehearsals.allSatisfy(\.fits), countsChanges: isCounting, subjects: rehearsals.map(subject),
            effects: TriggerEffectText.lines(for: effectsToDeclare), notRolledBack: notes)
    }

    private func subject(_ rehearsal: Rehearsal) -> Record.Subject {
        Record.Subject(
            subject: rehearsal.subject, isKnown: rehearsal.isKnown, fits: rehearsal.fits,
            changes: rehearsal.changes.map {
                .init(
                    table: "\($0.table)", inserted: $0.rows.inserted, updated: $0.rows.updated, deleted: $0.rows.deleted
                )
            },
            refusals: rehearsal.refusals.map {
                .init(
                    code: $0.code.rawValue, table: $0.table.map { "\($0)" }, name: $0.name, message: $0.message,
                    remedy: $0.remedy)
            },
            differences: rehearsal.differences.map {
                .init(table: "\($0.table)", kind: $0.kind.rawValue, rows: $0.rows, predicted: $0.predicted)
            },
            left: rehearsal.left)
    }
}
