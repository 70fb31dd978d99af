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

    /// Makes both the same. Reads the file from the mark at which they agreed last, and asks the database about the
    /// stops after it, a thousand erasures at a time.
    ///
    /// - Parameters:
    ///   - audit: Records what is put back.
    ///   - note: Adds lines to the file, and records them in the transaction.
    /// - Returns: The stops that it put back in the database.
    /// - Throws: `ledger.tampered`, `audit.broken`, or what the database throws.
    func reconcile(
        at now: Date, _ audit: AuditLog, note: @Sendable ([Stop], any SQLConnection) async throws -> Void
    ) async throws -> StopAgreement {
        let (mark, reading, first) = try await database.withConnection { connection in
            let mark = try await lastMark(on: connection)
            let (reading, comparison) = try await compared(on: connection, after: mark)
            return (mark, reading, comparison)
        }
        if first.isSame {
            if reading.size >= StopMark.stride { try await advance(from: mark, at: now) }
            return StopAgreement()
        }
        let ids = first.concerned
        return try await database.transaction { connection in
            // The rows, then the audit log, then the file: in the order of every act that stops an erasure. With the
            // audit log locked, no other process is between its line and its commit.
            for part in ids.sorted(by: { $0.text < $1.text }).chunks(ofCount: Self.piece) {
                _ = try await control.live(Array(part), isLocking: true).run(on: connection)
            }
            _ = try await connection.pipeline(audit.head)
            let (found, comparison) = try await compared(on: connection, after: mark, among: ids)
            let (statements, acts) = changes(comparison, at: now)
            if !acts.isEmpty {
                try await audit.append(acts, beside: statements, actor: "restore", at: now, on: connection)
            }
            let lines = comparison.lines(found.stops, at: now)
            if !lines.isEmpty { try await note(lines, connection) }
            return StopAgreement(comparison)
        }
    }

    /// Compares both. Changes nothing.
    ///
    /// - Returns: The stops that `reconcile` would put back in the database.
    /// - Throws: `ledger.tampered`, or what the database throws.
    func compare() async throws -> StopAgreement {
        try await database.withConnection { connection in
            StopAgreement(try await compared(on: connection, after: try await lastMark(on: connection)).comparison)
        }
    }

    private func lastMark(on connection: any SQLConnection) async throws -> StopMark? {
        guard try await control.hasStops.run(on: connection) else { return nil }
        return try await control.stopMark.run(on: connection)
    }

    /// Records up to where both agree. It compares them again in the same transaction: a restore in between must not
    /// leave the mark beside an older state.
    private func advance(from mark: StopMark?, at now: Date) async throws {
        let file = file
        try await database.transaction { connection in
            guard try await control.hasStops.run(on: connection) else { return }
            let (reading, comparison) = try await compared(on: connection, after: mark)
            guard comparison.isSame else { return }
            let next = try await BlockingWork.run { try file.mark(of: reading, at: now) }
            _ = try await connection.run(try control.keep(next))
        }
    }

    /// - Parameter locked: The erasures that this transaction has locked; `nil` for all.
    private func compared(
        on connection: any SQLConnection, after mark: StopMark?, among locked: Set<UUID>? = nil
    ) async throws -> (reading: StopReading, comparison: StopComparison) {
        let file = file
        let reading = try await BlockingWork.run { try file.read(after: mark) }
        let found = reading.stops
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
        return (reading, StopComparison(found, standing))
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
