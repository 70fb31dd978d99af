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
            return !PlanReach.empties(key)
        }
        let guessed = (reach.suspected[table.name] ?? []).filter { $0.typeColumn == nil && $0.link.list == nil }
        let links = declared.map(\.key.link) + guessed.map(\.link) + (reach.declared[table.name] ?? [])
        return ContactColumns.Belonging(
            areErased: reach.erased.contains(table.name),
            isThroughOthers: ContactColumns.Belonging.isThroughOthers(table, links) { target in
                isSubject(target) || reach.onePerPerson.contains(target) || reach.suspects.isOfPeople(target)
            })
    }
}

extension DraftedQuestions {
    /// Whether another column names the user who owns the row. A column for the user who created, handled or received
    /// the row does not count. If there is an owner, the guessed link names a second user, or a row of a second user.
    func hasOwnUser(besides suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        // An employee created the order, but the customer owns it.
        if suspect.role == .maker {
            return table.columns.contains { column in
                let name = KeyName(column.name)
                return column.name != suspect.column.name && name.isKey && PersonNames.role(name) == .owner
            }
        }
        guard !isOfPeople(suspect.link.target) else { return false }
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in
            let role = PersonNames.role(
                KeyOwnership.Road(key: key, isDirect: true).name(in: table), in: table.name)
            return isOfPeople(key.target) && key.target != table.name && role != .maker && role != .handler
                && role != .otherSide
                && !key.columns.contains(suspect.column.name)
        }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains { other in
                other.column.name != suspect.column.name && other.typeColumn == nil && other.link.list == nil
                    && isOfPeople(other.link.target) && other.role == .owner && !other.isDoubtful
                    && !other.isFar(from: reach.root)
            }
    }

    /// Whether a key may become null while another key, which is never null, names the owner of the row. An example is
    /// the wall's user in a post that another user wrote.
    func hasCertainUser(besides key: ForeignKey, in table: SchemaTable) -> Bool {
        guard isOfPeople(key.target), KeyOwnership.Road(key: key, isDirect: true).isClearable(in: table) else {
            return false
        }
        return (reach.keys[table.name] ?? []).contains { other, ownership in
            guard case .owner = ownership, other != key, isOfPeople(other.target) else { return false }
            return !KeyOwnership.Road(key: other, isDirect: true).isClearable(in: table)
        }
    }

    /// Whether another column of the row may name a user.
    func namesUser(besides suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        let isDeclared = (reach.keys[table.name] ?? []).contains { key, _ in isOfPeople(key.target) }
        return isDeclared
            || (reach.suspected[table.name] ?? []).contains {
                $0.column.name != suspect.column.name && $0.link.list == nil && isOfPeople($0.link.target)
            }
    }

    private func isOfPeople(_ table: TableName) -> Bool {
        isSubject(table) || reach.onePerPerson.contains(table) || reach.suspects.isOfPeople(table)
    }
}
