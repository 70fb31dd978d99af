// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables with the settings of an app, of which a user only was the last to change them, unlike settings of each user.
enum AppSettings {
    private static let nouns: Set<String> = ["setting", "config", "configuration", "option"]
    /// Words for what an app has once, and no user.
    private static let whole: Set<String> = [
        "site", "app", "application", "company", "organisation", "organization", "brand", "logo", "smtp", "ldap",
        "saml", "license", "licence", "backup", "maintenance", "domain", "footer", "version", "system", "global",
    ]

    /// Whether rows of a table may be the app's own: it is named after settings alone, and a user may have several
    /// rows, which are no pairs of a name and a value.
    ///
    /// - Parameter columns: Those that name a user.
    static func mayBe(_ table: SchemaTable, namingUsersBy columns: [String]) -> Bool {
        let words = PersonNames.words(table.name.name)
        guard let last = words.last, nouns.contains(EnglishNoun.singular(last)),
            words.count == 1 || words.dropLast().allSatisfy(whole.contains), !table.isUnique(columns),
            !columns.contains(where: { table.columnsUnique(with: $0) != nil })
        else { return false }
        return !table.columns.contains { PersonNames.words($0.name).last == "value" }
    }

    /// Whether a column of a table holds what an app has once, such as the address of its mail server.
    static func areEvident(_ table: SchemaTable) -> Bool {
        table.columns.contains { column in PersonNames.words(column.name).contains(where: whole.contains) }
    }
}
