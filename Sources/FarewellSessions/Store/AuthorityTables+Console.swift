// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// The fourth version: sessions at the console.
    ///
    /// A browser's cookie is kept as a keyed hash, an operator as a keyed name. `origin` is a keyed hash of the key or
    /// provider that opened the session; `person_session` names the session of a token that belongs to one.
    var consoleStatements: [String] {
        [
            """
            CREATE TABLE \(table("console_sessions")) (
                id \(id) NOT NULL PRIMARY KEY,
                token_hash \(bytes) NOT NULL CHECK (length(token_hash) = 32),
                who text NOT NULL,
                role text NOT NULL,
                origin \(bytes) NOT NULL CHECK (length(origin) = 32),
                person_session \(id) REFERENCES \(table("sessions")) (id) ON DELETE CASCADE,
                began_at \(time) NOT NULL,
                ends_at \(time) NOT NULL
            )
            """,
            """
            CREATE UNIQUE INDEX \(index("console_sessions_token_key")) ON \(table("console_sessions")) (token_hash)
            """,
            """
            CREATE INDEX \(index("console_sessions_person_session_idx")) \
            ON \(table("console_sessions")) (person_session)
            """,
            "CREATE INDEX \(index("console_sessions_ends_at_idx")) ON \(table("console_sessions")) (ends_at)",
        ]
    }
}
