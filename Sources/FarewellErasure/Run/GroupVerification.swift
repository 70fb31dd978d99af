// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The findings of the verification of several erasures: most of them for all together, the search for each.
struct GroupVerification: Sendable {
    var shared: ReceiptVerification
    /// By erasure.
    var scans: [UUID: ReceiptVerification.DeepScan] = [:]

    /// The findings for one of them.
    func verification(of member: ErasureMember) -> ReceiptVerification {
        var verification = shared
        verification.deepScan = scans[member.id] ?? .none
        return verification
    }
}
