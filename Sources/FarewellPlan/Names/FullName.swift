// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The columns of one table that hold a subject's given and family name, such as `first_name` and `last_name`.
///
/// Each part alone is the name of many people; both together are searched for as one name.
package struct FullName: Sendable, Hashable {
    package let table: TableName
    package let given: String
    package let family: String

    /// The pairs in a table: names with the same words before them, such as `legal_first_name` and `legal_last_name`.
    package static func all(in table: SchemaTable) -> [FullName] {
        let parts = table.columns.filter { $0.kind == .text && !$0.isGenerated && $0.labels == nil }
            .compactMap { column in part(column.name).map { (column: column.name, part: $0) } }
        return parts.filter(\.part.isGiven).compactMap { given in
            parts.first { !$0.part.isGiven && $0.part.before == given.part.before }
                .map { FullName(table: table.name, given: given.column, family: $0.column) }
        }
    }

    /// Whether a column holds a given or a family name by its name.
    package static func isPart(_ column: SchemaColumn) -> Bool { column.kind == .text && part(column.name) != nil }

    /// The ways in which texts write both names. The first order is also that of `SharedIdentifiers`.
    package static func spellings(given: String, family: String) -> [String] {
        ["\(given) \(family)", "\(family), \(given)"]
    }

    private static let givenNames: [[String]] = [
        ["first", "name"], ["firstname"], ["given", "name"], ["givenname"], ["forename"], ["fname"], ["name", "first"],
        ["name", "given"], ["vorname"],
    ]
    private static let familyNames: [[String]] = [
        ["last", "name"], ["lastname"], ["family", "name"], ["familyname"], ["surname"], ["sur", "name"], ["lname"],
        ["name", "last"], ["name", "family"], ["nachname"],
    ]
    /// Words before a name that speak of the subject's own: not `emergency_contact_first_name`.
    private static let own: Set<String> = ["legal", "real", "user", "display", "preferred", "profile", "my", "person"]

    private static func part(_ column: String) -> (isGiven: Bool, before: [String])? {
        let words = PersonNames.words(column)
        for (isGiven, names) in [(true, givenNames), (false, familyNames)] {
            for name in names where words.suffix(name.count).elementsEqual(name) {
                let before = Array(words.dropLast(name.count))
                return before.allSatisfy(own.contains) ? (isGiven, before) : nil
            }
        }
        return nil
    }
}
