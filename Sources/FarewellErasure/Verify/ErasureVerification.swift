// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Reads back what was erased, sweeps what reappeared, and searches the rest of the database.
struct ErasureVerification: Sendable {
    let context: ErasureContext
    private static let sweeps = 3

    /// Whether reading back is all there is to be done.
    var isReadingBack: Bool { context.options.deepScan == .none && !context.prepared.schema.dialect.isFile }

    /// Verifies all members together.
    ///
    /// - Throws: `verify.leftovers` naming the places when rows keep reappearing: then nobody says "done".
    func verify(
        _ members: [ErasureMember], sweep: ([ErasureMember]) async throws -> Void
    ) async throws -> ReceiptVerification {
        var verification = ReceiptVerification(readBack: try await readBack(members, sweep: sweep))
        guard !isReadingBack else { return verification }
        return try await context.keepingLease(members) {
            verification.deepScan = try await scan(members)
            verification.residue = try await residue(members)
            return verification
        }
    }

    /// Reads the planned places back, and sweeps until nothing is left there.
    ///
    /// - Throws: `verify.leftovers`.
    func readBack(
        _ members: [ErasureMember], sweep: ([ErasureMember]) async throws -> Void
    ) async throws -> ReceiptVerification.ReadBack {
        let readBack = ReadBack(prepared: context.prepared)
        var left = try await read(readBack, members)
        for _ in 0..<Self.sweeps where !left.isEmpty {
            try await sweep(members)
            left = try await read(readBack, members)
        }
        guard left.isEmpty else { throw Self.leftovers(left) }
        return .init(places: readBack.places, rowsLeft: 0)
    }

    private func read(_ readBack: ReadBack, _ members: [ErasureMember]) async throws -> [String: Int] {
        try await context.database.withConnection { connection in
            try await readBack.leftovers(of: members, on: connection)
        }
    }

    private static func leftovers(_ left: [String: Int]) -> FarewellError {
        let places = left.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        return FarewellError(
            "verify.leftovers", .ours, "Rows were found again after they were erased: \(places).",
            remedy:
                "Something writes for this person, or a trigger or rule keeps rows. Stop it and release the erasure.")
    }

    private func scan(_ members: [ErasureMember]) async throws -> ReceiptVerification.DeepScan {
        guard context.options.deepScan != .none else { return .none }
        let scan = DeepScan(schema: context.prepared.schema, plan: context.prepared.plan)
        let needles = DeepScan.needles(of: members.map(\.subject))
        let outcome = try await scan.run(for: needles, extent: context.options.deepScan, on: context.database) {
            done, of in
            for member in members {
                await context.observe(
                    .init(erasure: member.id, event: .advanced(step: "deep scan", done: done, of: of)))
            }
        }
        return .init(
            extent: outcome.isComplete ? .complete : .bounded, columns: outcome.columns, rows: outcome.rows,
            occurrences: outcome.occurrences, found: outcome.found.keys.sorted())
    }

    /// SQLite: what a delete leaves in the file is scrubbed, then the file's bytes are searched. Identifiers
    /// that a retention keeps are told there and not here.
    private func residue(_ members: [ErasureMember]) async throws -> ReceiptVerification.Residue {
        guard let sqlite = context.database as? SQLiteDatabase, context.options.residue == .scrub else {
            return .notApplicable
        }
        let needles = DeepScan.spellings(of: members.map(\.subject))
        var outcome = ResidueScan(for: needles)
        var beyond = 0
        // A row that is kept stands in the log a second time when somebody writes beside it meanwhile.
        for _ in 0..<Self.sweeps {
            try await sqlite.scrub()
            let scan = Guarded(ResidueScan(for: needles))
            try await sqlite.readFiles { file, piece in scan.withLock { $0.take(piece, of: file) } }
            outcome = scan.withLock { $0 }
            let kept = try await context.database.withConnection { connection in
                try await KeptIdentifiers(schema: context.prepared.schema, plan: context.prepared.plan)
                    .count(of: needles, on: connection)
            }
            beyond = max(outcome.occurrences - kept, 0)
            if beyond == 0 || kept == 0 { break }
        }
        return .init(
            state: .scrubbedAndScanned, files: outcome.files, bytes: outcome.bytes, occurrences: beyond)
    }
}
