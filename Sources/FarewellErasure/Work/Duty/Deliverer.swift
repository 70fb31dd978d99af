// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Delivers events from the outbox to one receiver, for as long as necessary, and gives up visibly.
///
/// Each receiver has its own deliverer, so that a slow or silent receiver delays no other.
struct Deliverer: Duty {
    let workers: ErasureWorkers
    let delivery: any EventDelivery
    /// Nil for deliveries to receivers that the settings no longer name.
    let endpoint: EventEndpoint?
    let name = "Delivering events"
    let pause = 1

    private static let atOnce = 16
    /// Seconds in which no other process tries the same delivery.
    private static let claim = 60

    private var engine: ErasureEngine { workers.engine }
    private var control: ControlStore { engine.control }

    func perform() async throws {
        let whose =
            endpoint.map { Outbox.Receivers.only($0.name) } ?? .allBut(delivery.endpoints.map(\.name))
        let first = delivery.endpoints.filter(\.isFirst).map(\.name)
        while !Task.isCancelled {
            let claim = control.outbox.claimDeliveries(to: whose, limit: Self.atOnce, seconds: Self.claim, after: first)
            // A cancelled task does not learn what it has claimed.
            let database = engine.database
            let due = try await engine.environment.completing { try await claim.run(in: database) }
            await withTaskGroup(of: Void.self) { group in
                for delivery in due { group.addTask { await deliver(delivery) } }
            }
            if due.count < Self.atOnce { return }
        }
    }

    private func deliver(_ due: DueDelivery) async {
        do {
            try Task.checkCancellation()
            guard let endpoint else { throw DeliveryFailure("the endpoint is no longer configured", isFinal: true) }
            guard let event = try await event(due.event, for: endpoint) else { return }
            try await delivery.deliver(event, to: due.endpoint)
            await note(delivered: due)
        } catch  where Task.isCancelled {
            // An interruption is no refusal.
            await release(due)
        } catch let failure as DeliveryFailure {
            await give(up: failure, due.event, due.endpoint, attempts: due.attempts)
        } catch {
            await workers.complain(self.name, error)
        }
    }

    /// Notes that a receiver has taken an event, also in a process that is stopping.
    private func note(delivered due: DueDelivery) async {
        await engine.environment.uninterrupted {
            do {
                try await engine.database.run(control.outbox.delivered(due.event, to: due.endpoint))
            } catch {
                await workers.complain(name, error)
            }
        }
    }

    /// Makes a delivery due again that ended because this process stops.
    private func release(_ due: DueDelivery) async {
        let release = control.outbox.release(due.event, to: due.endpoint, claim: due.attempts)
        await engine.environment.uninterrupted { _ = try? await engine.database.run(release) }
    }

    private func event(_ number: Int64, for endpoint: EventEndpoint) async throws -> OutgoingEvent? {
        guard let recorded = try await control.outbox.event(number).run(in: engine.database) else { return nil }
        // A repeatable event is another event each time, also for receivers that remember earlier ones.
        let again = recorded.occasion == 0 ? "" : "/\(recorded.occasion)"
        var event = OutgoingEvent(
            id: "\(recorded.erasure.text)/\(recorded.kind.rawValue)\(again)", kind: recorded.kind,
            erasure: recorded.erasure, happenedAt: recorded.happenedAt, subjectHash: recorded.subjectHash)
        if endpoint.needsSubject {
            let subject = try await subject(of: recorded.erasure)
            guard subject != nil || endpoint.mayLackSubject else {
                throw DeliveryFailure("its subject is no longer known", isFinal: true)
            }
            event.subject = subject
        }
        return event
    }

    /// The subject of an erasure, as long as it is kept.
    private func subject(of erasure: UUID) async throws -> String? {
        guard let identity = try await control.identities.identity(of: erasure).run(in: engine.database),
            let record = try await engine.status(of: erasure)?.erasure
        else { return nil }
        return try? SubjectSeal.opened(identity.restored(in: record), keys: engine.keys).subject.key.text
    }

    private func give(up failure: DeliveryFailure, _ event: Int64, _ endpoint: String, attempts: Int) async {
        // A failure after the last attempt is final.
        let limit = self.endpoint?.attempts
        let isOver = failure.isFinal || limit.map { attempts >= $0 } ?? false
        let delay = RetryPolicy.deliveries.delay(afterFailures: attempts, chance: workers.engine.environment.chance())
        let seconds = isOver ? nil : max(delay / .seconds(1), min(failure.retryAfter ?? 0, 86_400))
        do {
            try await engine.database.run(
                control.outbox.failed(event, to: endpoint, failure.reason, retryAfter: seconds))
            if limit == nil, !isOver {
                try await engine.database.run(
                    control.identities.keep(for: event, atMost: ServiceRules.longestRetainedIdentity))
            }
        } catch {
            return await workers.complain(name, error)
        }
        let log = engine.environment.log
        let details: Logger.Metadata = ["endpoint": "\(endpoint)", "reason": "\(failure.reason)"]
        if isOver {
            log.error("An event could not be delivered and is kept as a dead letter.", metadata: details)
        } else if limit == nil {
            log.warning("A task after an erasure failed and is tried again.", metadata: details)
        } else {
            log.info("A receiver did not accept an event.", metadata: details)
        }
    }
}
