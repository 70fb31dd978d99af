// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import FarewellSQL

/// The ledger of an existing state directory, read before anything is known about the database.
struct SurveyedLedger: Sendable {
    let file: LedgerFile
    /// Names the keys whose ledger it is.
    let keys: String
    /// The state of the file.
    let checkpoint: LedgerCheckpoint

    /// Reads it on a thread of its own. `nil` if no checkpoint leads through it: the comparison with the database
    /// then reports the fault.
    static func read(in state: String) async -> SurveyedLedger? {
        try? await BlockingWork.run { () -> SurveyedLedger? in
            guard let keys = try KeyStore.existing(at: state) else { return nil }
            let file = LedgerFile(keys)
            return try file.survey().map { SurveyedLedger(file: file, keys: keys.identity, checkpoint: $0) }
        }
    }
}
