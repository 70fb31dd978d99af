// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The values that can replace personal values in a user's rows that stay.
struct RemovedValues {
    private let through: Link?
    private let table: SchemaTable
    /// The columns to which keys lead, in this table or from others.
    private let keyed: Set<String>

    enum Removal: Hashable {
        case null
        /// A word, the same in every row.
        case word
        case impossible
    }

    /// - Parameter links: Those that lead to users, and whose rows stay.
    init(links: [Link], in table: SchemaTable, _ map: SchemaMap) {
        let links = links.filter { link in
            !link.columns.contains { ContactColumns.kind(PersonNames.words($0)) != nil }
        }
        through = Self.through(links, in: table)
        self.table = table
        keyed = Set(
            table.foreignKeys.flatMap(\.columns) + map.keys(to: table.name).flatMap(\.key.targetColumns))
    }

    /// The link that finds the rows of one user, of those that lead to users and lose their value: the only one, or the
    /// only one that gives each user at most one row.
    private static func through(_ links: [Link], in table: SchemaTable) -> Link? {
        var found: [Link] = []
        for link in links where !found.contains(where: { $0.columns == link.columns }) { found.append(link) }
        let own = found.filter { table.isUnique($0.columns) }
        guard let link = own.count == 1 ? own.first : found.count == 1 ? found.first : nil, link.columns.count == 1,
            link.path.isEmpty, link.list == nil, link.condition.isEmpty, !link.isOwnedParent,
            LostValue(link, in: table).isClearable
        else { return nil }
        var plain = link
        plain.role = nil
        plain.replacement = nil
        return plain
    }

    private static let word = "deleted"

    func of(_ column: SchemaColumn) -> Removal {
        guard let through, !keyed.contains(column.name) else { return .impossible }
        let value = Link(columns: [column.name], target: through.target, targetColumns: through.targetColumns)
        let lost = LostValue(value, in: table)
        if lost.isClearable { return .null }
        let isFree =
            lost.isReplaceable && column.kind == .text && column.labels == nil
            && !table.checks.contains { $0.columns.contains(column.name) }
        return isFree && ConstantFit.problem(Self.word, column) == nil ? .word : .impossible
    }

    /// The questions about personal columns: those that can be emptied, those in which a word replaces the value, and
    /// the others.
    func questions(about columns: [SchemaColumn]) -> [PlanQuestion] {
        let removals = Dictionary(grouping: columns, by: of)
        return [Removal.null, .word, .impossible].compactMap { removal in
            removals[removal].map { question(about: $0.map(\.name), removal) }
        }
    }

    private func question(about columns: [String], _ removal: Removal) -> PlanQuestion {
        let reason = "An erasure keeps the rows, and by their names these columns may describe the subject; "
        guard let through, removal != .impossible else {
            return PlanQuestion(
                table: table.name, columns: columns,
                reason: reason + "if so, \(StayingColumns.owningLink), and give the table the rule anonymise and each "
                    + "of these columns a rule.",
                answers: [.unrelated])
        }
        let key = Shown.line(through.columns.joined(separator: ", "), limit: 120)
        let effect = removal == .null ? "these values become null" : "`\(Self.word)` replaces these values"
        return PlanQuestion(
            table: table.name, columns: columns,
            reason: reason + "anonymise: where \(key) names the subject, \(effect).",
            answers: isOwners(through) ? [.anonymise, .unrelated] : [.unrelated, .anonymise],
            through: through, replacement: removal == .word ? Self.word : nil)
    }

    /// Whether the user whom a link names is rather the person whom the row describes than one that handled it.
    private func isOwners(_ link: Link) -> Bool {
        // A version of a row describes whom the row describes, not the user that saved it.
        guard let name = link.columns.last, !RowVersions.areIn(table, besides: link.columns) else { return false }
        let role = PersonNames.role(KeyName(name), in: table.name)
        return role == .owner || role != .handler && role != .maker && table.isUnique(link.columns)
    }
}
