// SPDX-License-Identifier: Apache-2.0

/// Checks the audit log entry by entry, so that a long one need not be held in memory.
package struct AuditCheck: Sendable {
    private let head: AuditHead?
    private var last: AuditHead?

    /// `head` is the last head that was exported and kept apart from the log.
    package init(head: AuditHead? = nil) { self.head = head }

    /// Checks the next entry; returns its fault, or nil.
    package mutating func take(_ entry: AuditEntry) -> AuditDamage? {
        let expected = (last?.sequence ?? 0) + 1
        let at = entry.sequence
        if at < expected { return AuditDamage(sequence: at, kind: .reordered) }
        if at > expected { return AuditDamage(sequence: at, kind: .dropped) }
        guard let fitting = try? entry.fittingHash(), fitting == entry.hash else {
            return AuditDamage(sequence: at, kind: .edited)
        }
        guard entry.previous == last?.hash ?? AuditChain.beginning else {
            return AuditDamage(sequence: at, kind: .replaced)
        }
        if let head, head.sequence == at, head.hash != entry.hash { return AuditDamage(sequence: at, kind: .replaced) }
        last = AuditHead(of: entry)
        return nil
    }

    /// The result when there are no more entries.
    package func finish() -> AuditVerdict {
        let count = last?.sequence ?? 0
        if let head, head.sequence > count {
            return .broken(AuditDamage(sequence: count + 1, kind: .truncated))
        }
        return .intact(entries: count, last: last)
    }
}
