// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Carries out renewals that are asked for at the same time in one transaction: whoever asks while others are under way
/// goes with the next, together with everybody who asked by then.
///
/// Nobody is held up by somebody else's row, and a renewal that fails takes nobody along: what was not carried out
/// together, each does alone.
final class GatheredRenewals: Sendable {
    private struct Wish: Sendable {
        let number: Int
        let renewal: SessionRenewal
    }

    private struct State: Sendable {
        var wishes: [Wish] = []
        /// Those who wait, also for what is under way.
        var waiting: [Int: CheckedContinuation<RenewalShare?, Never>] = [:]
        var last = 0
        var lanes = 0

        /// The next that go together, in the order every server locks in; none when there are none, and the lane ends.
        mutating func next(_ count: Int) -> [Wish] {
            wishes.removeAll { waiting[$0.number] == nil }
            let next = wishes.prefix(count)
            wishes.removeFirst(next.count)
            if next.isEmpty { lanes -= 1 }
            return next.sorted { $0.renewal.session.uuid < $1.renewal.session.uuid }
        }
    }

    /// How many go together at most.
    private static let most = 32
    /// How long they may take together before each goes alone.
    private static let limit = Duration.seconds(1)

    private let database: any SQLDatabase
    private let store: AuthorityStore
    private let environment: EngineEnvironment
    private let lanes: Int
    private let state = Guarded(State())

    init(database: any SQLDatabase, store: AuthorityStore, environment: EngineEnvironment) {
        self.database = database
        self.store = store
        self.environment = environment
        // SQLite has one writer at a time. On PostgreSQL one transaction may wait for the disk while another is made.
        lanes = database.dialect == .sqlite ? 1 : 2
    }

    /// - Returns: What came of it; `nil` when it is to be carried out alone.
    func share(of renewal: SessionRenewal) async -> RenewalShare? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.waiting[number] = continuation
                    state.wishes.append(Wish(number: number, renewal: renewal))
                    guard state.lanes < lanes else { return false }
                    state.lanes += 1
                    return true
                }
                if begins { Task { await work() } }
                if Task.isCancelled { answer(number, nil) }
            }
        } onCancel: {
            answer(number, nil)
        }
    }

    private func answer(_ number: Int, _ share: RenewalShare?) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.resume(returning: share)
    }

    // MARK: A lane

    private func work() async {
        while true {
            let wishes = state.withLock { $0.next(Self.most) }
            if wishes.isEmpty { return }
            let shares = await inTime(wishes.map(\.renewal))
            for (place, wish) in wishes.enumerated() { answer(wish.number, shares?[place]) }
        }
    }

    /// `nil` when it did not come about, or took too long.
    private func inTime(_ renewals: [SessionRenewal]) async -> [RenewalShare]? {
        await withTaskGroup(of: [RenewalShare]?.self) { group in
            group.addTask { try? await self.together(renewals) }
            group.addTask {
                try? await self.environment.sleep(Self.limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func together(_ renewals: [SessionRenewal]) async throws -> [RenewalShare] {
        // Whoever's row is locked waits alone.
        let opening = database.dialect == .postgresql ? [AuthorityStore.boundWaiting] : []
        let statements = opening + store.renewal(of: renewals)
        let results = try await database.withConnection { try await $0.pipeline(statements) }
        return store.shares(of: Array(results.dropFirst(opening.count)), among: renewals.count)
    }
}

/// In the order in which identifiers are written.
private func < (one: uuid_t, other: uuid_t) -> Bool {
    withUnsafeBytes(of: one) { ones in
        withUnsafeBytes(of: other) { others in ones.lexicographicallyPrecedes(others) }
    }
}
