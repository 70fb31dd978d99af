// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The reason why the ledger takes no entry.
///
/// A state directory to which this process may not write stops every erasure alike, and no operator needs to decide
/// about each of them: they wait until it can be written to. A ledger that is not as it was written parks them.
enum LedgerFailure {
    private static let ofDirectory: Set<FarewellError.Code> = [
        "file.permission", "file.read-only", "file.missing", "state.missing",
    ]

    /// Adds to the ledger; an error of the state directory is one to try again.
    static func passing<Value>(_ add: () throws -> Value) throws -> Value {
        do {
            return try add()
        } catch let error as FarewellError where ofDirectory.contains(error.code) {
            throw FarewellError(error.code, .tryAgain, error.message, remedy: error.remedy)
        }
    }
}
