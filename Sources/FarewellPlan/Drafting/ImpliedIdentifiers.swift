// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Names of a subject beside the identifiers of the plan, by the names of columns: given and family name together,
/// further unique numbers of the subject's row, unique keys of tables with one row for each subject
/// (`profiles.public_id`), and the addresses and numbers in tables with several rows for each subject
/// (`emails.address`, `phones.e164`). A deep scan searches for these too.
///
/// A column that the plan calls not personal holds no such name if its table's rows are erased.
package struct ImpliedIdentifiers: Sendable {
    package let fullNames: [FullName]
    /// Columns whose values are identifiers.
    package let columns: [ColumnName]
    /// Columns that may hold identifiers and are not searched for, with the reason.
    package let unsearched: [(column: ColumnName, reason: String)]

    /// The largest number of values that are searched for one subject.
    package static let most = 500

    package init(_ plan: Plan, _ schema: Schema) {
        let map = SchemaMap(schema)
        let entries = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let paths = SubjectPaths(subject: plan.subject, tables: entries, map: map)
        let named = Set(plan.subject.identifiers)
        var fullNames: [FullName] = []
        var columns: [ColumnName] = []
        var unsearched: [(column: ColumnName, reason: String)] = []
        func isOpen(_ table: TableName, _ column: String) -> Bool {
            guard let entry = entries[table], entry.rule.isPersonal else { return false }
            let rule = entry.columns.first { $0.name == column }?.rule
            return rule?.isNotPersonal != true && rule?.isRetained != true
        }
        let descendants = TableDescendants(schema).of(plan.subject.table)
        let root = plan.subject.table
        let single = [root] + paths.onePerPerson.union(descendants).subtracting([root]).sorted()
        for table in single.compactMap({ map[$0] }) {
            let open = table.columns.filter {
                isOpen(table.name, $0.name) && !named.contains(ColumnName(table.name, $0.name))
            }
            let pairs = FullName.all(in: table).filter { isOpen(table.name, $0.given) && isOpen(table.name, $0.family) }
            fullNames += pairs
            let paired = Set(pairs.flatMap { [$0.given, $0.family] })
            for column in open where FullName.isPart(column) {
                let reason =
                    paired.contains(column.name)
                    ? "alone; it is searched for with the rest of the name" : "a given or family name alone"
                unsearched.append((ColumnName(table.name, column.name), reason))
            }
        }
        for column in OtherKeys(map, subject: plan.subject).numbers {
            let name = ColumnName(plan.subject.table, column.name)
            if isOpen(name.table, name.column), !named.contains(name) { columns.append(name) }
        }
        for name in ProfileKeys(map, subject: plan.subject).columns where single.contains(name.table) {
            if isOpen(name.table, name.column), !named.contains(name) { columns.append(name) }
        }
        for entry in plan.tables where entry.rule.erasesRows && !single.contains(entry.table) {
            guard let table = map[entry.table], let kinds = Self.contacts(of: table),
                entry.links.contains(where: { paths.holdsSubjectKey($0) && $0.role != .reference && $0.isWhole })
            else { continue }
            for column in kinds.columns where isOpen(table.name, column) {
                let name = ColumnName(table.name, column)
                guard !named.contains(name) else { continue }
                if kinds.areOwn {
                    columns.append(name)
                } else {
                    unsearched.append((name, "its values in other places"))
                }
            }
        }
        (self.fullNames, self.columns, self.unsearched) = (fullNames, columns, unsearched)
    }

    /// The plan's identifiers and the columns beside them, each once.
    package func read(beside identifiers: [ColumnName]) -> [ColumnName] {
        let names = fullNames.flatMap { [ColumnName($0.table, $0.given), ColumnName($0.table, $0.family)] }
        var seen = Set(identifiers)
        return identifiers + (names + columns).filter { seen.insert($0).inserted }
    }

    /// The columns of a table that hold addresses or numbers, and whether the table is about nothing else: the
    /// address of an order or an invitation may be another person's.
    private static func contacts(of table: SchemaTable) -> (columns: [String], areOwn: Bool)? {
        let keys = Set(table.foreignKeys.flatMap(\.columns))
        let isLetter = table.columns.contains { letter.contains(PersonNames.words($0.name).first ?? "") }
        let kind = isLetter ? nil : kind(ofTable: table.name.name)
        let columns = table.columns.filter { column in
            guard column.kind == .text || column.looseEquality != nil, !column.isGenerated, column.labels == nil,
                !keys.contains(column.name)
            else { return false }
            if ContactColumns.kind(column) != nil { return true }
            return kind != nil && values.contains(PersonNames.words(column.name).joined(separator: " "))
        }.map(\.name)
        return columns.isEmpty ? nil : (columns, kind != nil)
    }

    /// `emails`, `user_email_addresses`, `account_emailaddress`, `phones`; not `blocked_emails`, `invited_phones`.
    private static func kind(ofTable name: String) -> ContactColumns.Kind? {
        var words = PersonNames.words(name)
        guard let last = words.last else { return nil }
        words[words.count - 1] = EnglishNoun.singular(last)
        guard let kind = ContactColumns.kind(words) else { return nil }
        let before = words.filter { !nouns.contains($0) && ContactColumns.kind([$0]) == nil }
        let areOwn = before.allSatisfy { word in
            own.contains(word) || PersonNoun.role(EnglishNoun.singular(word)) == .owner
        }
        return areOwn ? kind : nil
    }

    private static let nouns: Set<String> = ["address", "addr", "number", "no", "nr", "e"]
    private static let own: Set<String> = [
        "people", "auth", "verified", "secondary", "additional", "alternate", "alternative", "recovery", "backup",
        "primary", "identity",
    ]
    /// First words of columns in a table of letters, which also holds addresses of other users.
    private static let letter: Set<String> = [
        "body", "subject", "content", "html", "message", "template", "recipient", "sender", "to", "from", "cc", "bcc",
    ]

    /// Names of the one value in a table of addresses or numbers.
    private static let values: Set<String> = [
        "address", "addr", "value", "number", "e", "e number", "msisdn", "contact", "normalized", "canonical",
        "address normalized", "normalized address", "address lower", "full number", "national number", "raw",
    ]
}

extension Link {
    /// Whether the link's value is a column's whole value, in every row.
    fileprivate var isWhole: Bool { path.isEmpty && condition.isEmpty && list == nil && !isOwnedParent }
}
