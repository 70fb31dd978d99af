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

/// The agreement of the ledger's two copies, by numbers.
package struct LedgerAgreement: Sendable, Hashable {
    /// Committed erasures that the file knows.
    package var file: Int
    /// Committed erasures that the database knows.
    package var database: Int
    /// Lines of the file that were ever copied from the database; `nil` if the file was not read as a whole.
    package var restoredLines: Int?
    /// Erasures that the file does not have; after `reconcile`, that were copied to it.
    package var missingInFile = 0
    /// Erasures that the database does not have; after `reconcile`, that were copied to it.
    package var missingInDatabase = 0
    /// Erasures whose two entries differ. Only an operator can decide which is right.
    package var conflicting = 0
    /// Erasures that were begun and that nothing shows to be committed; `nil` if the file was not read as a whole.
    package var unconfirmed: Int?

    init(file: Int, database: Int, conflicting: Int = 0) {
        self.file = file
        self.database = database
        self.conflicting = conflicting
    }

    init(_ ledger: Ledger, _ comparison: LedgerComparison) {
        self.init(
            file: ledger.erasures, database: comparison.inDatabase.count, conflicting: comparison.conflicting.count)
        restoredLines = ledger.restored
        missingInFile = comparison.missingInFile.count
        missingInDatabase = comparison.missingInDatabase.count
        unconfirmed = ledger.unconfirmed.filter { !comparison.inDatabase.contains($0) }.count
    }
}
