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
                "audit log", .bad, "changed since it was written. \(damage)",
                remedy: "Compare it with an earlier export (farewell audit export) or a back-up.")
        case .intact(let count, _):
            if let seen = try await ReceiptMark.stored(in: state)?.missingEntry(in: archive) {
                return .init(
                    "audit log", .warning, "entry \(seen.sequence), which was here before, is missing or changed",
                    remedy: "This is normal after restoring a back-up of the database; otherwise entries were removed. "
                        + "Once you know the cause, delete \(ReceiptMark.name) in the state directory.")
            }
            return .init("audit log", .good, "complete: \(Words.count(count, "entry", "entries"))")
        }
    }
}
