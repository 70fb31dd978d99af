// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// Records the progress of a step outside of the database, as long as the erasure is ours.
struct StepRecording: Sendable {
    let context: ErasureContext

    func record(of step: String, of erasure: OpenedErasure) async throws -> StepRecord? {
        let steps = try await context.control.steps.records(of: erasure.id).run(in: context.database)
        return steps.first { $0.name == step }
    }

    func progress(of step: String, of erasure: OpenedErasure) async throws -> StepProgress? {
        try await record(of: step, of: erasure)?.progress
    }

    /// A system's later message by calling back, by the name of its report.
    func news(_ report: String, of erasure: OpenedErasure) async throws -> String? {
        try await context.database.withConnection { connection in
            try await connection.run(context.control.news(report, of: erasure.id))
        }.scalar?.text
    }

    func forgetNews(_ report: String, of erasure: OpenedErasure) async throws {
        _ = try await context.database.withConnection { connection in
            try await connection.run(context.control.forgetNews(report, of: erasure.id))
        }
    }

    func store(
        _ progress: StepProgress, _ step: String, of erasure: OpenedErasure, in state: ErasureState = .running
    ) async throws {
        try await write(context.control.steps.store(progress, step: step, of: erasure.id), erasure, state)
    }

    /// Records the end of a step, or, during the verification of its erasure, later changes of its counts.
    ///
    /// - Parameters:
    ///   - round: How often a third-party system's part was restarted.
    ///   - place: The fingerprint of the place there where data was found.
    func finish(
        _ step: String, counts: [String: Int], round: Int? = nil, place: String? = nil, of erasure: OpenedErasure,
        in state: ErasureState = .running
    ) async throws {
        let now = context.environment.now()
        let steps = context.control.steps
        try await write(
            steps.finish(step: step, of: erasure.id, counts: counts, round: round, place: place, at: now), erasure,
            state)
    }

    /// Lets the pauses after failures begin again, because the erasure has made progress.
    func forgetFailures(of erasure: OpenedErasure, in state: ErasureState) async throws {
        try await write(context.control.leases.forgetFailures(of: erasure.id), erasure, state)
    }

    /// Looks before something is erased elsewhere whether the erasure is still ours: taken over by no other worker,
    /// held by no operator.
    func requireLease(of erasure: OpenedErasure, in state: ErasureState) async throws {
        let question = context.control.leases.countHeld([erasure], owner: context.owner, state: state)
        guard try await question.run(in: context.database) == 1 else { throw GuardFailure.leaseLost }
    }

    private func write(_ statement: SQLStatement, _ erasure: OpenedErasure, _ state: ErasureState) async throws {
        let transaction = context.stepTransaction()
        let guardLease = context.control.leases.guardLease([erasure], owner: context.owner, state: state)
        let all = [context.control.begin, guardLease, statement, context.control.commit]
        try await context.database.withConnection { connection in
            try await transaction.guarded([erasure], state, on: connection) { _ = try await connection.pipeline(all) }
        }
    }
}
