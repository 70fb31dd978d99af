// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The effects of a transaction that remain after its rollback.
struct RollbackNotes {
    let sentences: [String]

    init(_ schema: Schema, _ graph: RowGraph) {
        var sentences =
            schema.dialect.takesSeveralWriters
            ? [
                "Sequences do not take back numbers that triggers or defaults used.",
                "Changed and restored rows leave dead row versions until the next VACUUM.",
                "Messages of NOTIFY were not sent: the rollback discarded them.",
            ]
            : ["Nothing remains in the file. During the rehearsal of a subject, no other program could write to it."]
        let touched = Set(graph.nodes.map(\.table.name))
        for table in schema.tables where touched.contains(table.name) {
            for trigger in table.triggers {
                let text = trigger.definition.lowercased()
                guard let word = Self.outside.first(where: text.contains) else { continue }
                sentences.append(
                    "The trigger \(Shown.name(trigger.name)) of \(Shown.line("\(table.name)", limit: 160)) uses "
                        + "\(word): its effects outside this transaction are not rolled back.")
            }
        }
        self.sentences = sentences
    }

    /// The words in a trigger's text that reach out of the transaction.
    private static let outside = [
        "dblink", "http_", "net.http", "pg_background", "copy ", "lo_export", "pg_write", "plpython3u", "plperlu",
        "writefile", "pg_advisory_lock", "nextval", "setval",
    ]
}
