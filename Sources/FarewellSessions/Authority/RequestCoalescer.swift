// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Performs simultaneous requests in one batch: a request that arrives while a batch runs joins the next one, together
/// with all other requests that have arrived by then.
///
/// A batch begins after its requests arrived. No request waits long for another one, and a failing request does not
/// fail the others: each request of a failed batch is then performed alone.
final class RequestCoalescer<Request: Sendable, Answer: Sendable>: Sendable {
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
    private let deadline: Deadline
    private let order: @Sendable (Request, Request) -> Bool
    private let together: @Sendable ([Request]) async throws -> [Answer]
    private let state = Guarded(State())

    /// - Parameters:
    ///   - concurrency: How many batches may run at once.
    ///   - order: Which of two requests is performed first.
    ///   - together: Performs a batch; returns an answer for each request, in their order.
    init(
        concurrency: Int, environment: EngineEnvironment,
        order: @escaping @Sendable (Request, Request) -> Bool = { _, _ in false },
        together: @escaping @Sendable ([Request]) async throws -> [Answer]
    ) {
        self.concurrency = concurrency
        // After it each request of the batch is performed alone.
        deadline = Deadline(limit: .seconds(1), sleep: environment.sleep)
        self.order = order
        self.together = together
    }

    /// The largest number of requests in one batch.
    private static var most: Int { 32 }

    /// - Returns: The answer; `nil` if the request must be performed alone.
    func answer(to request: Request) async -> Answer? {
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
            let batch = state.withLock { $0.next(Self.most) }.sorted { order($0.request, $1.request) }
            if batch.isEmpty { return }
            let requests = batch.map(\.request)
            let answers = try? await deadline.run { try await self.together(requests) }
            for (place, one) in batch.enumerated() { resume(one.number, answers?[place]) }
        }
    }
}

extension RequestCoalescer<SessionRenewal, AccountShare> {
    /// Renewals of sessions: one transaction for all of one moment.
    static func renewals(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ environment: EngineEnvironment
    ) -> RequestCoalescer {
        // SQLite has one writer at a time. On PostgreSQL one transaction may wait for the disk while another is made.
        let concurrency = database.dialect.takesSeveralWriters ? 2 : 1
        return RequestCoalescer(concurrency: concurrency, environment: environment, order: { $0.isLockedBefore($1) }) {
            renewals in
            let statements = store.jointRenewal(of: renewals)
            let results = try await database.pipeline(statements)
            return store.shares(ofJoint: results, among: renewals.count)
        }
    }
}

extension RequestCoalescer<SessionLookUp, AccountShare> {
    /// Sessions looked up for requests that show an access token.
    static func lookUps(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ environment: EngineEnvironment
    ) -> RequestCoalescer {
        RequestCoalescer(concurrency: 2, environment: environment) { lookUps in
            let results = try await database.pipeline(store.lookUp(lookUps))
            return store.found(in: results, among: lookUps.count)
        }
    }
}
