// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
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

    /// Reads the columns `id, receipt, finished_at`; `nil` if one of them is missing or of another kind.
    package init?(row: [SQLValue]) {
        guard row.count == 3, let erasure = row[0].identifier, let signed = row[1].text, let finishedAt = row[2].date
        else { return nil }
        self.init(erasure: erasure, signed: signed, finishedAt: finishedAt)
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
