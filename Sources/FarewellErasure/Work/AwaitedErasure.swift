// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL

/// A request whose caller waits for the receipt, before anything of it is recorded.
struct AwaitedErasure: Sendable {
    let key: SQLValue
    let hash: SubjectHash
    let request: ErasureRequest
    /// Takes it to a worker of this process.
    let handover: Handover

    /// Erases together what was requested at the same time. Each group waits until about as many requests have come as
    /// were in the last one, for requests on their way, and for a free place, as an acceptance does
    /// (``JointAcceptance``).
    ///
    /// - Parameter concurrency: How many groups are erased at once. On few processors one large group is faster than
    ///   two small ones beside each other.
    static func coalescer(
        awaiting arriving: ArrivingRequests, concurrency: Int, most: Int,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> RequestCoalescer<AwaitedErasure, Answer?> {
        let patience = Deadline(limit: .milliseconds(100), sleep: sleep)
        let moment = Deadline(limit: .milliseconds(20), sleep: sleep)
        let instant = Deadline(limit: .milliseconds(2), sleep: sleep)
        return RequestCoalescer(
            concurrency: concurrency, most: most, deadline: Deadline(limit: .seconds(2), sleep: sleep),
            gathering: { first, room in
                await arriving.whenGathered(instant, after: first.request.arrival)
                await arriving.whenArrived(moment, room: room)
                await first.handover.whenFree(patience)
            },
            together: { awaited in
                arriving.note(group: awaited.count)
                guard let handover = awaited.first?.handover else { return [] }
                return await handover.erase(awaited)
            })
    }

    /// The result of one that is done.
    struct Answer: Sendable {
        let handed: HandedErasure
        let ticket: ErasureTicket
    }
}
