// SPDX-License-Identifier: Apache-2.0

/// One of the files of a journal in the state directory, with a chain of its own. A writer takes the first unlocked
/// file, so a process that was stopped in the middle of a line blocks no other.
package struct LedgerVolume: Sendable, Hashable {
    /// A journal, by the name of its files.
    enum Journal: String, Sendable, CaseIterable {
        /// Erased subjects.
        case ledger
        /// Cancelled and held erasures, and removed signing keys.
        case stops

        /// As many files as processes may ever be writing, or be stopped while they write, at one moment.
        var volumes: [LedgerVolume] { (1...LedgerVolume.most).map { LedgerVolume(journal: self, number: $0) } }
        var first: LedgerVolume { LedgerVolume(journal: self, number: 1) }
    }

    let journal: Journal
    let number: Int

    static let most = 64

    var fileName: String { number == 1 ? "\(journal.rawValue).jsonl" : "\(journal.rawValue)-\(number).jsonl" }
    /// The predecessor of its first line: no volume can replace another.
    var beginning: String { self == Journal.ledger.first ? "" : fileName }
}
