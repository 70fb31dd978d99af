// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation
import Logging

/// Repeated background work. Several processes may do the same one.
protocol Duty: Sendable {
    /// Its name in the log.
    var name: String { get }
    /// Seconds from one time to the next.
    var pause: Int { get }
    /// Does the pending work. An error is logged, the same one once a minute, and the next time follows.
    func perform() async throws
}

extension ErasureWorkers {
    var duties: [any Duty] {
        let own: [any Duty] = [
            Scheduler(workers: self), Addresser(workers: self), Reverifier(workers: self), Cleaner(workers: self),
            Retainer(workers: self), LedgerKeeper(engine: engine),
        ]
        return own + deliverers
    }

    /// One for each receiver, and one for events to receivers that are no longer configured.
    var deliverers: [any Duty] {
        guard let delivery else { return [] }
        let left = Deliverer(workers: self, delivery: delivery, endpoint: nil)
        let all = delivery.endpoints.map { Deliverer(workers: self, delivery: delivery, endpoint: $0) } + [left]
        return all
    }

    /// Does a duty until the task is cancelled.
    func look(after duty: any Duty) async {
        var failure = RepeatedFailure()
        repeat {
            do {
                try await duty.perform()
                failure.succeeded()
            } catch {
                await complain(duty.name, error, unlessKnown: &failure)
            }
        } while (try? await engine.environment.sleep(.seconds(duty.pause))) != nil
    }
}
