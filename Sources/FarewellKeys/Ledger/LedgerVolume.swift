// SPDX-License-Identifier: Apache-2.0

/// One of the ledger's files, with a chain of its own. Whoever adds takes the first in which nobody is writing: who was
/// stopped in the middle of a line holds up nobody.
package struct LedgerVolume: Sendable, Hashable {
    let number: Int

    static let first = LedgerVolume(number: 1)
    /// As many as processes may ever be writing, or be stopped while they write, at one moment.
    static let all = (1...64).map(LedgerVolume.init)

    var fileName: String { self == .first ? "ledger.jsonl" : "ledger-\(number).jsonl" }
    /// What its first line follows: no volume can be put in another's place.
    var beginning: String { self == .first ? "" : fileName }
}
