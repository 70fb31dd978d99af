// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Writes receipts into the state directory when they are issued, and knows which of them it contains.
///
/// A receipt that cannot be written is no reason to call the erasure failed: the database has it, and
/// `ReceiptRestoration` tries again and reports it.
struct ReceiptKeeping: Sendable {
    private let kept = Guarded<Set<UUID>>([])

    func keep(_ issued: [IssuedReceipt], in receipts: Receipts) {
        for receipt in issued where (try? receipts.keep(receipt)) != nil {
            kept.withLock { _ = $0.insert(receipt.erasure) }
        }
    }

    func isKept(_ erasure: UUID) -> Bool { kept.withLock { $0.contains(erasure) } }
}
