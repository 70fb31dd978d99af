// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All erased subjects, to find them again after a restore.
package struct Ledger: Sendable {
    private var bySubject: [SubjectHash: [LedgerEntry]] = [:]
    /// Entries by their receipts, in the order in which they were read.
    package private(set) var byReceipt: [UUID: [LedgerEntry]] = [:]
    /// The receipts of erasures that were certainly committed.
    package private(set) var confirmed: Set<UUID> = []
    /// How many entries were read, repeats included.
    package private(set) var count = 0
    /// How many entries were copied from the database into the file.
    package private(set) var restored = 0

    /// How many committed erasures it knows of.
    package var erasures: Int { confirmed.count }

    /// The entries of `entries` count as done.
    package init(_ entries: some Sequence<LedgerEntry> = []) {
        for entry in entries { add(entry, .former) }
    }

    package mutating func add(_ entry: LedgerEntry, _ mark: LedgerMark) {
        count += 1
        if mark == .restored { restored += 1 }
        if mark.isConfirmed { confirmed.insert(entry.receipt) }
        if byReceipt[entry.receipt]?.contains(entry) == true { return }
        byReceipt[entry.receipt, default: []].append(entry)
        bySubject[entry.subject, default: []].append(entry)
    }

    /// Says that the erasures of these receipts were committed.
    mutating func confirm(_ receipts: some Sequence<UUID>) { confirmed.formUnion(receipts) }

    /// The receipts without a confirmation that their erasure was committed.
    package var unconfirmed: [UUID] { byReceipt.keys.filter { !confirmed.contains($0) } }

    /// The unconfirmed receipts whose subjects `match` would take for unconfirmed: those of a process that died before
    /// its commit, until another erasure of the same subject is confirmed.
    ///
    /// - Parameter known: Receipts that another place confirms.
    package func unsettled(besides known: Set<UUID>) -> [UUID] {
        func isConfirmed(_ receipt: UUID) -> Bool { confirmed.contains(receipt) || known.contains(receipt) }
        return byReceipt.compactMap { receipt, entries -> UUID? in
            guard !isConfirmed(receipt) else { return nil }
            let isOpen = entries.contains { entry in
                !bySubject[entry.subject, default: []].contains {
                    $0.incarnation == entry.incarnation && isConfirmed($0.receipt)
                }
            }
            return isOpen ? receipt : nil
        }
    }

    /// The ledger's knowledge about a present row.
    package enum Match: Sendable, Hashable {
        /// Never erased.
        case unknown
        /// This very subject was erased and is back after a restore.
        case returned(LedgerEntry)
        /// A subject with this key was erased, but other values of the row differ: the key was used again, or
        /// the values changed between back-up and erasure. Certain to be the same subject only where keys are
        /// never used again (uuid).
        case sameKey(LedgerEntry)
        /// An erasure of this key was begun and nothing shows that it was ever committed.
        case unconfirmed(LedgerEntry)
    }

    /// Looks a row up by the hash of its key and of its life. A confirmed erasure takes precedence over an unconfirmed
    /// one, the same subject over the same key, and the latest wins.
    package func match(_ subject: SubjectHash, incarnation: String) -> Match {
        guard let entries = bySubject[subject] else { return .unknown }
        let done = entries.filter { confirmed.contains($0.receipt) }
        if let same = Self.latest(done.filter { $0.incarnation == incarnation }) { return .returned(same) }
        let open = entries.filter { !confirmed.contains($0.receipt) }
        if let same = Self.latest(open.filter { $0.incarnation == incarnation }) { return .unconfirmed(same) }
        if let other = Self.latest(done) { return .sameKey(other) }
        return Self.latest(open).map(Match.unconfirmed) ?? .unknown
    }

    private static func latest(_ entries: [LedgerEntry]) -> LedgerEntry? {
        entries.max { $0.erasedAt < $1.erasedAt }
    }

    /// Whether an erasure of a subject with this key was ever begun.
    package func contains(_ subject: SubjectHash) -> Bool { bySubject[subject] != nil }
}
