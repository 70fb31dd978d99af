// SPDX-License-Identifier: Apache-2.0
import FarewellEngine
import FarewellSQL
import FarewellSample
import Foundation
import Synchronization

/// What a service has accepted, carried out by workers, beside the bare delete of 50 people a transaction.
struct ServiceBacklog: Comparison {
    let name = "service"
    let title = "a backlog of accounts of coachme, accepted before, carried out by 1, 2 and 4 workers"

    private static let workers = [1, 2, 4]

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let size = world.isQuick ? 300 : 10_000
        let rounds = world.isQuick ? world.rounds : 1
        let count = QueueRace.people(size: size, rounds: rounds, runners: 6) + 400
        let people = try SamplePeople(.coachme, people: count)
        return try await world.withPeople(people) { store in
            var queue = PeopleQueue(people)
            var rates: [String: [Double]] = [:]
            for round in 0..<rounds {
                for lanes in round % 2 == 0 ? Self.workers : Self.workers.reversed() {
                    let keys = try queue.take(size)
                    try await store.tidy()
                    rates["workers \(lanes)", default: []].append(
                        Double(size) / (try await carriedOut(keys, lanes: lanes, store)).seconds)
                    let others = try queue.take(size)
                    try await store.tidy()
                    let bare = try store.bare("bare", connections: lanes, groupSize: 50) {
                        BareStatements.cascade(of: $0)
                    }
                    let watch = Stopwatch()
                    try await bare.run(others)
                    rates["bare \(lanes)", default: []].append(Double(size) / watch.elapsed().seconds)
                }
            }
            let throughput = Self.workers.map { lanes in
                QueueRace.line(
                    "\(size) accounts, \(lanes) workers, beside 50 a transaction on \(lanes) connections", rates,
                    ours: "workers \(lanes)", baseline: "bare \(lanes)", target: .atLeast(0.8))
            }
            return throughput + [try await single(&queue, world, store)]
        }
    }

    /// How long workers take for what was accepted before.
    private func carriedOut(_ keys: [String], lanes: Int, _ store: PeopleDatabase) async throws -> Duration {
        let database = try store.connect(lanes + 4)
        let engine = try await store.engine(on: database)
        let rules = ServiceRules(secondLook: 0, lanes: lanes)
        let desk = ErasureDesk(engine, rules: rules)
        for key in keys { _ = try await desk.request(key) }
        let workers = ErasureWorkers(engine, rules: rules)
        let done = Mutex(0)
        let watch = Stopwatch()
        await workers.run { progress in
            guard progress.event == .done else { return }
            if done.withLock({
                $0 += 1; return $0
            }) == keys.count {
                workers.stop()
            }
        }
        let took = watch.elapsed()
        await database.close()
        return took
    }

    /// From asking to the receipt, one at a time, with a worker that waits.
    private func single(
        _ queue: inout PeopleQueue, _ world: BenchWorld, _ store: PeopleDatabase
    ) async throws -> Report.Line {
        let database = try store.connect(8)
        let engine = try await store.engine(on: database)
        let bells = WorkBells()
        let rules = ServiceRules(secondLook: 0, lanes: 1)
        let desk = ErasureDesk(engine, rules: rules, bells: bells)
        let workers = ErasureWorkers(engine, rules: rules, bells: bells)
        let keys = try queue.take(world.isQuick ? 50 : 300)
        let latencies = try await withThrowingTaskGroup(of: Latencies?.self) { group in
            group.addTask {
                await workers.run()
                return nil
            }
            group.addTask {
                var latencies = Latencies()
                for key in keys {
                    try await latencies.time {
                        let asked = try await desk.request(key)
                        _ = try await desk.wait(for: asked.erasure.id, atMost: 60)
                    }
                }
                workers.stop()
                return latencies
            }
            var found = Latencies()
            for try await one in group {
                if let one { found = one }
            }
            return found
        }
        await database.close()
        return Report.Line(what: "asked to receipt, one at a time", ours: latencies.text, baseline: "")
    }
}
