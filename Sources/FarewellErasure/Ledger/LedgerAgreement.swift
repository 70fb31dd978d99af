// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

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
    /// Erasures that the file has without their end, and the database with it.
    package var openInFile = 0
    /// Erasures whose two entries differ. Only an operator can decide which is right.
    package var conflicting = 0
    /// Erasures that were begun and that nothing shows to be committed, and whose subjects no other entry recognises;
    /// `nil` if the file was not read as a whole.
    package var unconfirmed: Int?
    /// Receipts in the state directory that are more than the erasures that either copy knows.
    package private(set) var receiptsWithoutEntry = 0

    init(file: Int, database: Int, conflicting: Int = 0) {
        self.file = file
        self.database = database
        self.conflicting = conflicting
    }

    /// - Parameter receipts: The number of receipts in the state directory, counted before the copies were read.
    init(_ ledger: Ledger, _ comparison: LedgerComparison, receipts: Int = 0) {
        self.init(
            file: ledger.erasures, database: comparison.inDatabase.count, conflicting: comparison.conflicting.count)
        restoredLines = ledger.restored
        missingInFile = comparison.missingInFile.count
        missingInDatabase = comparison.missingInDatabase.count
        openInFile = comparison.unconfirmedInFile.count
        unconfirmed = ledger.unsettled(besides: comparison.inDatabase).count
        receiptsWithoutEntry = max(0, receipts - ledger.byReceipt.count - comparison.missingInFile.count)
    }
}
