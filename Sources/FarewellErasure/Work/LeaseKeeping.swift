// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// Keeps the lease of some erasures while they are worked on: renewed at a third of its length.
///
/// A worker that cannot renew it stops a second before it expires. Every write checks the lease number anyway, but a
/// worker that may have been replaced should begin no effects outside of the database.
struct LeaseKeeping: Sendable {
    let context: ErasureContext

    func during<Value: Sendable>(
        _ erasures: [OpenedErasure], _ work: @escaping @Sendable () async -> [Value]
    ) async -> [Value] {
        await withTaskGroup(of: [Value]?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await renew(erasures)
                return nil
            }
            while let value = await group.next() {
                // If the lease is lost the work is cancelled: it hands back, and reports its state.
                group.cancelAll()
                if let value { return value }
            }
            return []
        }
    }

    /// Returns when the lease is about to be lost, or when the task is cancelled.
    private func renew(_ erasures: [OpenedErasure]) async {
        let lease = Double(max(context.control.lease, 2))
        let step = lease / 3
        var left = lease
        while !Task.isCancelled {
            guard (try? await context.environment.sleep(.seconds(step))) != nil else { return }
            left -= step
            if await renewed(erasures, within: max(left - 1, 0.1)) {
                left = lease
            } else if left - step < 1 {
                return
            }
        }
    }

    private func renewed(_ erasures: [OpenedErasure], within seconds: Double) async -> Bool {
        let (database, leases) = (context.database, context.control.leases)
        let deadline = Deadline(limit: .seconds(seconds / 2), sleep: context.environment.sleep)
        let renewal = leases.renew(erasures, owner: context.owner)
        do {
            if try await deadline.run({ try await database.run(renewal) }) != nil { return true }
        } catch {
            // A writer of SQLite gives up while another one works; any other error may come from a server that is none.
            guard !database.dialect.takesSeveralWriters else { return false }
        }
        // The erasure's own transaction locks these rows, so no other worker can take them over, and the renewal waits.
        // Work that takes longer than the lease must not be cancelled for that: it would start again without end.
        let query = leases.countHeld(erasures, owner: context.owner)
        let held = try? await deadline.run { try await query.run(in: database) }
        return (held ?? 0) > 0
    }
}
