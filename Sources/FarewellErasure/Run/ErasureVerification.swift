// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Reads back what was erased, sweeps what reappeared, and searches the rest of the database.
struct ErasureVerification: Sendable {
    let context: ErasureContext
    /// How often rows that are found again are erased again.
    static let sweeps = 3

    /// Whether reading back is all there is to be done.
    var isReadingBack: Bool { context.options.deepScan == .none && !context.prepared.schema.dialect.isFile }

    /// Verifies all erasures together.
    ///
    /// - Throws: `verify.leftovers` naming the places if rows keep reappearing: then the erasure is never reported as
    ///   done.
    func verify(
        _ erasures: [OpenedErasure], sweep: ([OpenedErasure]) async throws -> Void
    ) async throws -> GroupVerification {
        var verification = GroupVerification(shared: .init(readBack: try await readBack(erasures, sweep: sweep)))
        guard !isReadingBack else { return verification }
        return try await context.keepingLease(erasures) {
            let erasures = try await withoutWrittenNames(erasures)
            verification.scans = try await scan(erasures)
            verification.shared.residue = try await residue(erasures)
            return verification
        }
    }

    /// Reads the planned places back, and sweeps until nothing is left there.
    ///
    /// - Throws: `verify.leftovers`.
    func readBack(
        _ erasures: [OpenedErasure], sweep: ([OpenedErasure]) async throws -> Void
    ) async throws -> ReceiptVerification.ReadBack {
        let readBack = ReadBack(prepared: context.prepared)
        var left = try await read(readBack, erasures)
        for _ in 0..<Self.sweeps where !left.isEmpty {
            try await sweep(erasures)
            left = try await read(readBack, erasures)
        }
        guard left.isEmpty else { throw try await leftovers(left) }
        return .init(places: readBack.places, rowsLeft: 0)
    }

    private func read(_ readBack: ReadBack, _ erasures: [OpenedErasure]) async throws -> [String: Int] {
        try await context.database.withConnection { connection in
            try await readBack.leftovers(of: erasures, on: connection)
        }
    }

    private func leftovers(_ left: [String: Int]) async throws -> FarewellError {
        let places = left.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        let message = "Rows were found again after their erasure: \(places)."
        if let list = try await listOfOtherForm(left) {
            return FarewellError(
                "verify.leftovers", .ours, "\(message) In \(list.place), \(list.message)",
                remedy: "\(list.remedy ?? "") Then release the erasure.")
        }
        return FarewellError(
            "verify.leftovers", .ours, message,
            remedy:
                "A program writes this subject's rows, a trigger or rule keeps them, or a list there has another form "
                + "than the plan says (farewell check --sample shows that). Correct it; then release the erasure.")
    }

    /// The finding about a list in one of these places whose values have another form than the plan says.
    private func listOfOtherForm(_ left: [String: Int]) async throws -> Finding? {
        let nodes = context.prepared.program.graph.nodes.filter { left[$0.place] != nil || left[$0.linkPlace] != nil }
        let tables = Set(nodes.map(\.table.name))
        let probe = ListProbe(context.prepared.plan, context.prepared.schema)
        return try await context.database.withConnection { try await probe.findings(in: tables, on: $0) }.first
    }

    /// The erasures without identifiers that the plan itself has written, in an erasure before.
    private func withoutWrittenNames(_ erasures: [OpenedErasure]) async throws -> [OpenedErasure] {
        let written = PlanWrittenNames(plan: context.prepared.plan, schema: context.prepared.schema)
        return try await context.database.withConnection { connection in
            var known = erasures
            for place in known.indices {
                known[place].subject.identifiers = try await written.removed(
                    from: known[place].subject.identifiers, on: connection)
            }
            return known
        }
    }

    /// Searches all columns for each subject's names; an erasure without searchable names has no result.
    private func scan(_ erasures: [OpenedErasure]) async throws -> [UUID: ReceiptVerification.DeepScan] {
        guard context.options.deepScan != .none else { return [:] }
        let scan = DeepScan(schema: context.prepared.schema, plan: context.prepared.plan)
        let subjects = erasures.map { SearchedSubject($0.subject) }
        let outcomes = try await scan.run(for: subjects, extent: context.options.deepScan, on: context.database) {
            done, of in
            for erasure in erasures {
                await context.observe(
                    .init(erasure: erasure.id, event: .advanced(step: "deep scan", done: done, of: of)))
            }
        }
        var scans: [UUID: ReceiptVerification.DeepScan] = [:]
        for (erasure, (subject, outcome)) in zip(erasures, zip(subjects, outcomes)) where !subject.isNameless {
            scans[erasure.id] = outcome.inReceipt
        }
        return scans
    }

    /// SQLite: the bytes that a deletion leaves in the file are overwritten, then all bytes of the file are searched.
    /// Identifiers in rows count if the rows are left, not if a rule keeps them or a text only contains them.
    private func residue(_ erasures: [OpenedErasure]) async throws -> ReceiptVerification.Residue {
        guard let sqlite = context.database as? SQLiteDatabase, context.options.residue == .scrub else {
            return .notApplicable
        }
        let needles = ResidueScan.needles(of: erasures.map(\.subject))
        let encoding = try await context.database.withConnection { connection in
            try await connection.run(ResidueScan.encoding).scalar?.text
        }
        let fresh = ResidueScan(for: needles, encoding: encoding)
        var outcome = fresh
        var beyond = 0
        // A row that stays is in the log a second time if another program writes beside it meanwhile.
        for _ in 0..<Self.sweeps {
            try await sqlite.scrub()
            let scan = Guarded(fresh)
            try await sqlite.readFiles { file, piece in scan.withLock { $0.take(piece, of: file) } }
            outcome = scan.withLock { $0 }
            guard outcome.occurrences > 0 else {
                beyond = 0
                break
            }
            let live = try await context.database.withConnection { connection in
                try await LiveIdentifiers(schema: context.prepared.schema).count(of: needles, on: connection)
            }
            beyond = max(outcome.occurrences - live, 0)
            if beyond == 0 || live == 0 { break }
        }
        if outcome.occurrences > 0 { beyond += try await leftInRows(erasures) }
        return .init(
            state: .scrubbedAndScanned, files: outcome.files, bytes: outcome.bytes, occurrences: beyond)
    }

    /// Values of rows in which something that bytes are searched for is left.
    private func leftInRows(_ erasures: [OpenedErasure]) async throws -> Int {
        let scan = DeepScan(schema: context.prepared.schema, plan: context.prepared.plan)
        let subjects = erasures.map { erasure in
            SearchedSubject(
                key: erasure.subject.key.text, identifiers: ResidueScan.names(of: erasure.subject), isKeySearched: false
            )
        }
        let outcomes = try await scan.run(for: subjects, extent: .complete, on: context.database)
        return outcomes.flatMap(\.left.values).reduce(0, +)
    }
}
