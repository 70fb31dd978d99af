// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension ContactColumns {
    /// How the rows of a table belong to users.
    struct Belonging {
        /// Whether the rows are certainly deleted with their own user.
        let areErased: Bool
        /// Whether something else than an address says, or may say, whose a row is.
        let mayHaveUser: Bool
        /// Whether the rows name their user only through rows of other tables.
        let isThroughOthers: Bool
        /// The columns of which one names the user of a row, if all of them may be empty: a guest's order has none.
        let openKeys: [String]

        /// - Parameters:
        ///   - mayHaveUser: Whether something else than an address says, or may say, whose a row is.
        ///   - links: The links that own the rows, or may.
        ///   - isOfPeople: Whether a table has one row for each user.
        init(
            areErased: Bool, mayHaveUser: Bool, _ table: SchemaTable, _ links: [Link],
            isOfPeople: (TableName) -> Bool
        ) {
            self.areErased = areErased
            self.mayHaveUser = mayHaveUser
            func mayBeEmpty(_ column: String) -> Bool {
                table[column]?.isNullable == true && !table.primaryKey.contains(column)
            }
            let isNamed = links.contains { link in
                isOfPeople(link.target) && link.columns.allSatisfy { table[$0]?.isNullable == false }
            }
            isThroughOthers = !isNamed && links.contains { !isOfPeople($0.target) && $0.target != table.name }
            let areOpen = links.allSatisfy { link in
                isOfPeople(link.target) && link.path.isEmpty && link.condition.isEmpty
                    && link.columns.count(where: mayBeEmpty) == 1
            }
            openKeys = areOpen ? Set(links.flatMap(\.columns).filter(mayBeEmpty)).sorted() : []
        }
    }

    /// The questions about addresses of other persons in rows of a user, such as `invitations.email`: they may be
    /// those of another subject. If several users may have one address, the question only says that it stays.
    ///
    /// Where rows are deleted through other rows only, such as the history of a document, every address may be another
    /// person's. An address deletes no row that may have its own user, unless the value could not be lost.
    func questions(ofOthersIn table: SchemaTable, linking: Set<String>, _ belonging: Belonging) -> [PlanQuestion] {
        let isOfOthers = PersonNames.words(table.name.name).contains { Self.others.contains(EnglishNoun.singular($0)) }
        return table.columns.flatMap { column -> [PlanQuestion] in
            let isCopy = Self.isCopy(column, of: table.name)
            guard let kind = isCopy ? .email : Self.kind(column, of: table.name), let own = own[kind],
                own.table != table.name, !linking.contains(column.name),
                !column.isIncomparable, !column.isComputed
            else { return [] }
            let words = PersonNames.words(column.name)
            let isNamed = isOfOthers || words.contains(where: Self.isAnother) || Self.isOfDoer(words)
            let address = Address(
                column: column, kind: kind, own: own, isNamed: isNamed, isCopy: isCopy,
                isSent: isCopy || !isNamed && Self.isReceiver(words))
            let mayBeGuests = !isNamed && belonging.areErased && !belonging.openKeys.isEmpty
            guard unique.contains(own) else {
                // Few apps keep telephone numbers unique: an address says more about the person in the row.
                let mayBeOthers = mayBeGuests || belonging.areErased && belonging.isThroughOthers
                guard kind == .email, !isCopy, isNamed || mayBeOthers else { return [] }
                return [stayingAnyway(address, belonging.openKeys, in: table)]
            }
            guard mayBeGuests else {
                return question(address, in: table, belonging).map { [$0] } ?? []
            }
            // The receiver of what another user sent, and of what no user sent.
            let sent = address.isSent ? question(address, in: table, belonging) : nil
            let alone = isCopy ? nil : guests(address, belonging.openKeys, in: table)
            return [sent, alone].compactMap(\.self)
        }
    }

    /// A column with addresses or numbers, in rows that belong to users or may.
    private struct Address {
        let column: SchemaColumn
        let kind: Kind
        /// The subject's own address or number.
        let own: ColumnName
        /// Whether the names of column or table mean another person than the row's own user.
        let isNamed: Bool
        let isCopy: Bool
        /// Whether it is the address to which the row's own user sent something.
        let isSent: Bool
    }

    /// `created_by_email`: the address of a user who acted on the row. The row may belong to another user.
    private static func isOfDoer(_ words: [String]) -> Bool {
        guard let by = words.lastIndex(of: "by"), by > 0 else { return false }
        return PersonNoun.role(ofAct: words[by - 1]) != nil
    }

    /// `sent_to`, `to_email`, `destination`; `reply_to_email` is more often the row's own user's.
    private static func isReceiver(_ words: [String]) -> Bool {
        words.contains { $0 == "to" || receivers.contains($0) } && !words.contains("reply")
    }

    /// The question about the rows of every user; `nil` if the address is rather that of the row's own user.
    private func question(_ address: Address, in table: SchemaTable, _ belonging: Belonging) -> PlanQuestion? {
        let (column, isNamed) = (address.column, address.isNamed)
        let what = Self.plural(address.kind)
        let there = Shown.line(address.own.description, limit: 160)
        let link = link(column.name, to: address.own)
        let canLose = LostValue(link, in: table).isPossible
        let isLost = canLose && !Self.isFixed(column.name, in: table)
        let keepsRow = belonging.areErased && isLost
        let isOthers = isNamed || belonging.areErased && belonging.isThroughOthers
        guard address.isSent && keepsRow || isOthers && !address.isCopy else { return nil }
        let mayKeep = isLost && (belonging.mayHaveUser || Self.hasOwnAddress(table, besides: column))
        let reference = canLose ? "; reference: only the value is removed" : ""
        let removed = "reference: a value equal to the subject's \(there) is removed"
        let answers =
            keepsRow
            ? "\(removed); the row stays\(isNamed ? "" : Self.beside(column, in: table)), because it is deleted "
                + "with its own user only."
            : mayKeep
                ? "\(removed); owner: the row is deleted, although it may be that of another user."
                : "owner: rows are also deleted with the user that has the same \(there)\(reference)."
        let owners =
            isNamed
            ? " of other persons than the row's own user"
            : address.isSent && !isOthers
                ? ", which may be those of other persons than the row's own user"
                : ", and only other rows say whose rows these are, so they may be those of other users"
        return PlanQuestion(
            table: table.name, columns: [column.name],
            reason: "\(Shown.line(column.name, limit: 80)) contains \(what)\(owners); \(answers)",
            link: link,
            answers: keepsRow
                ? [.reference, .unrelated]
                : mayKeep ? [.reference, .owner, .unrelated] : [.owner, .reference, .unrelated])
    }

    /// The question about rows that may have no user, such as a guest's order: the address says whose they are. The
    /// receiver's does so only if no other address may.
    private func guests(_ address: Address, _ keys: [String], in table: SchemaTable) -> PlanQuestion {
        let column = address.column
        let there = Shown.line(address.own.description, limit: 160)
        let open = Shown.line(keys.joined(separator: ", "), limit: 120)
        let link = link(
            column.name, to: address.own,
            where: LinkCondition(keys.map { LinkCondition.Part(column: $0, values: []) }))
        let isOthers = address.isSent && Self.hasOwnAddress(table, besides: column)
        return PlanQuestion(
            table: table.name, columns: [column.name],
            reason: "\(Shown.line(column.name, limit: 80)) contains \(Self.plural(address.kind)), and rows without "
                + "\(open), such as a guest's, name no user; owner: those rows are also deleted with the user that has "
                + "the same \(there); reference: only the value is removed from them.",
            link: link, answers: isOthers ? [.reference, .owner, .unrelated] : [.owner, .reference, .unrelated])
    }

    /// The question about such an address where the users' own address is not unique, so that no link finds it.
    private func stayingAnyway(_ address: Address, _ keys: [String], in table: SchemaTable) -> PlanQuestion {
        let there = Shown.line(address.own.description, limit: 160)
        let open = Shown.line(keys.joined(separator: ", "), limit: 120)
        let rows =
            address.isNamed
            ? " of other persons than the row's own user"
            : keys.isEmpty
                ? ", and only other rows say whose rows these are, so they may be those of other users"
                : ", and rows without \(open), such as a guest's, name no user"
        return PlanQuestion(
            table: table.name, columns: [address.column.name],
            reason: "\(Shown.line(address.column.name, limit: 80)) contains \(Self.plural(address.kind))\(rows); "
                + "\(there) is not unique, so no link finds the subject's, and they stay.",
            answers: [.unrelated])
    }

    /// Columns that describe the person with the address, and that no link finds.
    private static func beside(_ address: SchemaColumn, in table: SchemaTable) -> String {
        let names = table.columns.filter { column in
            column.name != address.name && !column.isComputed && column.kind != .boolean && column.kind != .timestamp
                && kind(column, of: table.name) == nil
                && (PersonNames.words(column.name) == ["name"] || StayingColumns.soundsPersonal(column.name))
        }.map { Shown.line($0.name, limit: 80) }
        return names.isEmpty ? "" : " with its \(names.prefix(5).joined(separator: ", "))"
    }
}
