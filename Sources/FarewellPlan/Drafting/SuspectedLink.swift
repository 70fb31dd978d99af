// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column without a key whose name and type suggest the subject, or something that belongs to the subject.
///
/// It deletes nothing: `init` asks about it, and `check` reports it.
struct SuspectedLink {
    let column: SchemaColumn
    let name: KeyName
    var link: Link
    /// `nil` when the name speaks of a table that is neither the subject's nor one with a row for each user.
    let role: PersonNames.Role?
    let fit: KeyFit
    /// Another table that the name may speak of as well.
    var other: TableName?
    /// The column that says to which table the row leads.
    var typeColumn: SchemaColumn?
    /// Whether it leads to a unique name of the subject, such as the user name, and not to the key.
    var isNaturalName = false

    /// Whether the name rather means another table, none of whose rows is a user's.
    var isDoubtful = false

    /// Whether it leads to one of two tables of people, and the name fits the other one, too.
    var hasRival = false

    /// A column that may say to which of two tables of people a row refers.
    var teller: String?

    /// Words about a name that has to be interpreted; `nil` for plain names.
    var reading: String?

    /// Whether the name is none for a user's key.
    var isGuess = false

    /// Whether its noun is one for people whom an app knows in other tables or places as often as among its users: a
    /// client may be a program, a guest has no account. The users' own noun is none.
    func isFar(from root: SubjectRoot) -> Bool {
        guard name.act == nil, name.gift == nil, link.list == nil, !isNaturalName, link.targetColumns == [root.key],
            let noun = name.words.last.map({ EnglishNoun.singular($0) }), PersonNoun.isFar(noun)
        else { return false }
        return noun != PersonNames.words(root.table.name).last.map { EnglishNoun.singular($0) }
    }

    /// The columns that a question about it names. Of a key of several columns, it is the one that says which row is
    /// meant: the others, such as the tenant's, have a meaning of their own.
    var columns: [String] { [typeColumn?.name, column.name].compactMap(\.self) }

    /// The column there to which this one leads.
    var targetColumn: String {
        zip(link.columns, link.targetColumns).first { $0.0 == column.name }?.1 ?? link.targetColumns[0]
    }
}
