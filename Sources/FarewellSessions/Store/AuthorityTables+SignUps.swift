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

    /// The seventh version: marks the unused sign-ups from before the mark. They keep their addresses from no user who
    /// proves one, and never expire: an account that an operator made, and that was never used, may look the same.
    ///
    /// A sign-up got a mail, which only an address to be confirmed does. Rows of a dump have an instance, imported ones
    /// a bcrypt hash, and operators add metadata of the app.
    var markOfEarlierSignUps: String {
        let unset = [
            "signed_up_at", "email_confirmed_at", "phone", "phone_confirmed_at", "last_sign_in_at", "invited_at",
            "banned_until", "deleted_at", "instance_id",
        ].map { "\($0) IS NULL" }
        let metadata = #"'{"provider":"email","providers":["email"]}'"#
        let conditions =
            unset + [
                "email IS NOT NULL", "confirmation_sent_at IS NOT NULL", "is_sso_user = \(dialect.no)",
                "is_anonymous = \(dialect.no)", "NOT coalesce(\(Self.isImported), \(dialect.no))",
                "raw_app_meta_data = \(metadata)",
                "NOT EXISTS (SELECT 1 FROM \(table("sessions")) AS s WHERE s.user_id = \(table("users")).id)",
            ]
        return """
            UPDATE \(table("users")) SET signed_up_at = '\(Self.neverExpired)' \
            WHERE \(conditions.joined(separator: " AND "))
            """
    }

    /// The eighth version: the passwords of sign-ups with the addresses of existing accounts (decision 214). An empty
    /// hash stands for several passwords, of which none counts.
    var declinedSignUpStatements: [String] {
        [
            """
            CREATE TABLE \(table("declined_sign_ups")) (
                user_id \(id) NOT NULL PRIMARY KEY REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                password_hash text NOT NULL,
                tried_at \(time) NOT NULL
            )
            """,
            "CREATE INDEX \(index("declined_sign_ups_tried_at_idx")) ON \(table("declined_sign_ups")) (tried_at)",
        ]
    }

    /// The time of sign-ups that never become old.
    private static let neverExpired = "9999-12-31T00:00:00.000000Z"
}
