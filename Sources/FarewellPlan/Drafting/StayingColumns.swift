// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns of rows that stay and lose only their link to the subject: other columns in them may describe the subject.
struct StayingColumns {
    let contact: ContactColumns

    private static let personal: Set<String> = [
        "firstname", "lastname", "surname", "address", "street", "ip", "avatar", "ssn", "iban", "fax", "signature",
        "passport",
    ]
    private static let names: Set<String> = [
        "first", "last", "full", "middle", "family", "given", "display", "screen", "real", "maiden", "nick",
    ]
    private static let births: Set<String> = ["birthday", "birthdate", "dob", "birth", "born"]
    private static let identities: Set<String> = ["firstname", "lastname", "surname", "ssn", "passport"]
    /// Names of columns that are a person's name where the rows are about persons, and a thing's elsewhere.
    private static let plainNames: Set<String> = ["name", "fullname", "realname", "displayname", "screenname"]
    /// Nouns for persons that are as often nouns for things.
    private static let ambiguous: Set<String> = [
        "account", "agent", "banner", "host", "lead", "principal", "profile", "rep", "subject", "target",
    ]

    /// The remedy that gives rows to the subject, whether or not a question is about the link.
    static let owningLink = "let the link to the subject own the rows (without `role: reference`)"

    /// The questions about a table whose rows stay.
    ///
    /// - Parameters:
    ///   - linking: The columns that its links are about.
    ///   - removal: The values that the answer `anonymise` can write there.
    func questions(_ table: SchemaTable, linking: Set<String>, _ removal: RemovedValues) -> [PlanQuestion] {
        let unlinked = table.columns.filter { !linking.contains($0.name) && !$0.isGenerated }
        let others = unlinked.filter { !table.primaryKey.contains($0.name) }
        // An address may be a part of the row's own key, as in invitations to a team.
        let asked = unlinked.compactMap { column in
            // Without a link, nothing but the row itself says whose address it is.
            contact.question(staying: column, of: table).flatMap { question in
                question.link == nil && Self.isPersonal(column) && removal.of(column) != .impossible ? nil : question
            }
        }
        let named = Set(asked.flatMap(\.columns))
        let areOfPersons = Self.isAboutPersons(table, others)
        let personal = others.filter { column in
            !named.contains(column.name)
                && (Self.isPersonal(column) || areOfPersons && Self.isPlainName(column))
        }
        return asked + removal.questions(about: personal)
    }

    /// Whether rows describe persons: by a name, a birth, an address or a number of their own.
    static func describePersons(_ table: SchemaTable) -> Bool {
        let keys = Set(table.foreignKeys.flatMap(\.columns) + table.primaryKey)
        let others = table.columns.filter { !keys.contains($0.name) && !$0.isGenerated }
        let isNamed = PersonNoun.role(PersonNames.noun(of: table.name)) != nil
        return others.contains { column in
            let words = PersonNames.words(column.name)
            if isBirth(column) || isOwnAddress(column) { return true }
            guard column.kind == .text, column.labels == nil else { return false }
            return words.contains(where: identities.contains) || isNamed && isPlainName(column)
                || words.count > 1 && words.last == "name" && names.contains(words[words.count - 2])
        }
    }

    /// Whether a row describes a person, so that its plain `name` is that person's: beside an address, a number or
    /// another column for persons, or in a table named after persons, such as `participants`. A team has a name and an
    /// address of its own, and so has a thing whose person is named by another column (`authorName`).
    private static func isAboutPersons(_ table: SchemaTable, _ others: [SchemaColumn]) -> Bool {
        guard !GroupTables.isGroup(table.name), !others.contains(where: { Self.isNameOfPerson($0.name) }) else {
            return false
        }
        let noun = PersonNames.noun(of: table.name)
        if PersonNoun.role(noun) != nil, !ambiguous.contains(noun) { return true }
        return table.columns.contains(where: isOwnAddress)
            || others.contains { ContactColumns.kind($0) == nil && isPersonal($0) }
    }

    /// `email`, `phone_number`: not `from_email` of a campaign, which has a name of its own.
    private static func isOwnAddress(_ column: SchemaColumn) -> Bool {
        let words = PersonNames.words(column.name)
        return ContactColumns.kind(column) != nil && !ContactColumns.sides.contains(words.last ?? "")
            && (words == ["e", "mail"] || ContactColumns.kind(Array(words.prefix(1))) != nil)
    }

    private static func isPlainName(_ column: SchemaColumn) -> Bool {
        column.kind == .text && column.labels == nil
            && plainNames.contains(PersonNames.words(column.name).joined(separator: " "))
    }

    /// `born`, `birth_date`, `year_of_birth`; a flag tells nothing.
    private static func isBirth(_ column: SchemaColumn) -> Bool {
        column.kind != .boolean && PersonNames.words(column.name).contains(where: births.contains)
    }

    private static func isPersonal(_ column: SchemaColumn) -> Bool {
        if isBirth(column) || NetworkAddresses.hold(column) { return true }
        switch column.kind {
        case .boolean, .integer, .number, .timestamp: return false
        default: break
        }
        guard column.labels == nil else { return false }
        return soundsPersonal(column.name)
    }

    /// By the name alone.
    static func soundsPersonal(_ column: String) -> Bool {
        let words = PersonNames.words(column)
        if ContactColumns.kind(words) != nil || NetworkAddresses.areNamed(words) { return true }
        if words.contains(where: personal.contains) || words.contains(where: births.contains)
            || words.suffix(2) == ["user", "agent"]
        {
            return true
        }
        return words == ["username"] || words == ["nickname"] || isNameOfPerson(column) || PersonNoun.isReceiver(words)
            || words.count > 1 && words.last == "name" && names.contains(words[words.count - 2])
    }

    /// `authorName`: the noun before `name` is one for persons.
    private static func isNameOfPerson(_ column: String) -> Bool {
        let words = PersonNames.words(column)
        guard words.count > 1, words.last == "name" else { return false }
        let noun = words[words.count - 2]
        return PersonNoun.role(noun) != nil || PersonNoun.acts(noun)
    }
}
