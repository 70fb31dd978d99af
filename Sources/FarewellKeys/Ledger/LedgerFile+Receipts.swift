// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Receipts lie as files beside the ledger, where the command issued them.
extension LedgerFile {
    /// Where the file of a receipt lies in the state directory.
    package static func receiptFile(of receipt: UUID) -> String { "receipts/\(receipt.text).jws" }

    /// Whether a receipt was issued and its file is there.
    package func hasReceiptFile(of receipt: UUID) -> Bool {
        (try? directory.contains(Self.receiptFile(of: receipt))) ?? false
    }
}
