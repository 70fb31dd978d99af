// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// PostgreSQL: the session authority's own trigger, which publishes that a deleted user's tokens are not valid any
/// longer: after each deleted user it inserts at most one entry into the feed, and does nothing else.
package enum AuthorityDeletionTrigger {
    private static let users = TableName(schema: "auth", "users")
    private static let feed = TableName(schema: "auth", "revocations")
    private static let name = "users_publish_deletion"
    private static let function = "auth.publish_deletion"

    /// The statement that inserts a user's entry, unless there is one.
    ///
    /// - Parameters:
    ///   - person: The user's identifier, as SQL.
    ///   - time: The time of the deletion, as SQL.
    package static func entry(of person: String, at time: String, _ dialect: SQLDialect) -> String {
        let feed = dialect.authorityTable("revocations")
        let reason = SessionEnding.deleted.rawValue
        return """
            INSERT INTO \(feed) (session_id, subject, reason, revoked_at) SELECT NULL, \(person), '\(reason)', \(time) \
            WHERE NOT EXISTS (SELECT 1 FROM \(feed) WHERE subject = \(person) AND session_id IS NULL \
            AND reason = '\(reason)')
            """
    }

    private static var body: String { "BEGIN \(entry(of: "OLD.id", at: "now()", .postgresql)); RETURN NULL; END" }

    /// Makes the function and the trigger. The function runs as the tables' owner, so that a role that may delete
    /// users needs no right to write the feed.
    package static var statements: [String] {
        [
            """
            CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER \
            SET search_path = '' AS '\(body.replacing("'", with: "''"))'
            """,
            """
            CREATE TRIGGER \(name) AFTER DELETE ON \(SQLDialect.postgresql.authorityTable("users")) \
            FOR EACH ROW EXECUTE FUNCTION \(function)()
            """,
        ]
    }

    /// The trigger as the catalog describes it. A changed function, a condition or an argument is another trigger.
    private static var described: SchemaTrigger {
        let definition = """
            CREATE OR REPLACE FUNCTION \(function)()
             RETURNS trigger
             LANGUAGE plpgsql
             SECURITY DEFINER
             SET search_path TO ''
            AS $function$\(body)$function$

            """
        return SchemaTrigger(
            name: name, events: ["delete"], definition: body,
            statement: "CREATE TRIGGER \(name) AFTER DELETE ON \(users) FOR EACH ROW EXECUTE FUNCTION \(function)()",
            functions: [SchemaFunction(name: function, definition: definition)])
    }

    /// Whether a trigger of a table is the authority's, word for word, and adds to a feed whose own insertions fire
    /// nothing. Otherwise its effect is unknown.
    package static func isOne(_ trigger: SchemaTrigger, of table: SchemaTable, in schema: Schema) -> Bool {
        guard schema.dialect.hasFunctionsOfTriggers, table.name == users, trigger == described else { return false }
        return schema.tables.contains { $0.name == feed && $0.kind == .table && $0.triggers.isEmpty }
    }

    /// The table whose deleted rows the authority's own trigger publishes; `nil` if no such trigger is there.
    package static func publishedTable(in schema: Schema) -> TableName? {
        schema.tables.first { table in table.triggers.contains { isOne($0, of: table, in: schema) } }?.name
    }
}
