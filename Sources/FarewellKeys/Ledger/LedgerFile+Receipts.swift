// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Receipts are files beside the ledger, if the command issued them.
extension LedgerFile {
    /// The path of a receipt's file in the state directory.
    package static func receiptFile(of receipt: UUID) -> String { "receipts/\(receipt.text).jws" }

    /// Whether a receipt was issued and its file is there.
    package func hasReceiptFile(of receipt: UUID) -> Bool {
        (try? directory.contains(Self.receiptFile(of: receipt))) ?? false
    }
}
