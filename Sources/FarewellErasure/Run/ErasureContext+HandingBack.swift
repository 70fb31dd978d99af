// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension ErasureContext {
    /// Hands an erasure back, so that any worker may take it: at once if the work was interrupted, and after a pause,
    /// longer each time, if it `failed`. Both are one transaction, so that no other write comes in between.
    func handBack(_ erasure: OpenedErasure, failed: Bool) async {
        await handBack(erasure) { connection in
            guard failed else { return nil }
            return try await pause(of: erasure, on: connection)
        }
    }

    /// Hands back an erasure of which a step failed, to be tried again after a pause, longer each time; at once if the
    /// system that it waits for has reported meanwhile and no other system asked for a pause.
    func handBack(_ erasure: OpenedErasure, after error: FarewellError) async {
        await handBack(erasure) { connection in
            let reported = try await reported(erasure, after: error, on: connection)
            guard reported.isEmpty else { return try await askedPause(of: erasure, besides: reported, on: connection) }
            return try await pause(of: erasure, on: connection)
        }
    }

    /// Hands back an erasure whose system rests: no worker takes it before the rest is over or the system has
    /// reported, and before the pauses are over for which other systems have asked.
    func handBack(_ erasure: OpenedErasure, resting rest: SystemRest) async {
        // The system counted by the clock of this process.
        let seconds = rest.seconds(from: environment.wall().timeIntervalSince1970)
        await handBack(erasure) { connection in
            let reported = try await reported(erasure, after: rest.error, on: connection)
            guard reported.isEmpty else { return try await askedPause(of: erasure, besides: reported, on: connection) }
            guard !rest.isFailure else { return try await pause(of: erasure, atLeast: seconds, on: connection) }
            return control.leases.rest(erasure.id, epoch: erasure.record.epoch, seconds: seconds, failures: 0)
        }
    }

    /// The steps whose systems have reported meanwhile, if the erasure waits for a report.
    private func reported(
        _ erasure: OpenedErasure, after error: FarewellError, on connection: any SQLConnection
    ) async throws -> [String] {
        guard [SystemRest.code, "connector.pending"].contains(error.code) else { return [] }
        return try await WaitingReports(context: self).steps(
            of: erasure.id, { $0.awaitsReport == true }, on: connection)
    }

    /// The pause for which other systems have asked; `nil` if there is none.
    private func askedPause(
        of erasure: OpenedErasure, besides reported: [String], on connection: any SQLConnection
    ) async throws -> SQLStatement? {
        let seconds = try await askedPauses.seconds(of: erasure.id, besides: reported, on: connection)
        return seconds > 0 ? try await pause(of: erasure, atLeast: seconds, on: connection) : nil
    }

    /// The pause after a failed attempt.
    private func pause(
        of erasure: OpenedErasure, atLeast seconds: Double = 0, on connection: any SQLConnection
    ) async throws -> SQLStatement {
        let failures = try await control.leases.failures(of: erasure.id).run(on: connection)
        let delay = RetryPolicy.erasures.delay(
            afterFailures: min(failures, 1_000) + 1, chance: environment.chance())
        return control.leases.rest(
            erasure.id, epoch: erasure.record.epoch, seconds: max(delay / .seconds(1), seconds))
    }

    private func handBack(
        _ erasure: OpenedErasure,
        pausing: @escaping @Sendable (any SQLConnection) async throws -> SQLStatement?
    ) async {
        // A cancelled task could not hand anything back.
        await environment.uninterrupted {
            _ = try? await database.transaction { connection in
                try await connection.run(control.leases.handBack([erasure], owner: owner))
                if let rest = try await pausing(connection) { try await connection.run(rest) }
            }
        }
    }
}
