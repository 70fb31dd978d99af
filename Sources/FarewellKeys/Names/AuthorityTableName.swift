// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The names of the session authority's tables, for plans and fences that do not use the authority.
package enum AuthorityTableName {
    /// The tables with data of a subject.
    private static let personal = [
        "users", "identities", "sessions", "provider_credentials", "revocations", "outgoing_mail", "one_time_codes",
        "known_sources",
    ]

    /// Whether a table of a plan is one of the authority's, on either database.
    package static func isOne(_ table: TableName) -> Bool { personal.contains { spellings($0).contains(table) } }

    /// A table of the authority on PostgreSQL and on SQLite, in this order.
    package static func spellings(_ name: String) -> [TableName] {
        [TableName(schema: "auth", name), TableName("auth_" + name)]
    }
}

extension SQLDialect {
    /// A table of the session authority.
    package func authorityTable(_ name: String) -> String { hasSchemas ? "auth.\(name)" : "auth_\(name)" }
}
