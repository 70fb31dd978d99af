// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// The tenth version: the challenge with which a mail was requested (PKCE), and the authorization codes that links
    /// of such mails give to apps. Codes of earlier versions have no challenge.
    var authorizationCodeStatements: [String] {
        [
            """
            ALTER TABLE \(table("one_time_codes")) ADD COLUMN challenge_hash \(bytes) \
            CHECK (challenge_hash IS NULL OR length(challenge_hash) = 32)
            """,
            """
            CREATE TABLE \(table("authorization_codes")) (
                code_hash \(bytes) NOT NULL PRIMARY KEY CHECK (length(code_hash) = 32),
                user_id \(id) NOT NULL REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                purpose text NOT NULL CHECK (purpose IN (\(codePurposes))),
                challenge_hash \(bytes) NOT NULL CHECK (length(challenge_hash) = 32),
                issued_at \(time) NOT NULL
            )
            """,
            "CREATE INDEX \(index("authorization_codes_user_id_idx")) ON \(table("authorization_codes")) (user_id)",
            """
            CREATE INDEX \(index("authorization_codes_issued_at_idx")) ON \(table("authorization_codes")) (issued_at)
            """,
        ]
    }
}
