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

    /// Words before the one row that an app has of what others have many of: `local_site`, `main_instance`.
    private static let ones: Set<String> = ["local", "global", "main", "this", "own", "system"]

    /// Whether a table has one row for the whole app: a constraint allows no second, or the name says so.
    static func isOne(_ table: SchemaTable) -> Bool {
        let words = PersonNames.words(table.name.name)
        let isNamed =
            words.count == 2 && ones.contains(words[0]) && (whole.contains(words[1]) || words[1] == "instance")
        return isNamed || hasOneKey(table) || hasConstantIndex(table)
    }

    /// A key that can have one value only: `CHECK (id = 1)`, `CHECK (only_row)`.
    private static func hasOneKey(_ table: SchemaTable) -> Bool {
        table.columns.contains { column in
            // Several rows may have no value.
            guard table.holdsEachOnce(column.name), !column.isNullable || table.primaryKey == [column.name] else {
                return false
            }
            return table.checks.contains { check in
                check.columns == [column.name] && demandsOneValue(check, of: column)
            }
        }
    }

    private static func demandsOneValue(_ check: SchemaCheck, of column: SchemaColumn) -> Bool {
        let signs: Set<Character> = ["(", ")", " ", "\"", "\n", "\t"]
        let text = String(check.condition.lowercased().filter { !signs.contains($0) })
        let name = String(column.name.lowercased().filter { !signs.contains($0) })
        guard text.hasPrefix(name) else { return false }
        let rest = String(text.dropFirst(name.count))
        guard !rest.isEmpty else { return column.kind == .boolean }
        guard rest.hasPrefix("=") else { return false }
        let value = rest.drop { $0 == "=" }
        return ["true", "istrue"].contains(String(value))
            || !value.isEmpty && value.allSatisfy { $0.isASCII && $0.isNumber }
            // PostgreSQL writes the type of a text: `'only'::text`.
            || value.first == "'" && value.filter { $0 == "'" }.count == 2
    }

    /// A unique index over a constant: `CREATE UNIQUE INDEX … ((true))`.
    private static func hasConstantIndex(_ table: SchemaTable) -> Bool {
        table.indexes.contains { index in
            guard index.isUnique, !index.isPartial, !index.columns.isEmpty, index.columns.allSatisfy(\.isEmpty) else {
                return false
            }
            let key = String(index.definition.lowercased().filter { !"() ".contains($0) })
            return ["true", "1", "0", "false"].contains(key)
        }
    }

    /// Words before a noun for a user whose account the app itself uses: `system_account`, `default_user_id`.
    private static let accounts: Set<String> = [
        "system", "bot", "robot", "default", "fallback", "ghost", "anonymous", "root", "service",
    ]

    /// Whether columns name an account that the app itself uses in many rows.
    static func usesAccount(_ columns: [String], in table: SchemaTable) -> Bool {
        guard !table.isUnique(columns), let name = columns.last.map({ KeyName($0) }), name.words.count > 1 else {
            return false
        }
        return ["user", "account", "uid"].contains(name.words.last ?? "") && PersonNames.role(name) == .owner
            && name.words.dropLast().contains(where: accounts.contains)
    }

    /// Whether a column of a table holds what an app has once, such as the address of its mail server.
    static func areEvident(_ table: SchemaTable) -> Bool {
        table.columns.contains { column in PersonNames.words(column.name).contains(where: whole.contains) }
    }
}
