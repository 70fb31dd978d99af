// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables with the work of programs: a `worker_id` there is a process and no user.
enum ProgramWork {
    private static let nouns: Set<String> = ["worker", "runner", "executor", "consumer"]
    private static let tables: Set<String> = ["background", "queue", "cron", "outbox", "migration", "heartbeat"]
    private static let columns: Set<String> = [
        "heartbeat", "lease", "leased", "attempt", "attempts", "retry", "retries",
    ]

    /// Whether a noun in a row of a table probably means the program that works on the row.
    static func isProgram(_ noun: String, in table: SchemaTable) -> Bool {
        guard nouns.contains(noun) else { return false }
        return PersonNames.words(table.name.name).contains { tables.contains(EnglishNoun.singular($0)) }
            || table.columns.contains { PersonNames.words($0.name).contains(where: columns.contains) }
    }
}
