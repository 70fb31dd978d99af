// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// Accepts the erasures that were requested at the same time in one transaction, and hands those whose callers wait to
/// the workers of this process.
struct JointAcceptance: Sendable {
    let engine: ErasureEngine
    let rules: ServiceRules

    /// A request that is to be accepted.
    struct Call: Sendable {
        let asked: Acceptance.Asked
        /// Takes the erasure if its caller waits.
        let handover: Handover?
    }

    struct Answer: Sendable {
        /// `nil` if the subject must be looked up again.
        let accepted: Acceptance.Accepted?
        /// The erasure in the hands of a worker; `nil` if it is in the queue.
        let handed: HandedErasure?
    }

    /// Requests that arrive at the same time are accepted together. All of them need the audit log's lock, so one
    /// transaction runs at a time. If a silent connection holds it up, it is cancelled, and each request is accepted
    /// alone.
    ///
    /// Where callers wait and one transaction erases all of a group, the next group gathers until a place is free, for
    /// a tenth of a second at most. It is then carried out at once, and does not wait in the queue. Before, the group
    /// waits for the requests that are on their way, until it is full, for a fiftieth of a second at most.
    func coalescer(awaiting arriving: ArrivingRequests? = nil) -> RequestCoalescer<Call, Answer> {
        let sleep = engine.environment.sleep
        let patience = Deadline(limit: .milliseconds(100), sleep: sleep)
        let moment = Deadline(limit: .milliseconds(20), sleep: sleep)
        return RequestCoalescer(
            concurrency: 1, deadline: Deadline(limit: .seconds(2), sleep: sleep),
            gathering: { first, room in
                guard let handover = first.handover, joinsAwaited else { return }
                await arriving?.whenArrived(moment, room: room)
                await handover.whenFree(patience)
            }, together: { try await accept($0) })
    }

    /// Whether awaited erasures are handed over in groups.
    private var joinsAwaited: Bool {
        rules.graceDays == 0 && SingleTransaction.isPossible(in: engine.context(ErasureOptions()))
    }

    /// - Returns: An answer for each call, in their order.
    /// - Throws: `erasure.key-reused` when the ticket of the only one opens another erasure.
    func accept(_ calls: [Call]) async throws -> [Answer] {
        let context = engine.context(ErasureOptions())
        let groups = groups(of: calls, context)
        defer { for group in groups { group.place.close() } }
        var asked = calls.map(\.asked)
        for number in groups.flatMap(\.numbers) { asked[number].isHandedOver = true }
        let terms = AcceptanceTerms(graceSeconds: rules.daysInGrace * 86_400, dueSeconds: rules.dueDays * 86_400)
        let accepted = try await Acceptance(context: context).accept(asked, terms)
        var handed: [Int: HandedErasure] = [:]
        for group in groups {
            let claimed = group.numbers.filter { accepted[$0]?.record.owner != nil }
            guard !claimed.isEmpty else { continue }
            let erasures = claimed.map { number in
                var erasure = calls[number].asked.erasure
                if let record = accepted[number]?.record { erasure.record = record }
                return HandedErasure(erasure, accepted[number]?.promise)
            }
            guard group.place.give(erasures) else {
                // Other workers need not wait for the end of the lease.
                for handed in erasures { await context.handBack(handed.erasure, failed: false) }
                continue
            }
            for (number, erasure) in zip(claimed, erasures) { handed[number] = erasure }
        }
        return accepted.enumerated().map { Answer(accepted: $1, handed: handed[$0]) }
    }

    /// Some of the calls, which a worker may carry out together.
    private struct Group {
        let place: Handover.Place
        /// Their numbers among all calls.
        let numbers: [Int]
    }

    /// The calls whose callers wait, as far as there are places, shared out evenly among these: they are carried out
    /// side by side. Where a single transaction cannot erase them, each has a place of its own: none shall wait for
    /// another one's files and systems.
    private func groups(of calls: [Call], _ context: ErasureContext) -> [Group] {
        guard rules.graceDays == 0, let handover = calls.lazy.compactMap(\.handover).first else { return [] }
        let size =
            SingleTransaction.isPossible(in: context)
            ? rules.batch ?? context.prepared.groupSize(sideBySide: true) : 1
        let waiting = calls.indices.filter { calls[$0].handover != nil }
        let wanted = max((waiting.count + size - 1) / size, waiting.count / Self.smallestShare)
        var places: [Handover.Place] = []
        while places.count < wanted, let place = handover.place() { places.append(place) }
        guard !places.isEmpty else { return [] }
        let share = min(size, (waiting.count + places.count - 1) / places.count)
        return places.enumerated().map { number, place in
            Group(place: place, numbers: Array(waiting.dropFirst(number * share).prefix(share)))
        }
    }

    /// Fewer erasures are not worth a transaction of their own beside another group's.
    private static let smallestShare = 4
}
