// SPDX-License-Identifier: Apache-2.0

/// Everybody who was erased, to look people up in after a restore.
package struct Ledger: Sendable {
    private var bySubject: [SubjectHash: [LedgerEntry]] = [:]
    /// How many entries were read, repeats included.
    package private(set) var count = 0

    /// How many erasures it knows of.
    package var erasures: Int { bySubject.values.reduce(0) { $0 + $1.count } }

    package init(_ entries: some Sequence<LedgerEntry> = []) {
        for entry in entries { add(entry) }
    }

    mutating func add(_ entry: LedgerEntry) {
        count += 1
        if bySubject[entry.subject]?.contains(entry) == true { return }
        bySubject[entry.subject, default: []].append(entry)
    }

    /// What the ledger knows about a row that is there now.
    package enum Match: Sendable, Hashable {
        /// Never erased.
        case unknown
        /// This very person was erased and has come back with a restore.
        case returned(LedgerEntry)
        /// A person with this key was erased, but other values of the row differ: the key was used again, or
        /// the values changed between back-up and erasure. Certain to be the same person only where keys are
        /// never used again (uuid).
        case sameKey(LedgerEntry)
    }

    /// Looks a row up by the hash of its key and of its life. The latest erasure wins.
    package func match(_ subject: SubjectHash, incarnation: String) -> Match {
        guard let entries = bySubject[subject], let latest = entries.max(by: { $0.erasedAt < $1.erasedAt }) else {
            return .unknown
        }
        let same = entries.filter { $0.incarnation == incarnation }.max { $0.erasedAt < $1.erasedAt }
        return same.map(Match.returned) ?? .sameKey(latest)
    }

    /// Whether anybody with this key was ever erased.
    package func contains(_ subject: SubjectHash) -> Bool { bySubject[subject] != nil }
}
