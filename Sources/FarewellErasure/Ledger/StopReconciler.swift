// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Compares the file of stops with the database, and puts back in each what only the other has.
struct StopReconciler: Sendable {
    let database: any SQLDatabase
    let control: ControlStore
    let file: StopFile

    /// The most erasures that one statement asks for.
    private static let piece = 1_000
    /// The words on a hold that was put back: its own are in the lost database.
    static let reason = "Put back from the state directory after a restore of the database."

    /// Makes both the same. Costs one statement where they are, and one for each thousand erasures of the file.
    ///
    /// - Parameters:
    ///   - audit: Records what is put back.
    ///   - note: Adds lines to the file, and records them in the transaction.
    /// - Returns: The stops that it put back in the database.
    /// - Throws: `ledger.tampered`, `audit.broken`, or what the database throws.
    func reconcile(
        at now: Date, _ audit: AuditLog, note: @Sendable ([Stop], any SQLConnection) async throws -> Void
    ) async throws -> StopAgreement {
        let first = try await database.withConnection { try await compared(on: $0).comparison }
        if first.isSame { return StopAgreement() }
        let ids = first.concerned
        return try await database.transaction { connection in
            // The rows, then the audit log, then the file: in the order of every act that stops an erasure. With the
            // audit log locked, no other process is between its line and its commit.
            for part in ids.sorted(by: { $0.text < $1.text }).chunks(ofCount: Self.piece) {
                _ = try await control.live(Array(part), isLocking: true).run(on: connection)
            }
            _ = try await connection.pipeline(audit.head)
            let (found, comparison) = try await compared(on: connection, among: ids)
            let (statements, acts) = changes(comparison, at: now)
            if !acts.isEmpty {
                try await audit.append(acts, beside: statements, actor: "restore", at: now, on: connection)
            }
            let lines = comparison.lines(found, at: now)
            if !lines.isEmpty { try await note(lines, connection) }
            return StopAgreement(comparison)
        }
    }

    /// Compares both. Changes nothing.
    ///
    /// - Returns: What `reconcile` would put back in the database.
    /// - Throws: `ledger.tampered`, or what the database throws.
    func compare() async throws -> StopAgreement {
        try await database.withConnection { StopAgreement(try await compared(on: $0).comparison) }
    }

    /// - Parameter locked: The erasures that this transaction has locked; `nil` for all.
    private func compared(
        on connection: any SQLConnection, among locked: Set<UUID>? = nil
    ) async throws -> (file: Stops, comparison: StopComparison) {
        let file = file
        let found = try await BlockingWork.run { try file.read() }
        var standing = StopStanding(held: try await control.heldErasures.run(on: connection))
        var candidates = StopComparison.candidates(found, held: standing.held)
        if let locked { candidates.formIntersection(locked) }
        for part in candidates.sorted(by: { $0.text < $1.text }).chunks(ofCount: Self.piece) {
            standing.live += try await control.live(Array(part)).run(on: connection)
        }
        let ids = standing.live.filter { found.held[$0.erasure] != nil || !$0.isWaiting }.map(\.erasure)
        if !ids.isEmpty, try await control.hasStops.run(on: connection) {
            for part in ids.chunks(ofCount: Self.piece) {
                standing.ended.merge(try await control.holdEnds(of: Array(part)).run(on: connection)) { $1 }
            }
        }
        return (found, StopComparison(found, standing))
    }

    private func changes(_ comparison: StopComparison, at now: Date) -> ([SQLStatement], [AuditLog.Act]) {
        var statements: [SQLStatement] = []
        var acts: [AuditLog.Act] = []
        // Only a live erasure takes a hold; that of a cancelled one stays for its subject's next.
        for live in comparison.holding {
            statements += control.requests.hold(live.erasure, reason: Self.reason, at: now)
            acts.append(AuditLog.Act(act: "erasure.held", erasure: live.erasure, subjectHash: live.subjectHash))
        }
        for live in comparison.cancelling {
            let cancel = control.requests.cancel(live.erasure, subjectHash: live.subjectHash, at: now)
            statements += [cancel.statement, control.requests.forgetReadiness(of: live.erasure)]
            acts.append(AuditLog.Act(act: "erasure.cancelled", erasure: live.erasure, subjectHash: live.subjectHash))
        }
        return (statements, acts)
    }
}
