// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The findings for a group of erasures: the read-back's are shared, the deep scan's belong to one erasure each.
struct GroupVerification: Sendable {
    var shared: ReceiptVerification
    /// The deep scans, by the erasure's identifier.
    var scans: [UUID: ReceiptVerification.DeepScan] = [:]

    /// The findings for one erasure of the group.
    func verification(of erasure: OpenedErasure) -> ReceiptVerification {
        var verification = shared
        verification.deepScan = scans[erasure.id] ?? .none
        return verification
    }
}
