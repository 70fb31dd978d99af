// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Compares the ledger's two copies, and restores in each what only the other has.
///
/// Blocks for the file. Nothing is ever changed or inserted: lines are appended to the file, marked as restored, and
/// rows are added to the table. If both contradict each other about one erasure, both stay unchanged.
struct LedgerReconciler: Sendable {
    let database: any SQLDatabase
    let control: ControlStore
    let ledger: LedgerFile

    /// The most rows that one transaction adds.
    private static let piece = 1_000

    /// Makes both copies the same. Costs one count in the database and the reading of what was added to the file where
    /// they are the same already.
    ///
    /// - Parameter known: The state of the file when it was last read. Where the database has as much, nothing has come
    ///   since.
    /// - Throws: `ledger.tampered`, or what the database throws.
    func reconcile(known: LedgerCheckpoint? = nil) async throws -> LedgerAgreement {
        // The database first: each of its entries was in the file before it was committed.
        let inDatabase = try await countInDatabase()
        let checkpoint = if let known, known.count == inDatabase { known } else { try ledger.survey() }
        if let checkpoint, checkpoint.count == inDatabase {
            if checkpoint.grown >= LedgerCheckpoint.stride {
                try ledger.keep(inDatabase, conflicting: checkpoint.conflicting)
            }
            return LedgerAgreement(
                file: inDatabase.count, database: inDatabase.count, conflicting: checkpoint.conflicting)
        }
        let (found, comparison) = try await compared()
        var agreement = LedgerAgreement(found, comparison)
        let confirming = try confirmable(found, comparison)
        if !comparison.missingInFile.isEmpty || !confirming.isEmpty {
            let rows = try await rows()
            let added = try restore(rows, confirming)
            agreement.missingInFile = added
            agreement.openInFile = 0
            agreement.restoredLines = found.restored + added
        }
        for part in comparison.missingInDatabase.chunks(ofCount: Self.piece) { try await enter(Array(part)) }
        let receipts = found.confirmed.union(comparison.inDatabase).union(confirming)
        agreement.unconfirmed = found.unsettled(besides: receipts).count
        try ledger.keep(LedgerCount(receipts), conflicting: comparison.conflicting.count)
        return agreement
    }

    /// Compares both copies as a whole. Changes nothing.
    ///
    /// - Parameter receipts: The number of receipts in the state directory.
    /// - Throws: `ledger.tampered`, or what the database throws.
    func compare(receipts: Int) async throws -> LedgerAgreement {
        let (found, comparison) = try await compared()
        return LedgerAgreement(found, comparison, receipts: receipts)
    }

    /// The number of erasures on which both copies agree, by their numbers; `nil` if they differ. Changes nothing.
    func agreed() async throws -> Int? {
        let inDatabase = try await countInDatabase()
        let inFile =
            if let checkpoint = try ledger.survey() { checkpoint.count } else {
                LedgerCount(try ledger.read().confirmed)
            }
        return inFile == inDatabase ? inDatabase.count : nil
    }

    private func compared() async throws -> (Ledger, LedgerComparison) {
        let rows = try await rows()
        let found = try ledger.read()
        return (found, LedgerComparison(found, rows))
    }

    private func rows() async throws -> [LedgerRow] {
        try await control.ledgerEntries.run(in: database)
    }

    private func countInDatabase() async throws -> LedgerCount {
        try await control.ledgerCount.run(in: database)
    }

    /// Receipts whose erasure is known to be committed from elsewhere: the database, or their files.
    private func confirmable(_ found: Ledger, _ comparison: LedgerComparison) throws -> Set<UUID> {
        let handedOut = try found.unconfirmed.filter { try ledger.directory.contains(LedgerFile.receiptFile(of: $0)) }
        return Set(comparison.unconfirmedInFile + handedOut)
    }

    /// Appends missing entries to the file. One process at a time, which reads again: nothing is appended twice.
    ///
    /// - Returns: How many entries were appended.
    private func restore(_ rows: [LedgerRow], _ confirming: Set<UUID>) throws -> Int {
        try ledger.directory.locked {
            let found = try ledger.read()
            let missing = LedgerComparison(found, rows).missingInFile
            for part in missing.chunks(ofCount: Self.piece) { try ledger.append(Array(part), .restored) }
            let open = confirming.subtracting(found.confirmed).sorted { $0.text < $1.text }
            if !open.isEmpty { try ledger.sync(try ledger.confirm(open)) }
            return missing.count
        }
    }

    private func enter(_ entries: [LedgerEntry]) async throws {
        let statements = try control.enter(entries)
        try await database.transaction { _ = try await $0.pipeline(statements) }
    }
}
