// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The accounts that one transaction erases: their subjects, the locks that exclude other transactions until it ends,
/// and the control store's records of their erasures afterwards.
protocol SmallAccounts: Sendable {
    /// Selects the erasures that can be carried out, by the data of each subject.
    typealias Selection = @Sendable (_ found: [SQLValue: SealedSubject]) -> [OpenedErasure]

    /// The subjects' keys.
    var keys: [SQLValue] { get }
    /// Whether their erasures are recorded in this transaction for the first time. Its records then change nothing that
    /// others of them do, and may be one statement.
    var areNew: Bool { get }
    /// Whether the subjects' captured keys are not needed after the transaction.
    var areForgotten: Bool { get }
    /// The actor of their acceptance in the audit log.
    var requester: String { get }
    /// Excludes other transactions from the accounts until the transaction ends.
    var holding: [SQLStatement] { get }
    /// The queries to the control store that tell the subjects that can be erased in this transaction.
    var questions: StoreQueries<Selection> { get }

    /// Records that the erasures are done, before their step, ledger entries and retained rows are recorded.
    func records(of endings: [ErasureCompletion.Ending], at now: Date) throws -> [SQLStatement]
}
