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
final class RequestCoalescer<Wish: Sendable, Share: Sendable>: Sendable {
    private struct Numbered: Sendable {
        let number: Int
        let wish: Wish
    }

    private struct State: Sendable {
        var wishes: [Numbered] = []
        /// The waiting callers, also those of a statement that is under way.
        var waiting: [Int: CheckedContinuation<Share?, Never>] = [:]
        var last = 0
        var concurrency = 0

        /// The next that go together; none when there are none, and the lane ends.
        mutating func next(_ count: Int) -> [Numbered] {
            wishes.removeAll { waiting[$0.number] == nil }
            let next = wishes.prefix(count)
            wishes.removeFirst(next.count)
            if next.isEmpty { concurrency -= 1 }
            return Array(next)
        }
    }

    private let concurrency: Int
    private let environment: EngineEnvironment
    private let order: @Sendable (Wish, Wish) -> Bool
    private let together: @Sendable ([Wish]) async throws -> [Share]
    private let state = Guarded(State())

    /// - Parameters:
    ///   - concurrency: How many may be under way at once.
    ///   - order: Which of two is performed first.
    ///   - together: Carries out several; answers a share for each, in their order.
    init(
        concurrency: Int, environment: EngineEnvironment,
        order: @escaping @Sendable (Wish, Wish) -> Bool = { _, _ in false },
        together: @escaping @Sendable ([Wish]) async throws -> [Share]
    ) {
        self.concurrency = concurrency
        self.environment = environment
        self.order = order
        self.together = together
    }

    /// The largest number of requests in one statement.
    private static var most: Int { 32 }
    /// The longest time for a joint statement; after it each request runs alone.
    private static var limit: Duration { .seconds(1) }

    /// - Returns: The result; `nil` if the request must be performed alone.
    func share(of wish: Wish) async -> Share? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.waiting[number] = continuation
                    state.wishes.append(Numbered(number: number, wish: wish))
                    guard state.concurrency < concurrency else { return false }
                    state.concurrency += 1
                    return true
                }
                if begins { Task { await work() } }
                if Task.isCancelled { answer(number, nil) }
            }
        } onCancel: {
            answer(number, nil)
        }
    }

    private func answer(_ number: Int, _ share: Share?) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.resume(returning: share)
    }

    // MARK: A lane

    private func work() async {
        while true {
            let wishes = state.withLock { $0.next(Self.most) }.sorted { order($0.wish, $1.wish) }
            if wishes.isEmpty { return }
            let shares = await inTime(wishes.map(\.wish))
            for (place, wish) in wishes.enumerated() { answer(wish.number, shares?[place]) }
        }
    }

    /// `nil` if it failed, or took too long.
    private func inTime(_ wishes: [Wish]) async -> [Share]? {
        await withTaskGroup(of: [Share]?.self) { group in
            group.addTask { try? await self.together(wishes) }
            group.addTask {
                try? await self.environment.sleep(Self.limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
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
            // Only a request whose row is locked waits.
            let opening = database.dialect.takesSeveralWriters ? [AuthorityStore.boundWaiting] : []
            let statements = opening + store.renewal(of: renewals)
            let results = try await database.withConnection { try await $0.pipeline(statements) }
            return store.shares(of: Array(results.dropFirst(opening.count)), among: renewals.count)
        }
    }
}

extension RequestCoalescer<SessionLookUp, AccountShare> {
    /// Sessions looked up for requests that show an access token.
    static func lookUps(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ environment: EngineEnvironment
    ) -> RequestCoalescer {
        RequestCoalescer(concurrency: 2, environment: environment) { lookUps in
            let results = try await database.withConnection { try await $0.pipeline(store.lookUp(lookUps)) }
            return store.found(in: results, among: lookUps.count)
        }
    }
}
