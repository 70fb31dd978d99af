// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Which database is spoken to.
public enum SQLDialect: String, Sendable, Hashable, Codable, CaseIterable {
    case sqlite, postgresql

    /// The one function that quotes an identifier, and thus the one that turns its spelling into the database's name
    /// (`NameSpelling`). A NUL character cannot be part of one and is refused
    /// by the database.
    ///
    /// Doubles quotes by Unicode scalar, never by `Character`: a quote followed by a combining mark is another
    /// `Character`, which the database would nevertheless read as the end of the identifier.
    public func quoted(_ identifier: String) -> String {
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in NameSpelling.name(identifier).unicodeScalars {
            if scalar == "\"" { text.append("\"") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }

    /// A table as statements name it, with its schema.
    package func qualified(_ table: TableName) -> String {
        [table.schema, table.name].compactMap(\.self).map(quoted).joined(separator: ".")
    }
}
