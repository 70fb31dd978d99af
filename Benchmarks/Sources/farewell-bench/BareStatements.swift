// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The simplest program that only deletes the rows: no record, no reading back, no receipt.
///
/// Over the same driver as Farewell, prepared once on each connection.
enum BareStatements {
    /// The database's own cascade, a transaction of its own.
    static func cascade(_ key: String) -> [SQLStatement] {
        [SQLStatement("DELETE FROM auth.users WHERE id = $1", [uuid(key)])]
    }

    static func cascade(of keys: [String]) -> [SQLStatement] {
        [SQLStatement("DELETE FROM auth.users WHERE id = ANY($1)", [.array(keys.map(uuid))])]
    }

    /// Eleven tables and the account, children first, for an app without cascades; one pipeline, one transaction.
    static func ordered(_ key: String) -> [SQLStatement] {
        inTransaction(ordered("= $1", uuid(key)))
    }

    static func ordered(of keys: [String]) -> [SQLStatement] {
        inTransaction(ordered("= ANY($1)", .array(keys.map(uuid))))
    }

    private static func inTransaction(_ statements: [SQLStatement]) -> [SQLStatement] {
        [SQLStatement("BEGIN")] + statements + [SQLStatement("COMMIT")]
    }

    private static func ordered(_ comparison: String, _ value: SQLValue) -> [SQLStatement] {
        let places = [
            ("public.messages", ["sender_id", "receiver_id"]), ("public.conversations", ["user1_id", "user2_id"]),
            ("public.reported_users", ["reporter_id", "reported_id"]), ("public.muse_interactions", ["user_id"]),
            ("public.feedback", ["user_id"]), ("public.matches", ["user1_id", "user2_id"]),
            ("public.swipes", ["swiper_id", "swiped_id"]), ("public.user_languages", ["user_id"]),
            ("public.user_preferences", ["user_id"]), ("public.invites", ["inviter_id"]), ("public.profiles", ["id"]),
            ("auth.users", ["id"]),
        ]
        return places.map { table, columns in
            let condition = columns.map { "\($0) \(comparison)" }.joined(separator: " OR ")
            return SQLStatement("DELETE FROM \(table) WHERE \(condition)", [value])
        }
    }

    private static func uuid(_ key: String) -> SQLValue { UUID(uuidString: key).map(SQLValue.uuid) ?? .text(key) }
}

extension SQLDatabase {
    /// Runs a list of pipelines on so many connections at once.
    func run(_ work: [[SQLStatement]], connections: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for worker in 0..<connections {
                tasks.addTask {
                    try await withConnection { connection in
                        for position in stride(from: worker, to: work.count, by: connections) {
                            _ = try await connection.pipeline(work[position])
                        }
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}
