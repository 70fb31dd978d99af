// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The records before a step and before verifying, valid only under the schema of the plan.
extension ErasureRun {
    /// Records that a step begins. A step resumed after a crash counts another attempt.
    ///
    /// - Throws: `run.lease-lost`; `run.schema-changed`: rows are guarded again when they go, files and other systems
    ///   are not.
    func begin(
        _ step: String, _ erasures: [OpenedErasure], from state: ErasureState = .running
    ) async throws {
        let control = context.control
        let ids = erasures.map(\.id)
        let guards = [
            control.leases.guardLease(erasures, owner: context.owner, state: state), context.prepared.schemaGuard,
        ]
        let moves = state == .running ? [] : [control.leases.move(ids, to: .running)]
        let statements =
            [control.begin] + guards + moves
            + control.steps.begin(step: step, of: ids, at: context.environment.now()) + [control.commit]
        try await context.database.withConnection { connection in
            try await context.stepTransaction().guarded(erasures, state, on: connection) {
                _ = try await connection.pipeline(statements)
            }
        }
    }

    /// Records that those whose last step did not say so are being verified: all their steps were done before a
    /// crash or a release, or the last step was no change of rows.
    func beginVerifying(_ erasures: [OpenedErasure]) async throws {
        guard !erasures.isEmpty else { return }
        let statement = context.control.leases.verify(erasures, owner: context.owner)
        let taken = try await context.database.run(statement).affected
        guard taken == erasures.count else { throw GuardFailure.leaseLost }
    }

    /// Ensures, before reappeared data is erased again and the result is reported, that the plan still fits this
    /// schema.
    ///
    /// - Throws: `run.schema-changed`; `plan.unaccounted` for a bucket that no system empties.
    func requireSchema(_ erasures: [OpenedErasure]) async throws {
        guard !erasures.isEmpty else { return }
        let unchanged = context.prepared.schemaGuard
        try await context.database.withConnection { connection in
            try await context.stepTransaction().guarded(erasures, .verifying, on: connection) {
                _ = try await connection.run(unchanged)
            }
        }
        try await context.prepared.requireBuckets(in: context.database)
    }
}
