// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension ErasureRequests {
    /// Cancels an erasure for its subject, if no worker has begun it.
    ///
    /// - Throws: `erasure.too-late` once it was begun; `erasure.not-found` if it is not this subject's.
    public func cancel(_ id: UUID, by subject: String) async throws -> RequestedErasure {
        try requireRecognition()
        let key = try SubjectResolver(prepared: engine.prepared).key(subject)
        let context = engine.context(ErasureOptions())
        let hash = context.subjectHash(key).rawValue
        let now = engine.environment.now()
        let isCancelled = try await engine.database.transaction { connection -> Bool in
            guard try await control.requests.cancel(id, subjectHash: hash, at: now).run(on: connection) else {
                return false
            }
            let act = AuditLog.Act(act: "erasure.cancelled", erasure: id, subjectHash: hash)
            try await context.audit.append(
                [act], beside: [control.requests.forgetReadiness(of: id)], actor: "service", at: now, on: connection)
            try await engine.note([.cancelled(id, at: now)], on: connection)
            return true
        }
        guard let erasure = try await erasure(id), erasure.status.erasure.subjectHash == hash else {
            throw Self.notFound
        }
        guard isCancelled || erasure.state == .cancelled else {
            throw FarewellError(
                "erasure.too-late", .yoursToFix, "The erasure has started and can no longer be cancelled.")
        }
        signals.ends.wake(about: [id])
        return erasure
    }

    public static let notFound = FarewellError("erasure.not-found", .yoursToFix, "There is no such erasure.")

    /// Holds an erasure for an operator: before the next destructive step.
    ///
    /// - Throws: `erasure.not-found`; `erasure.too-late` when it has ended.
    public func hold(_ id: UUID, reason: String, by actor: String) async throws -> RequestedErasure {
        let now = engine.environment.now()
        try await change(id, "erasure.held", by: actor, at: now) { connection in
            let last = try await connection.pipeline(control.requests.hold(id, reason: reason, at: now)).last
            return last?.affected == 1 ? [.held(id, at: now)] : []
        }
        guard let erasure = try await erasure(id) else { throw Self.notFound }
        guard erasure.holdReason != nil else {
            throw FarewellError("erasure.too-late", .yoursToFix, "The erasure is finished.")
        }
        return erasure
    }

    /// Ends the hold of an erasure.
    ///
    /// - Throws: `erasure.not-found`.
    public func endHold(of id: UUID, by actor: String) async throws -> RequestedErasure {
        let now = engine.environment.now()
        try await change(id, "erasure.hold-ended", by: actor, at: now) { connection in
            try await control.requests.endHold(of: id).run(on: connection).map { .holdEnded($0, at: now) }
        }
        guard let erasure = try await erasure(id) else { throw Self.notFound }
        signals.work.wake()
        return erasure
    }

    /// The audit log is locked last, as by the worker of the erasure: otherwise they could deadlock. The file of stops
    /// is written while it is locked: one process at a time is between its line there and its commit.
    ///
    /// - Parameter body: Returns what was changed; only a change is recorded.
    private func change(
        _ id: UUID, _ act: String, by actor: String, at now: Date,
        _ body: @Sendable (any SQLConnection) async throws -> [Stop]
    ) async throws {
        guard try await erasure(id) != nil else { throw Self.notFound }
        let audit = engine.context(ErasureOptions()).audit
        try await engine.database.transaction { connection in
            let stops = try await body(connection)
            guard !stops.isEmpty else { return }
            let entry = AuditLog.Act(act: act, erasure: id)
            try await audit.append([entry], actor: actor, at: now, on: connection)
            try await engine.note(stops, on: connection)
        }
    }
}
