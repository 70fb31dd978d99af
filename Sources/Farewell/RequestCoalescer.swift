// SPDX-License-Identifier: Apache-2.0

/// Performs simultaneous requests in one batch: a request that arrives while a batch runs joins the next one, together
/// with all other requests that have arrived by then.
///
/// The caller of the first request of a batch performs the batch, in its own task. No request waits long for another
/// one, and a failing request does not fail the others: each request of a batch that failed, was cancelled or took too
/// long is then performed alone.
///
/// It is inlinable, so that other modules compile it for their own requests and answers.
@usableFromInline
package final class RequestCoalescer<Request: Sendable, Answer: Sendable>: Sendable {
    @usableFromInline
    struct Numbered: Sendable {
        @usableFromInline let number: Int
        @usableFromInline let request: Request

        @inlinable
        init(number: Int, request: Request) {
            self.number = number
            self.request = request
        }
    }

    /// How the waiting of a caller ends.
    @usableFromInline
    enum Turn: Sendable {
        case answered(Answer)
        /// The request must be performed alone.
        case alone
        /// The caller performs a batch, which begins with its own request.
        case performs([Numbered])
    }

    @usableFromInline
    struct State: Sendable {
        /// Requests that are in no batch yet, in the order of their arrival.
        @usableFromInline var requests: [Numbered] = []
        /// The waiting callers, also those of a batch that runs.
        @usableFromInline var waiting: [Int: CheckedContinuation<Turn, Never>] = [:]
        @usableFromInline var last = 0
        /// How many callers perform batches.
        @usableFromInline var performers = 0

        init() {}

        /// The first of the requests that are in no batch yet.
        @inlinable
        mutating func take(_ count: Int) -> [Numbered] {
            guard !requests.isEmpty else { return [] }
            requests.removeAll { waiting[$0.number] == nil }
            let taken = Array(requests.prefix(count))
            requests.removeFirst(taken.count)
            return taken
        }

        /// The next batch and its performer; `nil` if nothing waits, and then one caller fewer performs batches.
        @inlinable
        mutating func next(_ count: Int) -> (performer: CheckedContinuation<Turn, Never>, batch: [Numbered])? {
            let batch = take(count)
            guard let first = batch.first, let performer = waiting.removeValue(forKey: first.number) else {
                performers -= 1
                return nil
            }
            return (performer, batch)
        }
    }

    @usableFromInline let concurrency: Int
    @usableFromInline let most: Int
    private let deadline: Deadline?
    @usableFromInline let order: (@Sendable (Request, Request) -> Bool)?
    @usableFromInline let gathering: (@Sendable (Request, Int) async -> Void)?
    private let together: @Sendable ([Request]) async throws -> [Answer]
    @usableFromInline let state = Guarded(State())

    /// - Parameters:
    ///   - concurrency: How many batches may run at once.
    ///   - most: The largest number of requests in one batch.
    ///   - deadline: The limit for a batch; `nil` if its requests would wait as long one by one.
    ///   - order: Which of two requests is performed first; `nil` keeps the order of their arrival.
    ///   - gathering: Waits until the batch that begins with this request may begin; requests that arrive meanwhile
    ///     join it, as many as there is room for (0 if the batch is full).
    ///   - together: Performs a batch; returns an answer for each request, in their order.
    package init(
        concurrency: Int, most: Int = 32, deadline: Deadline?,
        order: (@Sendable (Request, Request) -> Bool)? = nil,
        gathering: (@Sendable (Request, Int) async -> Void)? = nil,
        together: @escaping @Sendable ([Request]) async throws -> [Answer]
    ) {
        self.concurrency = concurrency
        self.most = most
        self.deadline = deadline
        self.order = order
        self.gathering = gathering
        self.together = together
    }

    /// - Returns: The answer; `nil` if the request must be performed alone.
    @inlinable
    package func answer(to request: Request) async -> Answer? {
        switch await turn(of: request) {
        case .answered(let answer): return answer
        case .alone: return nil
        case .performs(let batch): return await perform(batch)
        }
    }

    @inlinable
    func turn(of request: Request) async -> Turn {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let numbered = Numbered(number: number, request: request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    // While fewer callers perform batches than may, no request is left for a next batch.
                    guard state.performers == concurrency else {
                        state.performers += 1
                        return true
                    }
                    state.waiting[number] = continuation
                    state.requests.append(numbered)
                    return false
                }
                if begins { return continuation.resume(returning: .performs([numbered])) }
                if Task.isCancelled { resume(number, .alone) }
            }
        } onCancel: {
            resume(number, .alone)
        }
    }

    @inlinable
    func resume(_ number: Int, _ turn: Turn) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.resume(returning: turn)
    }

    /// - Returns: The answer to the first request of the batch, which is the caller's.
    @inlinable
    func perform(_ batch: [Numbered]) async -> Answer? {
        let first = batch[0].number
        if let gathering { await gathering(batch[0].request, most - batch.count) }
        var gathered = batch + state.withLock { $0.take(most - batch.count) }
        if let order, gathered.count > 1 { gathered.sort { order($0.request, $1.request) } }
        let answers = try? await performed(gathered.map { $0.request })
        if let (performer, next) = state.withLock({ $0.next(most) }) { performer.resume(returning: .performs(next)) }
        var own: Answer?
        for place in gathered.indices {
            let number = gathered[place].number
            let answer = answers?[place]
            if number == first {
                own = answer
            } else {
                resume(number, answer.map { .answered($0) } ?? .alone)
            }
        }
        return own
    }

    @usableFromInline
    func performed(_ requests: [Request]) async throws -> [Answer]? {
        guard let deadline else { return try await together(requests) }
        return try await deadline.run { try await self.together(requests) }
    }
}
