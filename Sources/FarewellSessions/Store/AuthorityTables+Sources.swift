// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// The fourth version: the known sources of each account, and codes that belong to the source that requested them.
    /// A user may have several codes of one purpose.
    ///
    /// Codes live for ten minutes; those that were sent before are not taken over.
    var sourceStatements: [String] {
        [
            """
            CREATE TABLE \(table("known_sources")) (
                user_id \(id) NOT NULL REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                source_hash \(bytes) NOT NULL CHECK (length(source_hash) = 32),
                used_at \(time) NOT NULL,
                PRIMARY KEY (user_id, source_hash)
            )
            """,
            "CREATE INDEX \(index("known_sources_used_at_idx")) ON \(table("known_sources")) (used_at)",
            "DROP TABLE \(table("one_time_codes"))",
            """
            CREATE TABLE \(table("one_time_codes")) (
                token_hash \(bytes) NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
                user_id \(id) NOT NULL REFERENCES \(table("users")) (id) ON DELETE CASCADE,
                purpose text NOT NULL CHECK (purpose IN (\(codePurposes))),
                code_hash \(bytes) CHECK (code_hash IS NULL OR length(code_hash) = 32),
                network_hash \(bytes) NOT NULL CHECK (length(network_hash) = 32),
                device_hash \(bytes) CHECK (device_hash IS NULL OR length(device_hash) = 32),
                sent_at \(time) NOT NULL,
                attempts integer NOT NULL CHECK (attempts >= 0),
                foreign_attempts integer NOT NULL CHECK (foreign_attempts >= 0)
            )
            """,
            "CREATE INDEX \(index("one_time_codes_user_id_idx")) ON \(table("one_time_codes")) (user_id, purpose)",
            "CREATE INDEX \(index("one_time_codes_sent_at_idx")) ON \(table("one_time_codes")) (sent_at)",
        ]
    }

    var codePurposes: String {
        MailPurpose.allCases.filter(\.bringsCode).map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}
