// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// The sixth version: the time of a user's own sign-up with an address that is not confirmed yet. Earlier accounts
    /// have no mark, so that none of them is taken for an unused sign-up.
    var signUpStatements: [String] {
        [
            "ALTER TABLE \(table("users")) ADD COLUMN signed_up_at \(time)",
            """
            CREATE INDEX \(index("users_signed_up_at_idx")) ON \(table("users")) (signed_up_at) \
            WHERE signed_up_at IS NOT NULL
            """,
        ]
    }
}
