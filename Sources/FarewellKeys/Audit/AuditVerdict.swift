// SPDX-License-Identifier: Apache-2.0

/// The result of a check of the audit log.
package enum AuditVerdict: Sendable, Hashable {
    /// Every entry is as it was written and none is missing; `last` is the newest, `nil` in an empty log.
    case intact(entries: Int, last: AuditHead?)
    case broken(AuditDamage)
}
