// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every link exists as the plan says, can be compared, and leads to the subject; every key is among the links.
struct LinkCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry -> [Finding] in
            guard entry.plan.rule.isPersonal else { return unused(entry.plan) }
            return links(entry.plan) + entry.plan.links.flatMap { link($0, of: entry.plan) } + added(entry.plan)
                + ReferenceCheck(context).findings(entry.plan)
        } + intoPartitions()
    }

    /// Keys that lead to one partition of the subject's rows, by columns that are unique there only: followed to the
    /// whole table they would find a neighbour's rows (`KeyPartitions`).
    private func intoPartitions() -> [Finding] {
        context.map.schema.tables.flatMap { table -> [Finding] in
            let owner = context.map.listedName(of: table.name)
            guard context.isPersonal(owner) else { return [] }
            return table.foreignKeys.compactMap { key in
                let whole = context.map.listedName(of: key.target)
                guard whole != key.target, context.isPersonal(whole),
                    !context.map.isUnique(key.targetColumns, in: whole)
                else { return nil }
                let target = Shown.name(key.target.description)
                return Finding(
                    "key.into-partition", .note, table: owner, column: key.columns.first,
                    "A foreign key leads to \(target), one partition of \(Shown.name(whole.description)), by columns "
                        + "that are not unique in the whole table: the link is followed in this partition only.")
            }
        }
    }

    private func unused(_ entry: TablePlan) -> [Finding] {
        guard !entry.links.isEmpty else { return [] }
        return [
            Finding(
                "link.unused", .warning, table: entry.table, "A table called not personal has links.",
                remedy: "Remove the links, or give the table another rule.")
        ]
    }

    private func links(_ entry: TablePlan) -> [Finding] {
        guard entry.table != context.plan.subject.table else { return [] }
        guard !entry.links.isEmpty else {
            return [
                Finding(
                    "link.none", .error, table: entry.table,
                    "The table has no link to the subject, so no rows can be selected.",
                    remedy: "Add a link, e.g. {from: user_id, to: \(Self.example(context.plan.subject))}, "
                        + "or call it not personal.")
            ]
        }
        guard context.paths.reaching.contains(entry.table) else {
            return [
                Finding(
                    "link.leads-nowhere", .error, table: entry.table,
                    "No chain of links leads from this table to the subject's.",
                    remedy: "Correct the links here or in the tables they lead to.")
            ]
        }
        guard !entry.rule.erasesRows || entry.links.contains(where: SubjectPaths.erases) else {
            return [
                Finding(
                    "link.only-unlinks", .error, table: entry.table,
                    entry.links.contains(where: \.isReference)
                        ? "The rule is erase, but every link is a reference or has `shared: unlink`: no row would be "
                            + "erased."
                        : "The rule is erase, but every link has `shared: unlink`: no row would be erased.",
                    remedy: "Let one link erase, or use the rule anonymise.")
            ]
        }
        return unlinking(entry)
    }

    /// Through other tables it is unknown whether a row that loses one link is held by the other.
    private func unlinking(_ entry: TablePlan) -> [Finding] {
        guard entry.links.count(where: { $0.shared == .unlink }) > 1 else { return [] }
        let areNamed = context[context.plan.subject.table]?.links.allSatisfy { $0.shared == .unlink } ?? true
        let through = entry.links.filter { $0.shared == .unlink && !(areNamed && context.paths.isDirect($0)) }
        guard through.count > 1 else { return [] }
        let message = "Two links with `shared: unlink` lead here through other tables: a row of the subject that both "
        return [
            finding(
                "link.unlinks-twice", entry, through[1], message + "refer to would count as another user's.",
                "Write `shared: erase` for all of them but one.")
        ]
    }

    private func link(_ link: Link, of entry: TablePlan) -> [Finding] {
        let unknown = unknownParts(link, of: entry)
        guard unknown.isEmpty else { return unknown }
        return key(link, of: entry) + types(link, of: entry) + spellings(link, of: entry) + letters(link, of: entry)
            + nullability(link, of: entry) + ReferenceCheck(context).findings(link, of: entry)
    }

    private func unknownParts(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard !link.columns.isEmpty, link.columns.count == link.targetColumns.count else {
            return [finding("link.mismatch", entry, link, "The link's `from` and `to` differ in length.", Self.correct)]
        }
        for column in link.columns where context.map.column(entry.table, column) == nil {
            let hint = context.hints.hint(column, in: context.map[entry.table]?.columns.map(\.name) ?? [])
            let message = "A link starts at a column that this table does not have\(hint)."
            return [
                Finding(
                    "link.unknown-column", .error, table: entry.table, column: column, message, remedy: Self.correct)
            ]
        }
        let target = Shown.name(link.target.description)
        guard let table = context.map[link.target] else {
            return [
                finding(
                    "link.unknown-target", entry, link, "A link leads to \(target), which does not exist.", Self.correct
                )
            ]
        }
        for column in link.targetColumns where table[column] == nil {
            let hint = context.hints.hint(column, in: table.columns.map(\.name))
            let message = "A link leads to a column that \(target) does not have\(hint)."
            return [finding("link.unknown-target", entry, link, message, Self.correct)]
        }
        guard context.isPersonal(link.target) else {
            let message = "A link leads to \(target), which the plan calls not personal."
            let remedy =
                "Correct the link. If a question declared it, change the answer: "
                + "\(AnswerCommand.text(.unrelated, link.columns, of: entry.table))"
            return [finding("link.target-not-personal", entry, link, message, remedy)]
        }
        return []
    }

    /// Whether the database has the key that the plan names, with the same action.
    private func key(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard link.list == nil else { return [] }
        let keys = context.map.keys(of: entry.table).filter { $0.key.isSame(as: link) }
        guard let planned = link.onDelete else {
            guard let key = keys.first?.key, link.path.isEmpty else { return [] }
            let message =
                "The plan has this link without a key, but the database has a key (\(key.onDelete.rawValue))."
            return [finding("key.added", entry, link, message, "Add `key: \(key.onDelete.rawValue)` to the link.")]
        }
        guard let live = keys.first?.key else {
            let remedy = "If the link is still right, remove `key:` from it; rows are then found by value alone."
            return [finding("key.gone", entry, link, "The database no longer has this foreign key.", remedy)]
        }
        guard !keys.contains(where: { $0.key.onDelete == planned }) else {
            guard !live.isValidated else { return [] }
            if live.areTriggersDisabled == true {
                let message =
                    "The triggers of this key are disabled, so the database enforces it neither for new rows nor at "
                    + "deletions."
                let remedy = "Enable them on both tables (ALTER TABLE … ENABLE TRIGGER ALL); look for dangling rows."
                return [finding("key.disabled", entry, link, message, remedy, .warning)]
            }
            let message = "The database has not validated this key in older rows; some may refer to missing rows."
            let remedy = "Validate the key (ALTER TABLE … VALIDATE CONSTRAINT …)."
            return [finding("key.not-validated", entry, link, message, remedy, .warning)]
        }
        let message = "The key's action is \(live.onDelete.rawValue), the plan says \(planned.rawValue)."
        let remedy = "Decide again what happens to these rows, then write `key: \(live.onDelete.rawValue)`."
        return [finding("key.changed", entry, link, message, remedy)]
    }

    private func types(_ link: Link, of entry: TablePlan) -> [Finding] {
        for (from, to) in zip(link.columns, link.targetColumns) {
            guard let column = context.map.column(entry.table, from), let key = context.map.column(link.target, to)
            else {
                continue
            }
            guard link.list == nil else { return [] }
            guard link.path.isEmpty else {
                guard let finding = path(link, into: column, of: entry) ?? spelling(link, of: key, in: entry) else {
                    continue
                }
                return [finding]
            }
            if column.isIncomparable || key.isIncomparable {
                let message =
                    "\(column.isIncomparable ? "This column" : "The column that this link leads to") has a collation "
                    + "that the app defines itself, so Farewell cannot compare its values."
                return [
                    Finding(
                        "link.loose", .error, table: entry.table, column: from, message, remedy: Self.looseRemedy)
                ]
            }
            if column.kind == .text, let finding = spelling(link, of: key, in: entry) { return [finding] }
            // SQLite keeps any value in a column of bytes, and finds it by its own kind.
            if column.kind == .bytes, !context.map.schema.dialect.hasColumnTypes { continue }
            guard !Self.compare(column.kind, key.kind) || isForeign(column, to: key) else { continue }
            let message = "A \(Shown.name(column.type)) here cannot equal a \(Shown.name(key.type)) there."
            let remedy = column.kind == .json ? "Add `path:` with the members that lead to the value." : Self.correct
            return [finding("link.type", entry, link, message, remedy)]
        }
        return []
    }

    /// Only texts have letters, and the subject's own key is compared as it was given.
    private func letters(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard link.ignoresCase, let name = link.columns.first, let target = link.targetColumns.first,
            let column = context.map.column(entry.table, name), let key = context.map.column(link.target, target)
        else { return [] }
        let columns: [SchemaColumn] = [column, key]
        let areTexts = columns.allSatisfy { ($0.kind == .text || $0.looseEquality != nil) && $0.labels == nil }
        guard !areTexts || context.paths.holdsSubjectKey(link) else { return [] }
        let message: String =
            areTexts
            ? "`case: ignored` does not fit a link to the subject's own key."
            : "`case: ignored` compares texts, but a column of this link holds none."
        return [finding("link.case-unfit", entry, link, message, "Remove `case: ignored`.")]
    }

    /// The key decides which values are equal: a column that does not regard letter case may hold its value in another
    /// spelling, which the app takes for the same and the link does not find. A key of the database allows none.
    private func spellings(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard link.onDelete == nil, link.path.isEmpty, link.list == nil else { return [] }
        return zip(link.columns, link.targetColumns).compactMap { from, to in
            guard let column = context.map.column(entry.table, from), let key = context.map.column(link.target, to)
            else { return nil }
            if column.isPadded, key.kind == .text, key.looseEquality == nil, key.labels == nil, !key.isPadded {
                return padded(link, column, to, of: entry)
            }
            guard let equality = column.looseEquality, !column.isIncomparable, key.looseEquality == nil,
                !link.ignoresCase
            else { return nil }
            let target = Shown.name(ColumnName(link.target, to).description)
            return Finding(
                "link.exact-key", .warning, table: entry.table, column: from,
                "\(Shown.name(equality)) treats differently written values as equal here, but \(target) does not: the "
                    + "link does not find a value in another spelling, such as in other letter case.",
                remedy: "Write the values as \(target) has them, and add a foreign key; or give both columns one type "
                    + "and collation. `farewell verify --deep` searches for other spellings.")
        }
    }

    /// PostgreSQL: a column without the spaces at the end of a value, beside keys that may have some.
    private func padded(_ link: Link, _ column: SchemaColumn, _ to: String, of entry: TablePlan) -> Finding {
        let target = Shown.name(ColumnName(link.target, to).description)
        return Finding(
            "link.exact-key", .warning, table: entry.table, column: column.name,
            "\(Shown.name(column.type)) does not keep spaces at the end of a value, but \(target) does: the link finds "
                + "nothing for a key that ends with spaces, and takes its rows for those of the key without them.",
            remedy: "Give both columns one type, or make sure that no value of \(target) ends with a space.")
    }

    /// PostgreSQL: whether the column is of a type compared with nothing but itself, and the key of another kind.
    private func isForeign(_ column: SchemaColumn, to key: SchemaColumn) -> Bool {
        context.map.schema.dialect.hasColumnTypes && column.kind == .other && key.kind != .other
    }

    /// PostgreSQL: several texts may mean one value of a special type (`10.0.0.1` and `10.0.0.1/32` are one `inet`),
    /// but only one of them would match.
    private func spelling(_ link: Link, of key: SchemaColumn, in entry: TablePlan) -> Finding? {
        guard context.map.schema.dialect.hasColumnTypes, key.kind == .other else { return nil }
        let type = Shown.name(key.type)
        let message = "Text can spell one \(type) in several ways, but the link finds only one spelling."
        return finding("link.loose", entry, link, message, "Give the column the type \(type), or link by another key.")
    }

    /// The reason why a path cannot be followed into a column.
    ///
    /// SQLite tests whether a text is JSON. PostgreSQL 15 has no such test that does not fail, so a user who can write
    /// such a text could stop every erasure.
    private func path(_ link: Link, into column: SchemaColumn, of entry: TablePlan) -> Finding? {
        let type = Shown.name(column.type)
        switch (column.kind, context.map.schema.dialect.failsOnOtherThanJSON) {
        case (.json, _), (.text, false): return nil
        case (.text, true):
            let message = "A path leads into this column, but its type is \(type): one row with invalid JSON would "
            return finding(
                "link.type", entry, link, message + "stop every erasure.",
                "Make the column jsonb, or link a column with the value itself.")
        default:
            let message = "A path leads into this column, but its type is \(type), not JSON."
            return finding("link.type", entry, link, message, "Remove the path, or link another column.")
        }
    }

    private static let looseRemedy = "Link by another key, or give the column a collation of SQLite's own."

    private func nullability(_ link: Link, of entry: TablePlan) -> [Finding] {
        guard link.shared == .unlink, link.path.isEmpty, let table = context.map[entry.table] else { return [] }
        let columns = ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link))
        let fixed = link.columns.first { table[$0]?.isNullable == false }
        guard let column = columns.isEmpty ? fixed ?? link.columns.first : columns.first(where: { $0 == fixed }) else {
            return []
        }
        let obstacle = LostValue(link, in: table).obstacle ?? .fixed
        let change = obstacle.remedy
        return [
            Finding(
                "link.unlink-not-null", .error, table: entry.table, column: column,
                column == fixed
                    ? "`shared: unlink` empties this column, but it may not be null."
                    : "`shared: unlink` cannot empty a column of this link. \(obstacle.cause)",
                remedy: "Write `shared: erase`, or \(change.prefix(1).lowercased())\(change.dropFirst()).")
        ]
    }

    /// Whether no row of a table is the subject's: every link there is a reference.
    private func isOnlyNaming(_ table: TableName) -> Bool {
        guard table != context.plan.subject.table, let links = context[table]?.links else { return false }
        return !links.isEmpty && links.allSatisfy(\.isReference)
    }

    /// Keys to personal tables that the plan does not mention.
    private func added(_ entry: TablePlan) -> [Finding] {
        context.map.keys(of: entry.table).compactMap { key in
            guard context.isPersonal(key.key.target), !entry.links.contains(where: { key.key.isSame(as: $0) }),
                !context.keepsParent(key.key), !isOnlyNaming(key.key.target),
                !SettledKey.isAnswered(key.key, of: entry, context)
            else { return nil }
            if let finding = KeyOfUsersCheck(context).finding(key.key, of: entry) { return finding }
            let isEmptied = key.key.onDelete == .setNull || key.key.onDelete == .setDefault
            if isEmptied, entry.rule.erasesRows, context.isErased(key.key.target) {
                // A key may name the columns that it sets; the others keep their values.
                let emptied = key.key.emptiedColumns
                let subject =
                    key.key.columns.count == 1
                    ? "this key" : "\(Shown.line(emptied.joined(separator: ", "), limit: 120)) of this key"
                return Finding(
                    "key.emptied", .note, table: entry.table, column: emptied.first,
                    "The database empties \(subject) (\(key.key.onDelete.rawValue)) when the row of "
                        + "\(Shown.name(key.key.target.description)) is deleted; "
                        + "the row here is kept unless another link erases it."
                )
            }
            let isErased = context.isErased(key.key.target)
            return Finding(
                "key.added", isErased ? .error : .warning, table: entry.table, column: key.key.columns.first,
                "A foreign key leads to \(Shown.name(key.key.target.description)) "
                    + "(\(key.key.onDelete.rawValue)), and the plan lacks it.",
                remedy: ownedRemedy(key.key, of: entry)
                    ?? (key.key.isPaired ? adding(key.key, to: entry) : "Use columns that are a key there."))
        }
    }

    /// The link to add. Rows that other links find may be another user's, so the link owns them only if the author says
    /// so.
    private func adding(_ key: ForeignKey, to entry: TablePlan) -> String {
        let targets = key.targetColumns.map { ColumnName(key.target, $0).description }
        let link =
            "Add {from: [\(Shown.line(key.columns.joined(separator: ", "), limit: 120))], to: "
            + "[\(Shown.line(targets.joined(separator: ", "), limit: 200))], key: \(key.onDelete.rawValue)"
        guard !entry.links.isEmpty else { return link + "}." }
        // The database deletes a row with the one that it cannot be without.
        let isBound =
            key.onDelete == .cascade
            && key.columns.allSatisfy { context.map.column(entry.table, $0)?.isNullable == false }
        let either = isBound ? ("owner", "reference", "the rows stay") : ("reference", "owner", "the rows are deleted")
        // About a column that the plan has, the merge takes the question for decided.
        let isNew = key.columns.contains { name in !entry.columns.contains { $0.name == name } }
        return link + ", role: \(either.0)}, or with `role: \(either.1)` if \(either.2) when the row there is deleted"
            + (isNew ? "; `farewell init --merge` asks about it if the schema leaves that open." : ".")
    }

    /// Where rows here own rows there, and those are also deleted by other links, one of the two has to end: a link to
    /// them would make a circle.
    private func ownedRemedy(_ key: ForeignKey, of entry: TablePlan) -> String? {
        let links = context[key.target]?.links ?? []
        let isOwned = links.contains { link in
            link.isOwnedParent && link.target == entry.table && link.targetColumns == key.columns
        }
        guard isOwned, let other = links.first(where: { !$0.isOwnedParent && !$0.isReference }) else { return nil }
        let by = Shown.line(other.columns.joined(separator: ", "), limit: 120)
        return "Rows there are also deleted by \(by), which suffices: remove `parent: owned`. If a question declared "
            + "it, change the answer: \(AnswerCommand.text(.unrelated, key.targetColumns, of: key.target))"
    }

    /// Whether values of the two kinds can be equal: same kind, numbers among themselves, or one is text.
    private static func compare(_ left: SchemaColumn.Kind, _ right: SchemaColumn.Kind) -> Bool {
        if left == right { return left != .json }
        let numbers: Set<SchemaColumn.Kind> = [.integer, .number]
        if numbers.contains(left), numbers.contains(right) { return true }
        let textual: Set<SchemaColumn.Kind> = [.text, .uuid, .integer, .number, .other]
        return left == .other || right == .other
            || (left == .text || right == .text) && textual.contains(left) && textual.contains(right)
    }

    private static func example(_ subject: SubjectRoot) -> String {
        Shown.line(ColumnName(subject.table, subject.key).description, limit: 160)
    }

    private static let correct = "Correct the link."

    private func finding(
        _ code: Finding.Code, _ entry: TablePlan, _ link: Link, _ message: String, _ remedy: String,
        _ severity: Finding.Severity = .error
    ) -> Finding {
        Finding(code, severity, table: entry.table, column: link.columns.first, message, remedy: remedy)
    }
}
