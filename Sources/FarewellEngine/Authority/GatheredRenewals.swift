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
        let session: UUID
        let statements: [SQLStatement]
    }

    private struct State: Sendable {
        var wishes: [Wish] = []
        /// Those who wait, also for what is under way.
        var waiting: [Int: CheckedContinuation<[SQLResult]?, Never>] = [:]
        var last = 0
        var lanes = 0

        /// The next that go together, in the order every server locks in; none when there are none, and the lane ends.
        mutating func next(_ count: Int) -> [Wish] {
            wishes.removeAll { waiting[$0.number] == nil }
            let next = wishes.prefix(count)
            wishes.removeFirst(next.count)
            if next.isEmpty { lanes -= 1 }
            return next.sorted { $0.session.uuid < $1.session.uuid }
        }
    }

    /// How many go together at most.
    private static let most = 32
    /// How long they may take together before each goes alone.
    private static let limit = Duration.seconds(1)

    private let database: any SQLDatabase
    private let environment: EngineEnvironment
    private let lanes: Int
    private let state = Guarded(State())

    init(database: any SQLDatabase, environment: EngineEnvironment) {
        self.database = database
        self.environment = environment
        // SQLite has one writer at a time. On PostgreSQL one transaction may wait for the disk while another is made.
        lanes = database.dialect == .sqlite ? 1 : 2
    }

    /// - Returns: What the statements brought; `nil` when they are to be carried out alone.
    func results(of statements: [SQLStatement], for session: UUID) async -> [SQLResult]? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let begins = state.withLock { state in
                    state.waiting[number] = continuation
                    state.wishes.append(Wish(number: number, session: session, statements: statements))
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

    private func answer(_ number: Int, _ results: [SQLResult]?) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: number) }
        waiting?.resume(returning: results)
    }

    // MARK: A lane

    private func work() async {
        while true {
            let wishes = state.withLock { $0.next(Self.most) }
            if wishes.isEmpty { return }
            var results = await inTime(wishes)?[...]
            for wish in wishes {
                let mine = results?.prefix(wish.statements.count)
                results = results?.dropFirst(wish.statements.count)
                answer(wish.number, mine.map(Array.init))
            }
        }
    }

    /// `nil` when it did not come about, or took too long.
    private func inTime(_ wishes: [Wish]) async -> [SQLResult]? {
        await withTaskGroup(of: [SQLResult]?.self) { group in
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

    private func together(_ wishes: [Wish]) async throws -> [SQLResult] {
        // Whoever's row is locked waits alone.
        let opening = database.dialect == .postgresql ? [AuthorityStore.boundWaiting] : []
        let statements = wishes.flatMap(\.statements)
        return try await database.withConnection { connection in
            Array(try await connection.pipeline(opening + statements).dropFirst(opening.count))
        }
    }
}

/// In the order in which identifiers are written.
private func < (one: uuid_t, other: uuid_t) -> Bool {
    withUnsafeBytes(of: one) { ones in
        withUnsafeBytes(of: other) { others in ones.lexicographicallyPrecedes(others) }
    }
}
