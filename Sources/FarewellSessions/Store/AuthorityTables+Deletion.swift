// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

extension AuthorityTables {
    /// Every deletion of a user, by an erasure's plan, another program or by hand, also publishes that none of their
    /// tokens is valid any longer: a trigger does this.
    var deletionStatements: [String] {
        ["CREATE INDEX \(index("revocations_subject_idx")) ON \(table("revocations")) (subject)"]
            + (dialect.hasFunctionsOfTriggers ? AuthorityDeletionTrigger.statements : sqlite)
    }

    private var sqlite: [String] {
        let time = "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')"
        return [
            """
            CREATE TRIGGER auth_users_publish_deletion AFTER DELETE ON \(table("users")) \
            BEGIN \(AuthorityDeletionTrigger.entry(of: "OLD.id", at: time, .sqlite)); END
            """
        ]
    }
}
