// SPDX-License-Identifier: Apache-2.0

/// Performs simultaneous requests in one batch: a request that arrives while a batch runs joins the next one, together
/// with all other requests that have arrived by then.
///
/// A batch begins after its requests arrived. No request waits long for another one, and a failing request does not
/// fail the others: each request of a batch that failed or took too long is then performed alone.
package final class RequestCoalescer<Request: Sendable, Answer: Sendable>: Sendable {
    private struct Numbered: Sendable {
        let number: Int
        let request: Request
    }

    private struct State: Sendable {
        var requests: [Numbered] = []
        /// The waiting callers, also those of a batch that runs.
        var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
        var last = 0
        /// How many tasks perform batches.
        var performers = 0

        /// The requests of the next batch; none if nothing waits, and then the performing task ends.
        mutating func next(_ count: Int) -> [Numbered] {
            requests.removeAll { waiting[$0.number] == nil }
            let next = requests.prefix(count)
            requests.removeFirst(next.count)
            if next.isEmpty { performers -= 1 }
            return Array(next)
        }
    }

    private let concurrency: Int
    private let most: Int
    private let deadline: Deadline?
    private let order: @Sendable (Request, Request) -> Bool
    private let together: @Sendable ([Request]) async throws -> [Answer]
    private let state = Guarded(State())

    /// - Parameters:
    ///   - concurrency: How many batches may run at once.
    ///   - most: The largest number of requests in one batch.
    ///   - deadline: The limit for a batch; `nil` if its requests would wait as long one by one.
    ///   - order: Which of two requests is performed first.
    ///   - together: Performs a batch; returns an answer for each request, in their order.
    package init(
        concurrency: Int, most: Int = 32, deadline: Deadline?,
        order: @escaping @Sendable (Request, Request) -> Bool = { _, _ in false },
        together: @escaping @Sendable ([Request]) async throws -> [Answer]
    ) {
        self.concurrency = concurrency
        self.most = most
        self.deadline = deadline
        self.order = order
        self.together = together
    }

    /// - Returns: The answer; `nil` if the request must be performed alone.
    package func answer(to request: Request) async -> Answer? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.waiting[number] = continuation
                    state.requests.append(Numbered(number: number, request: request))
                    guard state.performers < concurrency else { return false }
                    state.performers += 1
                    return true
                }
                if begins { Task { await performBatches() } }
                if Task.isCancelled { resume(number, nil) }
            }
        } onCancel: {
            resume(number, nil)
        }
    }

    private func resume(_ number: Int, _ answer: Answer?) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.resume(returning: answer)
    }

    /// Performs one batch after the other while requests wait.
    private func performBatches() async {
        while true {
            let batch = state.withLock { $0.next(most) }.sorted { order($0.request, $1.request) }
            if batch.isEmpty { return }
            let requests = batch.map(\.request)
            let answers = try? await performed(requests)
            for (place, one) in batch.enumerated() { resume(one.number, answers?[place]) }
        }
    }

    private func performed(_ requests: [Request]) async throws -> [Answer]? {
        guard let deadline else { return try await together(requests) }
        return try await deadline.run { try await self.together(requests) }
    }
}
