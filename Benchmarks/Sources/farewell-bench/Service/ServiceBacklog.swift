// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import Synchronization

/// Erasures that a service has accepted, performed by workers, beside the bare delete of 50 subjects a transaction.
struct ServiceBacklog: Comparison {
    let name = "backlog"
    let title = "a backlog of accounts of coachme, accepted before, carried out by 1, 2 and 4 workers"

    private static let workers = [1, 2, 4]

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let size = world.isQuick ? 1_000 : 10_000
        let rounds = world.isQuick ? world.rounds : 1
        let people = try SamplePeople(.coachme, people: size * rounds * Self.workers.count * 2 + 401)
        return try await world.withPeople(people) { store in
            var queue = PeopleQueue(people)
            var rates: [String: [Double]] = [:]
            // A run without measurement, because the first one finds everything cold.
            _ = try await ServiceWork(store, concurrency: 2).carriedOut(try queue.take(200))
            try await bare(try queue.take(200), connections: 2, store)
            for round in 0..<rounds {
                for concurrency in round % 2 == 0 ? Self.workers : Self.workers.reversed() {
                    let (mine, others) = (try queue.take(size), try queue.take(size))
                    let work = try await ServiceWork(store, concurrency: concurrency).carriedOut(mine)
                    rates["workers \(concurrency)", default: []].append(Double(size) / work.seconds)
                    try await store.tidy()
                    let watch = Stopwatch()
                    try await bare(others, connections: concurrency, store)
                    rates["bare \(concurrency)", default: []].append(Double(size) / watch.elapsed().seconds)
                }
            }
            return Self.workers.map { concurrency in
                QueueRace.line(
                    "\(size) accounts, \(concurrency) workers, beside 50 a transaction on \(concurrency) connections",
                    rates,
                    ours: "workers \(concurrency)", baseline: "bare \(concurrency)", target: .atLeast(0.6))
            }
        }
    }

    private func bare(_ keys: [String], connections: Int, _ store: PeopleDatabase) async throws {
        let runner = try store.bare("bare", connections: connections, groupSize: 50) { BareStatements.cascade(of: $0) }
        try await runner.run(keys)
    }
}

/// A requests that accepts, and workers that carry out.
struct ServiceWork: Sendable {
    let store: PeopleDatabase
    let concurrency: Int

    init(_ store: PeopleDatabase, concurrency: Int) {
        self.store = store
        self.concurrency = concurrency
    }

    /// How long workers take for what was accepted before.
    func carriedOut(_ keys: [String]) async throws -> Duration {
        let database = try store.connect(concurrency + 4)
        let engine = try await store.engine(on: database)
        let rules = ServiceRules(concurrency: concurrency)
        let requests = ErasureRequests(engine, rules: rules)
        for key in keys { _ = try await requests.request(key) }
        try await store.tidy()
        let workers = ErasureWorkers(engine, rules: rules)
        let done = Mutex(0)
        let watch = Stopwatch()
        await workers.run { progress in
            guard progress.event == .done else { return }
            let count = done.withLock { count in
                count += 1
                return count
            }
            if count == keys.count { workers.stop() }
        }
        let took = watch.elapsed()
        await database.close()
        return took
    }

    /// How long each takes from being asked for to its receipt, one after the other, while workers wait for them.
    func alone(_ keys: [String]) async throws -> [Duration] {
        let database = try store.connect(concurrency + 4)
        let engine = try await store.engine(on: database)
        let rules = ServiceRules(concurrency: concurrency)
        let requests = ErasureRequests(engine, rules: rules)
        let workers = ErasureWorkers(engine, rules: rules)
        let (stream, done) = AsyncStream.makeStream(of: Void.self)
        try await store.tidy()
        async let working: Void = workers.run { if $0.event == .done { done.yield() } }
        var ends = stream.makeAsyncIterator()
        var took: [Duration] = []
        for key in keys {
            let watch = Stopwatch()
            _ = try await requests.request(key)
            _ = await ends.next()
            took.append(watch.elapsed())
        }
        workers.stop()
        await working
        await database.close()
        return took
    }
}
