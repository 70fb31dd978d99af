// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The effect of the database's own keys when an erasure changes a value that other rows refer to (`ON UPDATE`).
///
/// An erasure changes such a value by a rule for the column, by a link that releases the subject, or because it deletes
/// the row that the value names (`ON DELETE SET NULL`). Other keys may refer to the columns that a key changes.
struct ChangedKeyCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    /// Columns of one table that an erasure changes together.
    private struct Change: Hashable {
        let table: TableName
        let columns: Set<String>
        /// Whether their new value is null, or may be.
        let isNull: Bool
        /// Whether the rows that refer to these values are counted beforehand (`KeyEffects`).
        let isCounted: Bool
    }

    func findings() -> [Finding] {
        var found: [Finding] = []
        var seen: Set<String> = []
        var followed: Set<Change> = []
        var open = context.entries.flatMap { entry in changes(entry.plan, entry.table).map { ($0, depth: 0) } }[...]
        while let (change, depth) = open.popFirst() {
            guard followed.insert(change).inserted else { continue }
            for key in context.map.keys(to: change.table)
            where !Set(key.key.targetColumns).isDisjoint(with: change.columns) {
                guard let next = self.next(change, key.key, in: key.table, depth) else { continue }
                if let finding = finding(change, key.key, in: key.table),
                    seen.insert("\(finding.code.rawValue) \(key.table) \(key.key.columns) \(change.table)").inserted
                {
                    found.append(finding)
                }
                open.append((next, depth + 1))
            }
        }
        return found
    }

    // MARK: Changes

    private func changes(_ entry: TablePlan, _ table: SchemaTable) -> [Change] {
        guard entry.rule.isPersonal else { return [] }
        var changes: [Change] = []
        if entry.rule.rowsStay {
            // A rule for another column is an error already (`column.key`, `column.generated`).
            let changing = entry.columns.filter { column in
                column.rule?.changesValue == true && !table.primaryKey.contains(column.name)
                    && table[column.name]?.isGenerated == false
            }
            changes += changing.map { change(entry, [$0.name], isNull: $0.rule?.givesNull == true) }
        }
        for link in entry.links where (link.isReference || link.shared == .unlink) && !link.isOwnedParent {
            let columns = ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link))
            let isNull = link.replacement == nil && link.path.isEmpty && link.list == nil
            changes.append(change(entry, columns, isNull: isNull, isCounted: false))
        }
        for key in context.map.keys(of: entry.table).map(\.key)
        where context.isErased(key.target) && !key.emptiedColumns.isEmpty && !isReleased(key, by: entry) {
            changes.append(change(entry, key.emptiedColumns, isNull: key.onDelete == .setNull))
        }
        return changes
    }

    private func change(
        _ entry: TablePlan, _ columns: [String], isNull: Bool, isCounted: Bool = true
    ) -> Change {
        Change(table: entry.table, columns: Set(columns), isNull: isNull, isCounted: isCounted)
    }

    /// The change that the key makes in turn; `nil` if no row refers to the value any longer when it changes.
    private func next(_ change: Change, _ key: ForeignKey, in table: TableName, _ depth: Int) -> Change? {
        guard let holder = context[table], !isReleased(key, by: holder) else { return nil }
        return Change(
            table: table, columns: Set(changed(by: key, change)), isNull: givesNull(key, change),
            isCounted: change.isCounted && depth < KeyStep.greatestDepth)
    }

    private func givesNull(_ key: ForeignKey, _ change: Change) -> Bool {
        key.onUpdate == .setNull || key.onUpdate == .cascade && change.isNull
    }

    /// The columns that a key changes: a cascade leaves those as they are that refer to unchanged ones.
    private func changed(by key: ForeignKey, _ change: Change) -> [String] {
        guard key.updatesRows else { return [] }
        guard key.onUpdate == .cascade else { return key.columns }
        return zip(key.columns, key.targetColumns).filter { change.columns.contains($1) }.map { $0.0 }
    }

    /// The links by which the plan knows every row that refers to another by the key.
    private func links(of holder: TablePlan, by key: ForeignKey) -> [Link] {
        guard holder.rule.isPersonal else { return [] }
        return holder.links.filter { key.isSame(as: $0) && $0.condition.isEmpty && !$0.isOwnedParent }
    }

    /// Whether the plan deletes the rows behind a key, or changes their value, before it changes the value that they
    /// refer to.
    private func isReleased(_ key: ForeignKey, by holder: TablePlan) -> Bool {
        let links = self.links(of: holder, by: key)
        if links.contains(where: { $0.isReference || holder.rule.erasesRows }) { return true }
        return !links.isEmpty && key.columns.contains { context.columnRule(holder.table, $0)?.movesKey($0) == true }
    }

    // MARK: Findings

    private func finding(_ change: Change, _ key: ForeignKey, in table: TableName) -> Finding? {
        guard let holder = context[table] else { return nil }
        let what = Shown.name(change.table.description)
        let columns = change.columns.intersection(key.targetColumns).sorted()
        let value = Shown.line(columns.joined(separator: ", "), limit: 80)
        guard key.updatesRows else {
            return error(
                "key.blocks", key, holder,
                "Rows here refer to \(value) of \(what). The erasure changes that value, and the key forbids the "
                    + "change (on update \(key.onUpdate.rawValue)): the database would refuse.",
                "Set this column to null by a link with `role: reference`, retain the value there, or change the "
                    + "key's action (ON UPDATE CASCADE).")
        }
        if let refused = refused(change, key, holder, what) { return refused }
        let does = key.onUpdate == .cascade ? "writes the new value" : "writes \(written(key))"
        let message =
            "The erasure changes \(value) of \(what), and the database then \(does) into this column of every "
            + "row that refers to it (on update \(key.onUpdate.rawValue))"
        if holder.rule.retention != nil, !givesNull(key, change) {
            return error(
                "key.follows", key, holder,
                "\(message). These rows are retained, and the end of their retention would not find them by the new "
                    + "value.",
                "Retain the value there, set this column to null by its rule, or let the key set it to null (ON UPDATE "
                    + "SET NULL).")
        }
        let isPlanned = !links(of: holder, by: key).isEmpty
        guard isPlanned, change.isCounted else {
            return error(
                "key.follows", key, holder,
                isPlanned
                    ? "\(message). These rows cannot be counted beforehand."
                    : "\(message). The plan does not know this link: no receipt would count these rows.",
                isPlanned
                    ? "Retain the value there, or change the key's action."
                    : "Give this table the rule anonymise with this link: with `role: owner` if the new "
                        + "value may stay, or with `role: reference`, which empties the column.")
        }
        return Finding("key.follows", .note, table: holder.table, column: key.columns.first, message + ".")
    }

    /// A key that would write null, or a missing default, into a column that may not be null.
    private func refused(_ change: Change, _ key: ForeignKey, _ holder: TablePlan, _ what: String) -> Finding? {
        let isNull = givesNull(key, change)
        let column = changed(by: key, change).first { name in
            guard let column = context.map.column(holder.table, name), !column.isNullable else { return false }
            return isNull || key.onUpdate == .setDefault && column.defaultExpression == nil
        }
        guard let column else { return nil }
        return Finding(
            "key.blocks", .error, table: holder.table, column: column,
            "The erasure changes the value in \(what) that this column refers to, and the key would then write null "
                + "here (on update \(key.onUpdate.rawValue)), but the column may not be null: the database would "
                + "refuse.",
            remedy: "Retain the value there or replace it by its hash, make the column nullable, or change the key's "
                + "action.")
    }

    private func written(_ key: ForeignKey) -> String { key.onUpdate == .setNull ? "null" : "the column's default" }

    private func error(
        _ code: Finding.Code, _ key: ForeignKey, _ holder: TablePlan, _ message: String, _ remedy: String
    ) -> Finding {
        Finding(code, .error, table: holder.table, column: key.columns.first, message, remedy: remedy)
    }
}
