// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Takes over what nobody works on any longer: the lease has run out, was handed back, or its owner is certainly dead.
///
/// One at a time: what kills its worker must take no others along.
struct Rescuer: Sendable {
    let workers: ErasureWorkers
    let batch: ErasureBatch

    private var engine: ErasureEngine { workers.engine }

    func run() async {
        let wakes = Wakes(
            workers.bells.work.rings, every: .seconds(workers.rules.poll), sleep: engine.environment.sleep)
        for await _ in wakes.stream {
            if workers.isStopping || Task.isCancelled { return }
            do {
                try await rescue()
            } catch {
                await workers.complain("Looking for abandoned work", error)
            }
        }
    }

    func rescue() async throws {
        try await freeTheDeads()
        let control = engine.control
        while !workers.isStopping, !Task.isCancelled {
            let abandoned = try await engine.database.withConnection { connection in
                try await connection.run(control.abandonedUnheld(limit: 20)).rows.map(ErasureRecord.init(row:))
            }
            guard !abandoned.isEmpty else { return }
            for record in abandoned where !workers.isStopping && !Task.isCancelled { await batch.takeUp(record) }
        }
    }

    /// A process of this host that no longer exists needs no lease.
    private func freeTheDeads() async throws {
        let control = engine.control
        let environment = engine.environment
        try await engine.database.withConnection { connection in
            let owners = try await connection.run(control.owners).rows.compactMap { $0.first?.text }
            for owner in owners where owner != environment.owner && environment.isDead(owner) {
                try await connection.run(control.free(from: owner))
            }
        }
    }
}
