// SPDX-License-Identifier: Apache-2.0

/// One of the ledger's files, with a chain of its own. A writer takes the first unlocked file, so a process that was
/// stopped in the middle of a line blocks no other.
package struct LedgerVolume: Sendable, Hashable {
    let number: Int

    static let first = LedgerVolume(number: 1)
    /// As many as processes may ever be writing, or be stopped while they write, at one moment.
    static let all = (1...64).map(LedgerVolume.init)

    var fileName: String { self == .first ? "ledger.jsonl" : "ledger-\(number).jsonl" }
    /// The predecessor of its first line: no volume can replace another.
    var beginning: String { self == .first ? "" : fileName }
}
