// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension DraftedQuestions {
    /// Says which other columns of a row may name another user, for whom the answer `owner` deletes the row as well.
    ///
    /// A user that only handled the row loses nothing with it.
    func namingOthers(_ question: PlanQuestion, in table: SchemaTable) -> PlanQuestion {
        guard let link = question.link, !link.isOwnedParent, link.list == nil, link.target != table.name,
            question.answers.contains(.owner), !isSubject(table.name), !question.reason.contains("owner deletes")
        else { return question }
        let asked = Set(question.columns + question.links.flatMap(\.columns))
        let declared = (reach.keys[table.name] ?? []).map(\.key).filter { key in
            isOfPeople(key.target) && key.target != table.name && asked.isDisjoint(with: key.columns)
        }.compactMap { key in key.columns.first { PersonNames.role(KeyName($0), in: table.name) != nil } }
        let guessed = (reach.suspected[table.name] ?? []).filter { other in
            !asked.contains(other.column.name) && other.link.list == nil && other.typeColumn == nil
                && !other.isDoubtful && !other.isGuess && !other.isFar(from: reach.root)
                && isOfPeople(other.link.target)
        }.map(\.column.name)
        let names = Set(declared + guessed).sorted().filter { name in
            PersonNames.role(KeyName(name), in: table.name) != .handler
        }
        guard !names.isEmpty else { return question }
        let shown = names.prefix(3).map { Shown.line($0, limit: 120) }.joined(separator: ", ")
        var question = question
        question.add(
            names.count == 1
                ? "\(shown) may name another user, and owner deletes the row for that user, too"
                : "\(shown) may name other users, and owner deletes the row for them, too")
        return question
    }

    /// Whether a key names a user under the users' own noun, in a table whose name begins with that noun:
    /// `editor_preferences.editor_id` where the users are editors. Elsewhere an editor may have only handled the row.
    func isNamedAfterUsers(_ key: ForeignKey, in table: SchemaTable) -> Bool {
        let path = KeyOwnership.Path(key: key, isDirect: true)
        let name = path.name(in: table)
        return PersonNames.role(name, in: table.name) == .handler && isOfUsers(name, to: key.target, in: table)
            && !reach.groups.contains(table) && !KeyOwnership.isAboutAnother(path, in: table)
    }

    /// The same for a column without a key, in a row that names no other user.
    func isNamedAfterUsers(_ suspect: SuspectedLink, in table: SchemaTable) -> Bool {
        isOfUsers(suspect.name, to: suspect.link.target, in: table) && !namesUser(besides: suspect, in: table)
    }

    private func isOfUsers(_ name: KeyName, to target: TableName, in table: SchemaTable) -> Bool {
        let noun = PersonNames.noun(of: reach.root.table)
        let words = PersonNames.words(table.name.name)
        return target == reach.root.table && name.words == [noun]
            && words.count > 1 && EnglishNoun.forms(words[0]).contains(noun)
    }
}
