// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// What the verification of several erasures found: most of it of all together, the search of each.
struct GroupVerification: Sendable {
    var shared: ReceiptVerification
    /// By erasure.
    var scans: [UUID: ReceiptVerification.DeepScan] = [:]

    /// What it found of one of them.
    func verification(of member: ErasureMember) -> ReceiptVerification {
        var verification = shared
        verification.deepScan = scans[member.id] ?? .none
        return verification
    }
}
