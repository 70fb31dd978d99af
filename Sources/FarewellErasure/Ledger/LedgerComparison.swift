// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The differences between the two copies of the ledger, the file and the database's table. Decides, and changes
/// nothing.
struct LedgerComparison: Sendable {
    /// Committed erasures that the file does not have, or has with other contents that nothing confirms.
    private(set) var missingInFile: [LedgerEntry] = []
    /// Committed erasures that the database does not have, as after its back-up was restored.
    private(set) var missingInDatabase: [LedgerEntry] = []
    /// Receipts whose erasure the file does not know to be committed, and the database does.
    private(set) var unconfirmedInFile: [UUID] = []
    /// Receipts of which the copies say different things, or of which the database's entry cannot be read.
    private(set) var conflicting: [UUID] = []
    /// The receipts in the database.
    private(set) var inDatabase: Set<UUID> = []

    /// - Parameter rows: The database's copy.
    init(_ ledger: Ledger, _ rows: [LedgerRow]) {
        for row in rows {
            let receipt = row.receipt
            inDatabase.insert(receipt)
            guard let entry = row.genuineEntry else {
                conflicting.append(receipt)
                continue
            }
            let known = ledger.byReceipt[receipt] ?? []
            if known.contains(entry) {
                if !ledger.confirmed.contains(receipt) { unconfirmedInFile.append(receipt) }
            } else if known.isEmpty || !ledger.confirmed.contains(receipt) {
                missingInFile.append(entry)
            } else {
                conflicting.append(receipt)
            }
        }
        for receipt in ledger.confirmed where !inDatabase.contains(receipt) {
            if let entry = ledger.byReceipt[receipt]?.last { missingInDatabase.append(entry) }
        }
        missingInDatabase.sort { $0.erasedAt < $1.erasedAt }
        missingInFile.sort { $0.erasedAt < $1.erasedAt }
    }
}
