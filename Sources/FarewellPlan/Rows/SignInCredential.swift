// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// The column in which the session authority keeps the tokens of identity providers, each sealed for one user. A system
/// of a plan may name it, to revoke these tokens.
package enum SignInCredential {
    /// The authority's column that holds what providers gave out, sealed for one subject each.
    package static func isOne(_ column: ColumnName, _ dialect: SQLDialect) -> Bool {
        column.column == "sealed_refresh_token"
            && "\(column.table)" == dialect.authorityTable("provider_credentials")
    }

    /// The column beside it: the client that the token was issued to.
    package static func client(of column: ColumnName) -> ColumnName { ColumnName(column.table, "client") }
}

extension Plan {
    /// Whether a system takes the tokens that the authority's sign-in keeps, to revoke them.
    package func revokesSignIns(on dialect: SQLDialect) -> Bool {
        systems.contains { system in
            guard case .column(let column) = system.person else { return false }
            return SignInCredential.isOne(column, dialect)
        }
    }
}
