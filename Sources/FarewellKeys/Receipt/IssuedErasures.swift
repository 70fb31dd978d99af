// SPDX-License-Identifier: Apache-2.0

import Foundation

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
