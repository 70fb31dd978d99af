// SPDX-License-Identifier: Apache-2.0
import FarewellErasure
import FarewellSQL
import FarewellSample

/// Several ways of erasing a queue of people, run by turns, round after round, each on fresh people.
struct QueueRace {
    /// One way, and its resources.
    struct Runner: Sendable {
        var name: String
        var run: @Sendable ([String]) async throws -> Void
    }

    let store: PeopleDatabase
    let size: Int
    let rounds: Int
    let runners: [Runner]
    /// Databases of runners that do not erase in `store`.
    var others: [PeopleDatabase] = []

    /// How many people each way erases in all, the warming up included.
    static func people(size: Int, rounds: Int, runners: Int) -> Int { (size * rounds + 100) * runners + 1 }

    /// Accounts per second of each way in each round.
    func run(_ queue: inout PeopleQueue) async throws -> [String: [Double]] {
        for runner in runners { try await runner.run(try queue.take(100)) }
        var rates: [String: [Double]] = [:]
        for round in 0..<rounds {
            // The order rotates with each round, because the predecessor decides about caches.
            for place in runners.indices {
                // After a checkpoint PostgreSQL writes each page it changes whole, once: none of them pays for another.
                for store in others + [store] { try await store.tidy() }
                let runner = runners[(place + round) % runners.count]
                let keys = try queue.take(size)
                let watch = Stopwatch()
                try await runner.run(keys)
                rates[runner.name, default: []].append(Double(size) / watch.elapsed().seconds)
            }
        }
        return rates
    }

    /// A line that sets the rates of two ways beside each other.
    static func line(
        _ what: String, _ rates: [String: [Double]], ours: String, baseline: String, target: Report.Target = .none
    ) -> Report.Line {
        let (mine, theirs) = (rates[ours] ?? [], rates[baseline] ?? [])
        let ratios = zip(mine, theirs).map { $0 / $1 }
        return Report.Line(
            what: what, ours: "\(mine.median.short)/s", baseline: "\(theirs.median.short)/s", ratio: ratios.median,
            target: target, rounds: ratios)
    }
}

extension PeopleDatabase {
    /// Farewell, with `size` accounts handed in at once; in groups as the plan has it where none is given.
    func farewell(_ name: String, connections: Int, groupSize: Int?) async throws -> QueueRace.Runner {
        let database = try connect(connections)
        let engine = try await engine(on: database)
        let options = ErasureOptions(groupSize: groupSize, concurrency: connections)
        return .init(name: name) { try await engine.eraseAll($0, options: options) }
    }

    /// A transaction for each `groupSize` people.
    func bare(
        _ name: String, connections: Int, groupSize: Int, _ statements: @escaping @Sendable ([String]) -> [SQLStatement]
    ) throws -> QueueRace.Runner {
        let database = try connect(connections)
        return .init(name: name) { keys in
            let groups = stride(from: 0, to: keys.count, by: groupSize).map {
                statements(Array(keys[$0..<min($0 + groupSize, keys.count)]))
            }
            try await database.run(groups, connections: connections)
        }
    }
}
