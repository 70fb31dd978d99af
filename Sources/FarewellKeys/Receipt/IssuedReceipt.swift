// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A receipt as the database keeps it.
package struct IssuedReceipt: Sendable, Hashable {
    /// The identifier that its file is named after: the receipt's own, which is the erasure's unless the erasure ended
    /// twice because its database was restored.
    package let erasure: UUID
    /// The receipt as a compact JWS (RFC 7515).
    package let signed: String
    package let finishedAt: Date

    package init(erasure: UUID, signed: String, finishedAt: Date) {
        self.erasure = erasure
        self.signed = signed
        self.finishedAt = finishedAt
    }
}

/// Erasures that ended with a receipt, and the position of the audit log when they were read.
package struct IssuedErasures: Sendable {
    package let erasures: Set<UUID>
    /// The newest entry of the audit log before the erasures were read; `nil` if the log is empty.
    package let head: AuditHead?
    /// Whether these are all erasures of the database, not only those after an entry of the audit log.
    package let isWhole: Bool

    package init(erasures: Set<UUID>, head: AuditHead?, isWhole: Bool) {
        self.erasures = erasures
        self.head = head
        self.isWhole = isWhole
    }
}
