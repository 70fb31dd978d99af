// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension ErasureContext {
    /// Hands an erasure back, so that any worker may take it: at once if the work was interrupted, and after a pause,
    /// longer each time, if it `failed`. Both are one transaction, so that no other write comes in between.
    func handBack(_ member: OpenedErasure, failed: Bool) async {
        await handBack(member) { connection in
            guard failed else { return nil }
            let failures = try await control.leases.failures(of: member.id).run(on: connection)
            let delay = RetryPolicy.erasures.delay(
                afterFailures: min(failures, 1_000) + 1, chance: environment.chance())
            return control.leases.rest(member.id, epoch: member.record.epoch, seconds: delay / .seconds(1))
        }
    }

    /// Hands back an erasure whose system rests: no worker takes it before the rest is over.
    func handBack(_ member: OpenedErasure, resting rest: SystemRest) async {
        // The system counted by the clock of this process.
        let seconds = rest.seconds(from: environment.wall().timeIntervalSince1970)
        await handBack(member) { _ in
            control.leases.rest(
                member.id, epoch: member.record.epoch, seconds: seconds, failures: rest.isFailure ? 1 : 0)
        }
    }

    private func handBack(
        _ member: OpenedErasure,
        pausing: @escaping @Sendable (any SQLConnection) async throws -> SQLStatement?
    ) async {
        // A cancelled task could not hand anything back.
        await environment.uninterrupted {
            _ = try? await database.transaction { connection in
                try await connection.run(control.leases.handBack([member], owner: owner))
                if let rest = try await pausing(connection) { try await connection.run(rest) }
            }
        }
    }
}
