// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// The second version: requested mails, and the stored form of sent codes.
    ///
    /// The contents of a mail are sealed, and its user is stored as soon as they are known, so that it is deleted with
    /// them.
    var mailStatements: [String] {
        [
            """
            CREATE TABLE \(table("outgoing_mail")) (
                id \(id) NOT NULL PRIMARY KEY,
                user_id \(id) REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                sealed \(bytes) NOT NULL,
                wanted_at \(time) NOT NULL,
                next_at \(time) NOT NULL,
                attempts integer NOT NULL CHECK (attempts >= 0)
            )
            """,
            """
            CREATE TABLE \(table("one_time_codes")) (
                user_id \(id) NOT NULL REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                purpose text NOT NULL CHECK (purpose IN (\(codePurposes))),
                code_hash \(bytes) NOT NULL CHECK (length(code_hash) = 32),
                token_hash \(bytes) NOT NULL CHECK (length(token_hash) = 32),
                sent_at \(time) NOT NULL,
                attempts integer NOT NULL CHECK (attempts >= 0),
                PRIMARY KEY (user_id, purpose)
            )
            """,
            "CREATE INDEX \(index("outgoing_mail_next_at_idx")) ON \(table("outgoing_mail")) (next_at)",
            "CREATE INDEX \(index("outgoing_mail_user_id_idx")) ON \(table("outgoing_mail")) (user_id)",
            """
            CREATE UNIQUE INDEX \(index("one_time_codes_token_key")) ON \(table("one_time_codes")) (token_hash)
            """,
            "CREATE INDEX \(index("users_email_change_idx")) ON \(table("users")) (email_change)",
        ]
    }

    /// The ninth version: the keyed hash of the recipient's domain. A server sends only so many mails to one domain at
    /// a time. Mails of earlier versions have none.
    var mailDomainStatements: [String] {
        [
            "ALTER TABLE \(table("outgoing_mail")) ADD COLUMN domain_hash \(bytes)",
            """
            CREATE INDEX \(index("outgoing_mail_domain_hash_idx")) ON \(table("outgoing_mail")) (domain_hash, next_at)
            """,
        ]
    }
}
