// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension AuthorityTables {
    /// Every deletion of a user, by an erasure's plan, another program or by hand, also publishes that none of their
    /// tokens is valid any longer: a trigger does this.
    var deletionStatements: [String] {
        ["CREATE INDEX \(index("revocations_subject_idx")) ON \(feed) (subject)"]
            + (dialect == .postgresql ? postgresql : sqlite)
    }

    private var reason: String { SessionEnding.deleted.rawValue }
    private var feed: String { table("revocations") }

    private func entry(_ person: String, at time: String) -> String {
        """
        INSERT INTO \(feed) (session_id, subject, reason, revoked_at) SELECT NULL, \(person), '\(reason)', \(time) \
        WHERE NOT EXISTS (SELECT 1 FROM \(feed) WHERE subject = \(person) AND session_id IS NULL \
        AND reason = '\(reason)')
        """
    }

    /// Runs as the tables' owner, so that a role that may delete users needs no right to write the feed.
    private var postgresql: [String] {
        let body = "BEGIN \(entry("OLD.id", at: "now()")); RETURN NULL; END".replacing("'", with: "''")
        return [
            """
            CREATE FUNCTION auth.publish_deletion() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER \
            SET search_path = '' AS '\(body)'
            """,
            """
            CREATE TRIGGER users_publish_deletion AFTER DELETE ON \(table("users")) \
            FOR EACH ROW EXECUTE FUNCTION auth.publish_deletion()
            """,
        ]
    }

    private var sqlite: [String] {
        let time = "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')"
        return [
            """
            CREATE TRIGGER auth_users_publish_deletion AFTER DELETE ON \(table("users")) \
            BEGIN \(entry("OLD.id", at: time)); END
            """
        ]
    }
}
