// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSessions
import FarewellSQL

/// The line of `doctor` about the audit log: whether every entry is unchanged, from the first to the last.
///
/// An erasure checks only the newest entry, because the log grows without end.
struct AuditFact {
    let database: any SQLDatabase
    /// The state directory.
    let state: String

    func fact() async throws -> DatabaseHealth.Fact {
        let archive = ErasureArchive(database)
        switch try await archive.auditVerdict() {
        case .broken(let damage):
            return .init(
                "audit log", .bad, "not as it was written. \(damage)",
                remedy: "Compare it with an export or a back-up (farewell audit export); somebody has changed it.")
        case .intact(let count, _):
            if let seen = ReceiptMark.read(in: state)?.head, try await !archive.hasAuditEntry(seen) {
                return .init(
                    "audit log", .warning, "its entry \(seen.sequence), which was here before, is gone or another one",
                    remedy: "After a back-up of the database was restored that is so; otherwise its end was removed.")
            }
            return .init("audit log", .good, "whole: \(Words.count(count, "entry", "entries"))")
        }
    }
}
