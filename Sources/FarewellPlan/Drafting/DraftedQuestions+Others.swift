// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// Addresses of other persons in rows that are, or may be, those of their own user.
    func others(_ table: SchemaTable, _ questions: [PlanQuestion]) -> [PlanQuestion] {
        guard reach.possible.contains(table.name), !isSubject(table.name), !reach.onePerPerson.contains(table.name),
            table.kind != .materializedView
        else { return [] }
        let linking = (reach.keys[table.name] ?? []).flatMap(\.key.columns) + questions.flatMap(\.columns)
        return staying.contact.questions(ofOthersIn: table, linking: Set(linking), belonging(of: table))
    }

    private func belonging(of table: SchemaTable) -> ContactColumns.Belonging {
        let declared = (reach.keys[table.name] ?? []).filter { key, ownership in
            if case .reference = ownership { return false }
            return !reach.onlyEmpties(key, in: table)
        }
        let guessed = (reach.suspected[table.name] ?? []).filter { $0.typeColumn == nil && $0.link.list == nil }
        let links = declared.map(\.key.link) + guessed.map(\.link) + (reach.declared[table.name] ?? [])
        return ContactColumns.Belonging(
            areErased: reach.erased.contains(table.name), mayHaveUser: mayHaveUser(besides: nil, in: table), table,
            links, isOfPeople: isOfPeople)
    }

    /// Whether a key, or a column that may be one, says whose a row is, so that the address of another person there
    /// does not.
    func mayHaveUser(besides suspect: SuspectedLink?, in table: SchemaTable) -> Bool {
        !(reach.keys[table.name] ?? []).isEmpty || !(reach.declared[table.name] ?? []).isEmpty
            || (reach.suspected[table.name] ?? []).contains { other in
                other.column.name != suspect?.column.name && other.link.list == nil
                    && !(other.isNaturalName && ContactColumns.isOfAnother(other.column))
            }
    }
}

extension DraftedQuestions {
    /// Whether another column names the user who owns the row. A column for the user who created, handled or received
    /// the row does not count. If there is an owner, the guessed link names a second user, or a row of a second user. A
    /// doubtful guess counts, because the row would be deleted with a row of another user.
    func hasOwnUser(besides suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        // An employee created the order, but the customer owns it.
        if suspect.role == .maker {
            return table.columns.contains { column in
                let name = KeyName(column.name)
                return column.name != suspect.column.name && name.isKey && PersonNames.role(name) == .owner
                    && isBeside([column.name], suspect, in: table)
            }
        }
        guard !isOfPeople(suspect.link.target) else { return false }
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in
            let role = PersonNames.role(
                KeyOwnership.Path(key: key, isDirect: true).name(in: table), in: table.name)
            return isOfPeople(key.target) && key.target != table.name && role != .maker && role != .handler
                && role != .otherSide
                && !key.columns.contains(suspect.column.name) && isBeside(key.columns, suspect, in: table)
        }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains { other in
                other.column.name != suspect.column.name && other.typeColumn == nil && other.link.list == nil
                    && isOfPeople(other.link.target) && other.role == .owner && (!other.isDoubtful || other.isGuess)
                    && !other.isFar(from: reach.root) && isBeside([other.column.name], suspect, in: table)
            }
    }

    /// Whether a row may name a user in these columns and in the column of a guessed link. Where a check allows only
    /// one of them, each names the only user of its row.
    func isBeside(_ columns: [String], _ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        columns.allSatisfy { table.mayHaveBoth($0, suspect.column.name) }
    }

    /// Whether a key may become null, or only names the maker of the row, while another key, which is never null, leads
    /// to the user of the row. An example is the wall's user in a post that another user wrote. A key to a user says
    /// more than a key to something that a user owns, unless the row only continues that.
    func hasCertainUser(besides key: ForeignKey, in table: SchemaTable) -> Bool {
        let path = KeyOwnership.Path(key: key, isDirect: isOfPeople(key.target))
        let role = PersonNames.role(path.name(in: table), in: table.name)
        let isOther = role == .maker || role != .owner && continuesRow(table)
        guard path.isClearable(in: table) || path.isDirect && isOther && !path.isEvident(in: table) else {
            return false
        }
        guard !RowOfAnother.cannotStay(path, in: table) else { return false }
        // The only row about a comment goes with it, as the database says, unless it has its own user.
        let isOnlyRow = !path.isDirect && key.onDelete == .cascade && table.isUnique(key.columns)
        return (reach.keys[table.name] ?? []).contains { other, ownership in
            if case .reference = ownership { return false }
            let rival = KeyOwnership.Path(key: other, isDirect: isOfPeople(other.target))
            guard Set(other.columns).isDisjoint(with: key.columns), other.target != table.name,
                rival.isDirect || !path.isDirect && !isOnlyRow || rival.isContinuation(in: table),
                KeyOwnership.isCertain(rival, in: table),
                !outranks(path.name(in: table), rival.name(in: table), in: table)
            else { return false }
            return path.isClearable(in: table) || rival.isContinuation(in: table)
                || PersonNames.role(rival.name(in: table)) == .owner
        }
    }

    private func continuesRow(_ table: SchemaTable) -> Bool {
        table.foreignKeys.contains { KeyOwnership.Path(key: $0, isDirect: false).isContinuation(in: table) }
    }

    /// The same for a column without a key.
    func hasCertainUser(besides suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        func isCertain(_ name: KeyName, _ columns: [String]) -> Bool {
            columns.allSatisfy { table[$0]?.isNullable == false } && !columns.contains(suspect.column.name)
                && PersonNames.role(name, in: table.name) != .handler && !outranks(suspect.name, name, in: table)
        }
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in
            let path = KeyOwnership.Path(key: key, isDirect: true)
            return isOfPeople(key.target) && key.target != table.name && isCertain(path.name(in: table), key.columns)
                || path.isContinuation(in: table) && !key.columns.contains(suspect.column.name)
        }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains { other in
                other.typeColumn == nil && other.link.list == nil && isOfPeople(other.link.target)
                    && !other.isDoubtful && !other.isGuess && !other.isFar(from: reach.root)
                    && isCertain(other.name, [other.column.name])
            }
    }

    /// Whether a column names the owner in plain words, and another tells only a deed: `user_id` beside `uploader_id`.
    private func outranks(_ name: KeyName, _ other: KeyName, in table: SchemaTable) -> Bool {
        OwnerName.isPlain(name, in: table.name) && OwnerName.tellsDeed(other)
    }

    /// Whether a key leaves open whose the row is, and something else in the row may make it another user's: the row
    /// then stays first.
    func saysLess(_ key: ForeignKey, in table: SchemaTable) -> Bool {
        let path = KeyOwnership.Path(key: key, isDirect: isOfPeople(key.target))
        guard key.target != table.name, !path.isEvident(in: table) else { return false }
        guard path.isDirect else {
            return path.isClearable(in: table)
                && reach.guessedOwners(of: table).contains { Set($0.key.columns).isDisjoint(with: key.columns) }
        }
        let name = path.name(in: table)
        if path.isClearable(in: table),
            OwnerName.isOpen(name, in: table) || RowVersions.areIn(table, besides: key.columns)
                || KeyOwnership.isOfGroup(path, in: table) || KeyOwnership.isOfNamedGroup(path, in: table)
        {
            return true
        }
        let isOwners = PersonNames.role(name, in: table.name) == .owner
        if OwnerName.namesAnother(table), !isOwners || OwnerName.isOpen(name, in: table) { return true }
        return isOwners && OwnerName.tellsDeed(name) && namesOwner(besides: key.columns, in: table)
    }

    /// The same for a column without a key that may lead to users.
    func saysLess(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        guard isOfPeople(suspect.link.target), suspect.role == .owner, suspect.typeColumn == nil else { return false }
        let isOpen = OwnerName.isOpen(suspect.name, in: table)
        if isOpen, OwnerName.namesAnother(table) { return true }
        if OwnerName.tellsDeed(suspect.name), namesOwner(besides: [suspect.column.name], in: table) { return true }
        let isNullable = suspect.column.isNullable && !table.primaryKey.contains(suspect.column.name)
        let key = ForeignKey(
            columns: suspect.link.columns, target: suspect.link.target, targetColumns: suspect.link.targetColumns)
        return isNullable
            && (isOpen || RowVersions.areIn(table, besides: [suspect.column.name])
                || KeyOwnership.isOfGroup(KeyOwnership.Path(key: key, isDirect: true), in: table))
    }

    /// Whether another column of the row names its owner in plain words, by a key of the database or without.
    private func namesOwner(besides columns: [String], in table: SchemaTable) -> Bool {
        let declared = (reach.keys[table.name] ?? []).map(\.key).filter { key in
            isOfPeople(key.target) && key.target != table.name && Set(key.columns).isDisjoint(with: columns)
        }.map { KeyOwnership.Path(key: $0, isDirect: true).name(in: table) }
        let guessed = (reach.suspected[table.name] ?? []).filter { other in
            !columns.contains(other.column.name) && other.role == .owner && other.typeColumn == nil
                && other.link.list == nil && isOfPeople(other.link.target) && !other.isDoubtful
                && !other.isFar(from: reach.root)
        }.map(\.name)
        return (declared + guessed).contains { OwnerName.isPlain($0, in: table.name) }
    }

    /// Whether another column of the row may name a user.
    func namesUser(besides suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in isOfPeople(key.target) }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains {
                $0.column.name != suspect.column.name && $0.link.list == nil && !$0.isGuess
                    && isOfPeople($0.link.target)
            }
    }

    func isOfPeople(_ table: TableName) -> Bool {
        isSubject(table) || reach.onePerPerson.contains(table) || reach.suspects.isOfPeople(table)
    }
}
