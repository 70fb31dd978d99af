// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The names of the session authority's tables, for code about plans and fences, which does not import the authority.
package enum AuthorityTableName {
    /// The tables with data of users. Plans, fences and pages take their names from here.
    package static let personal = [
        "users", "identities", "sessions", "provider_credentials", "revocations", "outgoing_mail", "one_time_codes",
        "known_sources", "console_sessions", "declined_sign_ups", "authorization_codes",
    ]

    /// The tables about the service itself.
    package static let service = ["migrations", "signing_keys", "signing_key_version", "password_attempts"]

    /// Whether a plan's table is one of the authority's with data of users, on PostgreSQL or SQLite.
    package static func isOne(_ table: TableName) -> Bool { personal.contains { spellings($0).contains(table) } }

    /// The names of one table on PostgreSQL and on SQLite, in this order.
    package static func spellings(_ name: String) -> [TableName] {
        [TableName(schema: "auth", name), TableName("auth_" + name)]
    }
}

extension SQLDialect {
    /// A table of the session authority.
    package func authorityTable(_ name: String) -> String { ownTable(name, in: "auth") }
}
