// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Takes over abandoned erasures: the lease has expired, was handed back, or its owner is certainly dead.
///
/// Erasures that may have killed their worker are taken one at a time, so that they affect no others. The rest waits
/// neither for them nor for a slow third-party system.
struct Rescuer: Sendable {
    let workers: ErasureWorkers
    var observe: ErasureObserver = { _ in }
    var share = Share.everything

    /// The share of the erasures that it takes.
    enum Share: Sendable {
        case everything
        /// Erasures during which at most one worker died.
        case unsuspected
        case suspected

        fileprivate var attempts: ClosedRange<Int> {
            switch self {
            case .everything: 0...Int(Int32.max)
            case .unsuspected: 0...1
            case .suspected: 2...Int(Int32.max)
            }
        }
    }

    private var engine: ErasureEngine { workers.engine }

    /// Every request wakes it, and few concern a rescuer: released erasures, ended holds, later messages.
    private static let rest = Duration.milliseconds(500)

    func run() async {
        let wakes = WakeStream(
            workers.signals.work.wakes, every: .seconds(workers.rules.poll), rest: Self.rest,
            urgent: workers.stops.wakes, sleep: engine.environment.sleep)
        var failure = RepeatedFailure()
        for await _ in wakes.stream {
            if workers.isStopping || Task.isCancelled { return }
            do {
                try await rescue()
                failure.succeeded()
            } catch {
                await workers.complain("Looking for abandoned work", error, unlessKnown: &failure)
            }
        }
    }

    func rescue() async throws {
        try await freeTheDeads()
        if engine.prepared.plan.countsFromErasure, try await !engine.clock.mayDecide() { return }
        let control = engine.control
        var tried: Set<UUID> = []
        while !workers.isStopping, !Task.isCancelled {
            let limit = tried.count + 20
            let abandoned = try await control.leases.abandonedUnheld(
                limit: limit, under: engine.prepared.planFingerprint, attempts: share.attempts
            ).run(in: engine.database)
            // Unchanged erasures wait for the next time, and block nothing behind them.
            let fresh = abandoned.filter { !tried.contains($0.id) }
            guard !fresh.isEmpty else { return }
            for record in fresh where !workers.isStopping && !Task.isCancelled {
                await workers.batch(observe).takeUp(record)
            }
            tried.formUnion(fresh.map(\.id))
        }
    }

    /// A process of this host that no longer exists needs no lease.
    private func freeTheDeads() async throws {
        let control = engine.control
        let environment = engine.environment
        try await engine.database.withConnection { connection in
            for owner in try await control.leases.owners.run(on: connection)
            where owner != environment.owner && environment.isDead(owner) {
                try await connection.run(control.leases.free(from: owner))
            }
        }
    }
}
