// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// The link for a column, if certain tables hold rows of subjects.
    func link(_ suspected: SuspectedColumn, isPersonal: (TableName) -> Bool) -> SuspectedLink? {
        let root = (table: subject.table, key: subject.key)
        if let other = suspected.otherKey, let found = made(suspected, to: root.table, other) { return found }
        if let key = suspected.profileKey {
            return isPersonal(key.table) ? made(suspected, to: key.table, key.column) : nil
        }
        if let sibling = suspected.typeColumn {
            // The keys of other tables may be of another type than the subject's.
            var found = made(suspected, to: root.table, root.key)
            for table in map.listed.map(\.name) where found == nil && table != suspected.table && isPersonal(table) {
                found = key(of: table).flatMap { made(suspected, to: table, $0) }
            }
            found?.typeColumn = sibling
            return found
        }
        if let natural = suspected.naturalName {
            return made(suspected, to: root.table, natural).map { link in
                var link = link
                link.isNaturalName = true
                return link
            }
        }
        for table in suspected.tables + suspected.doers where isPersonal(table) {
            // `claims` may have a unique `claim_number` beside its `id`.
            let name = suspected.column.name
            let isSame = table != root.table && map.isUnique([name], in: table)
            guard var found = isSame ? made(suspected, to: table, name) : madeToKey(suspected, of: table) else {
                continue
            }
            if suspected.role != nil, table != root.table { found.other = root.table }
            found.other = found.other ?? besidePart(table, suspected)
            if let person = suspected.person { (found.other, found.isDoubtful) = (person.rival, person.isUnclear) }
            found.hasRival = suspected.person?.rival != nil
            return found
        }
        let meansNone = haveNoNumber(suspected)
        if suspected.mayBeUser || meansNone,
            var found = made(suspected, to: root.table, root.key) ?? madeToOther(suspected)
        {
            let isUncertain = meansNone || mayBeNumber(suspected)
            // Rows that speak of profiles may speak of them here, although no row there is a user's.
            found.isDoubtful =
                isUncertain || suspected.isBeside || suspected.person?.table != nil || repeatsOther(suspected)
                || namesOtherTable(suspected) || suspected.isOutside || suspected.onlySoundsLikePerson
                || suspected.isNamedBeside && !namesTable(suspected.before, near: suspected.holder.name)
                || suspected.guess?.isDoubtful == true || suspected.isTaught && !isSubject(suspected.name.noun)
            found.other = suspected.tables.first ?? (suspected.isNearNamed ? suspected.nearTable : nil)
            if let rival = suspected.person?.rival, found.other == nil { found.other = rival }
            found.hasRival = suspected.person != nil
            return found
        }
        guard let near = suspected.nearTable, isPersonal(near), var found = madeToKey(suspected, of: near) else {
            return nil
        }
        if suspected.role != nil, near != root.table { found.other = root.table }
        return found
    }

    /// The table that bears the whole name where another of the same part of the app is meant.
    private func besidePart(_ table: TableName, _ suspected: SuspectedColumn) -> TableName? {
        guard suspected.tables.count > 1, suspected.list == nil,
            names.inPart(of: suspected.holder.name, suspected.name.words) == table
        else { return nil }
        return suspected.tables.first { $0 != table }
    }

    /// To another unique key of the subject where the subject's own cannot be meant, by its type: an `author_id` of
    /// UUIDs beside numbered users that have a UUID as well.
    private func madeToOther(_ suspected: SuspectedColumn) -> SuspectedLink? {
        guard suspected.list == nil else { return nil }
        let column = suspected.column
        return LinkTargets(map, subject).likely(column, besides: subject.key).lazy
            .compactMap { made(suspected, to: subject.table, $0) }.first { $0.fit == .same }
    }

    /// Whether the noun of a name is another table whose rows the column can name: `direct_recipient_id` beside
    /// `recipients`. A table between two others has no rows of its own, and after a deed comes a person.
    private func namesOtherTable(_ suspected: SuspectedColumn) -> Bool {
        let named = suspected.tables.first ?? (suspected.isNearNamed ? suspected.nearTable : nil)
        guard suspected.name.act == nil, suspected.name.gift == nil, let named, !isOfPeople(named),
            !isRelation(named)
        else { return false }
        guard let key = key(of: named) else { return repeatedKey(suspected, of: named) != nil }
        return map.column(named, key).map { KeyFit.of(suspected.column, $0, in: dialect) == .same } ?? false
    }

    /// Whether the users have another column of this very name, whose values it repeats: `stripe_customer_id`.
    private func repeatsOther(_ suspected: SuspectedColumn) -> Bool {
        let (column, noun) = (suspected.column.name, suspected.name.noun)
        return column != subject.key && PersonNoun.tables.contains(noun) && !isSubject(noun)
            && map.column(subject.table, column) != nil
            && !map.keys(of: subject.table).contains { $0.key.columns.contains(column) }
    }

    /// To the key of a table; where that has several columns, by the columns of the row that together repeat it.
    private func madeToKey(_ suspected: SuspectedColumn, of table: TableName) -> SuspectedLink? {
        if let key = key(of: table) { return made(suspected, to: table, key) }
        guard let repeated = repeatedKey(suspected, of: table), var found = made(suspected, to: table, repeated.own)
        else {
            return nil
        }
        if map.isUnique([repeated.own], in: table) { return found }
        guard let columns = repeated.columns else { return nil }
        (found.link.columns, found.link.targetColumns, found.link.ignoresCase) = (columns, repeated.parts, false)
        return found
    }

    /// A name that suggests a person more than a row, such as `follower_id`, repeats no key of several columns.
    private func repeatedKey(_ suspected: SuspectedColumn, of table: TableName) -> RepeatedKey? {
        guard suspected.list == nil, suspected.role == nil || PersonNoun.tables.contains(suspected.name.noun) else {
            return nil
        }
        return map[table].flatMap { RepeatedKey(named: suspected.column, in: suspected.holder, of: $0, dialect) }
    }

    func key(of table: TableName) -> String? {
        if table == subject.table || inheritsSubject(table) { return subject.key }
        guard let key = map[table]?.primaryKey, key.count == 1 else { return nil }
        return key[0]
    }

    /// Whether rows of the table are rows of the subject's table, by inheritance.
    private func inheritsSubject(_ table: TableName) -> Bool {
        var (open, seen) = (map[table]?.parents ?? [], Set<TableName>())
        while let next = open.popLast() {
            guard next != subject.table else { return true }
            if seen.insert(next).inserted { open += map[next]?.parents ?? [] }
        }
        return false
    }

    private func made(_ suspected: SuspectedColumn, to table: TableName, _ key: String) -> SuspectedLink? {
        guard let keyColumn = map.column(table, key) else { return nil }
        let column = suspected.column
        guard !column.isIncomparable, !keyColumn.isIncomparable else { return nil }
        let fit =
            if let list = suspected.list { KeyFit.ofElements(column, list, keyColumn, in: dialect) } else {
                KeyFit.of(column, keyColumn, in: dialect)
            }
        guard var fit else { return nil }
        if suspected.isWord, fit == .same { fit = .asText }
        var link = Link(columns: [column.name], target: table, targetColumns: [key], list: suspected.list)
        link.ignoresCase = ContactColumns.areAddresses(column, keyColumn, of: subject, map) && suspected.list == nil
        var found = SuspectedLink(
            column: column, name: suspected.name, link: link, role: isOfPeople(table) ? suspected.role : nil, fit: fit)
        (found.reading, found.isGuess) = (suspected.reading, suspected.guess != nil)
        return found
    }
}
