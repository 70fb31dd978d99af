// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether the parts of a link besides its columns are possible: conditions, references and lists.
struct ReferenceCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    /// The mismatches of one link whose tables and columns exist.
    func findings(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard let table = context.map[entry.table] else { return [] }
        return condition(link, entry, table) + reference(link, entry, table) + list(link, entry, table)
            + EntryCheck(context).findings(link, of: entry, table)
            + OwnedParentCheck(context).findings(link, of: entry) + target(link, entry)
    }

    /// A table whose links are all references has no row of the subject: rules for its columns apply to none.
    func findings(_ entry: TablePlan) -> [Finding] {
        guard entry.rule.rowsStay, entry.table != context.plan.subject.table, !entry.links.isEmpty,
            entry.links.allSatisfy(\.isReference),
            let column = entry.columns.first(where: { $0.rule?.changesValue == true })
        else { return [] }
        return [
            Finding(
                "column.rule-unused", .warning, table: entry.table, column: column.name,
                "Every link of this table is a reference, so no row here is the subject's and this rule changes none.",
                remedy: "Call the column not personal, or write `role: owner` for a link with the subject's rows.")
        ]
    }

    // MARK: Conditions

    private func condition(_ link: Link, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let parts = link.condition.parts.compactMap { part -> Finding? in
            guard let column = table[part.column] else {
                let hint = context.hints.hint(part.column, in: table.columns.map(\.name))
                return Finding(
                    "link.unknown-column", .error, table: entry.table, column: part.column,
                    "`where` names a column that this table does not have\(hint).", remedy: "Correct `where`.")
            }
            guard !part.isNull || column.isNullable else {
                return Finding(
                    "link.condition-never", .error, table: entry.table, column: part.column,
                    "`where` wants no value here, but this column is never null, so the link finds no row.",
                    remedy: "Name the values, or remove `where`.")
            }
            guard let value = part.values.first(where: { !mayHold(column, $0) }) else { return nil }
            return Finding(
                "link.condition-never", .error, table: entry.table, column: part.column,
                "`where` contains \(Shown.name(value)), which this column of type \(Shown.name(column.type)) "
                    + "never contains.",
                remedy: "Write the values as the database writes them\(column.labels.map(ColumnPlace.list) ?? "").")
        }
        return parts + [keyAnyway(link, entry)].compactMap(\.self)
    }

    /// Whether a column may contain a value, in the database's notation.
    private func mayHold(_ column: SchemaColumn, _ value: String) -> Bool {
        guard context.map.schema.dialect.hasColumnTypes || column.labels != nil else { return true }
        if column.kind == .boolean { return value == "true" || value == "false" }
        return ConstantFit.problem(value, column) == nil
    }

    /// A key of the database is about every row, whatever a condition says.
    private func keyAnyway(_ link: Link, _ entry: TablePlan) -> Finding? {
        guard !link.condition.isEmpty, link.onDelete == .cascade, context.isErased(link.target) else { return nil }
        let others = entry.links.filter { $0 != link && $0.columns == link.columns && $0.target == link.target }
        guard others.isEmpty else { return nil }
        return finding(
            "link.condition-ignored", entry, link,
            "The database deletes every row that this key finds (cascade), even if `where` does not match.",
            "Remove `where`, add a second link for the other rows, or change the key's action.")
    }

    // MARK: References

    private func reference(_ link: Link, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard link.isReference, link.list == nil else { return [] }
        guard link.path.isEmpty else { return [] }
        let columns = ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link))
        guard let name = columns.first, let column = table[name] else {
            let lost = LostValue(link, in: table)
            let obstacle = lost.obstacle ?? .fixed
            let replacing =
                lost.isReplaceable
                ? ", or add `set:` with a value that replaces the subject's, such as the key of a row of "
                    + "\(Shown.name(link.target.description)) that represents deleted ones" : ""
            return [
                finding(
                    "link.reference-not-null", entry, link, obstacle.cause,
                    "\(obstacle.remedy)\(replacing)\(ownRows(entry, link)).")
            ]
        }
        if column.isGenerated {
            return [
                finding(
                    "column.generated", entry, link, "The database computes this column; a reference cannot clear it.",
                    "Link its source column.")
            ]
        }
        guard let value = link.replacement else {
            guard !column.isNullable || table.primaryKey.contains(name) else {
                return losing(columns, link, entry, table)
            }
            let replacing =
                LostValue(link, in: table).isReplaceable
                ? "Add `set:` with a value that replaces it, such as the key of a row of "
                    + "\(Shown.name(link.target.description)) that represents deleted rows, or make the column nullable"
                : "Make the column nullable"
            return [
                finding(
                    "link.reference-not-null", entry, link,
                    "A reference is set to null, but this column may not be null.",
                    "\(replacing)\(ownRows(entry, link)).")
            ]
        }
        return replacement(value, link, entry, table, column)
    }

    /// A column of a second key that does not lead to the subject: the row loses the target of that key too.
    private func losing(
        _ columns: [String], _ link: Link, _ entry: TablePlan, _ table: SchemaTable
    ) -> [Finding] {
        let own = Set(link.columns)
        guard own.count > 1, !table.foreignKeys.contains(where: { Set($0.columns) == own && !$0.setColumns.isEmpty }),
            let other = table.foreignKeys.first(where: { key in
                Set(key.columns) != own && key.isPaired && !Set(key.columns).isDisjoint(with: columns)
                    && !isForSubject(key, columns)
            }), let column = columns.first(where: other.columns.contains)
        else { return [] }
        return [
            Finding(
                "link.reference-shared", .warning, table: entry.table, column: column,
                "The reference sets this column to null, and the key to \(Shown.name(other.target.description)) has it "
                    + "as well: the rows that stay lose that key, too.",
                remedy: "If they may not lose it, make a column nullable that no other key has"
                    + "\(ownRows(entry, link)).")
        ]
    }

    /// Whether a key leads to the subject's own row, or to a row of the subject, by one of these columns.
    private func isForSubject(_ key: ForeignKey, _ columns: [String]) -> Bool {
        let person = context.referenceTarget(key.link).person
        return zip(key.columns, key.targetColumns).contains { columns.contains($0) && person.contains($1) }
    }

    /// The end of a remedy: `role: owner`, where the rows may be the subject's own; nothing for a table of users. Where
    /// the link is a key of the database, the row cannot stay with its value, so it also needs the rule `erase`.
    private func ownRows(_ entry: TablePlan, _ link: Link) -> String {
        guard !context.isOfUsers(entry.table) else { return "" }
        let erased = link.onDelete != nil && entry.rule.rowsStay ? " with the rule erase" : ""
        return ", or write `role: owner`\(erased) if the rows are the subject's"
    }

    private func replacement(
        _ value: String, _ link: Link, _ entry: TablePlan, _ table: SchemaTable, _ column: SchemaColumn
    ) -> [Finding] {
        if ([table.primaryKey] + table.uniqueKeys).contains([column.name]) {
            return [
                Finding(
                    "link.set-unfit", .error, table: entry.table, column: column.name,
                    "`set` gives every row the same value, but this column is unique.",
                    remedy: "Make the column nullable and remove `set`\(ownRows(entry, link)).")
            ]
        }
        guard let problem = ConstantFit.problem(value, column) else {
            return repeated(column.name, link, entry, table) + elsewhere(column.name, link, entry, table)
        }
        return [
            Finding(
                "link.set-unfit", .error, table: entry.table, column: column.name,
                "The value of `set` does not fit \(Shown.name(column.type)): \(problem).",
                remedy: "Correct `set`.")
        ]
    }

    /// Two subjects may have been named in rows that are equal in the other columns, such as invitations to one team.
    private func repeated(_ name: String, _ link: Link, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        // `ON CONFLICT REPLACE` and `IGNORE` refuse nothing, and are errors of their own.
        let isSilent = table.indexes.contains { index in
            index.isUnique && index.columns.contains(name) && index.onConflict?.isSilent == true
        }
        guard !isSilent, let others = table.columnsUnique(with: name) else { return [] }
        let shown = Shown.line(others.joined(separator: ", "), limit: 200)
        return [
            Finding(
                "link.set-not-unique", .warning, table: entry.table, column: name,
                "`set` gives every row the same value, and the column is unique together with \(shown): if two rows "
                    + "are equal there, the erasure that changes the second one is parked.",
                remedy: "Make the column nullable and remove `set`\(ownRows(entry, link)).")
        ]
    }

    /// A value that replaces the subject's has to lead to a row by each key that has the column.
    private func elsewhere(_ name: String, _ link: Link, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let others = table.foreignKeys.filter { $0.columns.contains(name) && !$0.isSame(as: link) }
        return others.prefix(1).map { key in
            let columns = Shown.line(key.columns.joined(separator: ", "), limit: 200)
            return Finding(
                "link.set-shared", .warning, table: entry.table, column: name,
                "`set` changes this column, which the key (\(columns)) to \(Shown.name(key.target.description)) has as "
                    + "well: where no row there has the new value, the erasure is parked.",
                remedy: "Insert rows with that value there; or make the column nullable and remove `set`"
                    + "\(ownRows(entry, link)).")
        }
    }

    // MARK: Lists

    private func list(_ link: Link, _ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard let form = link.list, let name = link.columns.first, let column = table[name] else { return [] }
        let dialect = context.map.schema.dialect
        if link.columns.count > 1 {
            return [
                finding(
                    "link.no-list", entry, link, "A list is one column, but this link has several.",
                    "Link the column that lists the values.")
            ]
        }
        if column.isGenerated, link.isReference {
            return [
                finding(
                    "column.generated", entry, link,
                    "The database computes this column; nothing can be removed from it.",
                    "Link its source column.")
            ]
        }
        let isWritable = !link.path.contains { $0.contains("\"") || $0.contains("\\") } || dialect.escapesMembers
        guard form == .json || link.path.isEmpty, isWritable else {
            return [
                finding(
                    "link.no-list", entry, link, "This path cannot lead to a list.",
                    "Use a path with `list: json` only, without quotes or backslashes in its members.")
            ]
        }
        let fits =
            switch form {
            case .array: column.kind == .array
            case .json: dialect.readsJSON(of: column.kind)
            case .comma: column.kind == .text && column.labels == nil
            case .uuids: isSearchedForUUIDs(column, link)
            }
        guard !fits else { return shared(link, entry) }
        guard form != .uuids else {
            return [
                finding(
                    "link.no-list", entry, link,
                    "`list: uuids` finds the UUIDs in text, bytes or JSON of PostgreSQL, for a link with "
                        + "`role: owner` to a column of the type uuid.",
                    "Correct the link.")
            ]
        }
        return [
            finding(
                "link.no-list", entry, link,
                "`list: \(form.rawValue)` does not fit this column, whose type is \(Shown.name(column.type)).",
                "Use `array` for an array of the database, `json` for JSON and `comma` for text, or remove `list`.")
        ]
    }

    private func isSearchedForUUIDs(_ column: SchemaColumn, _ link: Link) -> Bool {
        let isKey = context.map.column(link.target, link.targetColumns[0])?.kind == .uuid
        return context.map.schema.dialect.hasColumnTypes && [.text, .bytes, .json].contains(column.kind) && isKey
            && link.role == .owner && column.labels == nil
    }

    /// Rows found by a list may belong to every listed subject.
    private func shared(_ link: Link, _ entry: TablePlan) -> [Finding] {
        guard !link.isReference, entry.links.contains(where: { $0.shared == .unlink }) else { return [] }
        return [
            finding(
                "link.list-shared", entry, link,
                "A list with `role: owner` cannot show whether another user also owns a shared row.",
                "Write `role: reference` for the list, or `shared: erase` for the other links.")
        ]
    }

    // MARK: Targets

    /// A table without owning links has no rows of the subject that others could lead to.
    private func target(_ link: Link, _ entry: TablePlan) -> [Finding] {
        guard link.target != context.plan.subject.table, let target = context[link.target], !target.links.isEmpty,
            target.links.allSatisfy(\.isReference)
        else { return [] }
        return [
            finding(
                "link.target-not-owned", entry, link,
                "A link leads to \(Shown.name(link.target.description)), where every link is a reference: no row there "
                    + "is the subject's.",
                "Write `role: owner` for a link there, or remove this link. If a question declared it, change the "
                    + "answer: \(AnswerCommand.text(.unrelated, link.columns, of: entry.table))")
        ]
    }

    private func finding(
        _ code: Finding.Code, _ entry: TablePlan, _ link: Link, _ message: String, _ remedy: String
    ) -> Finding {
        Finding(code, .error, table: entry.table, column: link.columns.first, message, remedy: remedy)
    }
}
