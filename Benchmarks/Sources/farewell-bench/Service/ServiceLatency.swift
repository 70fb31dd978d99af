// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample

/// From the request over HTTP to the response that has the receipt, beside the library on the same plan: by turns, one
/// account at a time, then many clients at once.
struct ServiceLatency: Comparison {
    let name = "http"
    let title = "accounts of coachme through HTTP, from the request to the receipt, beside the library"

    /// How many clients request at the same time.
    private static let clients = 16

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 50 : 300
        let (each, rounds) = (world.isQuick ? 5 : 20, world.isQuick ? 2 : world.rounds)
        let people = try SamplePeople(.coachme, people: count * 2 + Self.clients * each * (rounds + 1) * 2 + 20)
        return try await ServiceFixture.with(people, in: world) { house in
            var queue = PeopleQueue(people)
            let single = try await oneByOne(count, &queue, house)
            return single + [try await atOnce(each, rounds, &queue, house)]
        }
    }

    private func oneByOne(
        _ count: Int, _ queue: inout PeopleQueue, _ house: ServiceFixture
    ) async throws -> [Report.Line] {
        let server = try await house.serve(concurrency: 1)
        var (latencies, library) = (Latencies(), Latencies())
        try await ServerProcess.ending([server]) {
            let database = try house.store.connect(2)
            let engine = try await house.engine(on: database)
            for (number, person) in try queue.take(count + 5).enumerated() {
                let token = try await house.token(of: person, at: server)
                let watch = Stopwatch()
                try await house.eraseNow(token, at: server)
                let took = watch.elapsed()
                let other = try queue.take(1)
                let beside = Stopwatch()
                try await engine.eraseAll(other, options: .init())
                // The first few find everything cold.
                guard number >= 5 else { continue }
                library.add(beside.elapsed())
                latencies.add(took)
            }
            await database.close()
        }
        return [
            Report.Line(
                what: "request to receipt, \(count) accounts, p50", ours: latencies.text, baseline: library.text,
                ratio: latencies.median / library.median, target: .atMost(3)),
            Report.Line(
                what: "the same, p99", ours: latencies.percentile(0.99).text,
                baseline: library.percentile(0.99).text,
                ratio: latencies.percentile(0.99) / library.percentile(0.99)),
        ]
    }

    /// Many clients, each with one account after the other, beside the library with as many accounts at once. The
    /// server has its default settings; the library may have as many connections as the server's workers.
    private func atOnce(
        _ each: Int, _ rounds: Int, _ queue: inout PeopleQueue, _ house: ServiceFixture
    ) async throws -> Report.Line {
        let workers = ServiceRules().concurrency
        let server = try await house.serve(concurrency: workers)
        var rates: [String: [Double]] = [:]
        try await ServerProcess.ending([server]) {
            let library = try await house.library("library", connections: workers)
            // The first round finds everything cold.
            for round in 0...rounds {
                let keys = try queue.take(Self.clients * each)
                var tokens: [String] = []
                for key in keys { tokens.append(try await house.token(of: key, at: server)) }
                let others = try queue.take(Self.clients * each)
                for place in 0..<2 {
                    let isServer = (place + round).isMultiple(of: 2)
                    try await house.store.tidy()
                    let watch = Stopwatch()
                    if isServer {
                        try await house.eraseNow(tokens, clients: Self.clients, at: server)
                    } else {
                        try await library.run(others)
                    }
                    let rate = Double(keys.count) / watch.elapsed().seconds
                    if round > 0 { rates[isServer ? "http" : "library", default: []].append(rate) }
                }
            }
        }
        return QueueRace.line(
            "\(Self.clients) clients at once, \(Self.clients * each) accounts a round, beside the library's queue",
            rates, ours: "http", baseline: "library", target: .atLeast(0.5))
    }
}

extension ServiceFixture {
    /// Asks for an erasure, and waits for its receipt.
    func eraseNow(_ token: String, at server: ServerProcess) async throws {
        let state = try await erase(token, at: server, wait: 25)
        guard state == "done" else { throw FarewellError("bench.not-done", .ours, "It is \(state).") }
    }

    /// The same for many accounts, by so many clients at once.
    func eraseNow(_ tokens: [String], clients: Int, at server: ServerProcess) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for client in 0..<clients {
                tasks.addTask {
                    for place in stride(from: client, to: tokens.count, by: clients) {
                        try await eraseNow(tokens[place], at: server)
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// The library on the server's plan, with a queue of accounts at once.
    func library(_ name: String, connections: Int) async throws -> QueueRace.Runner {
        let engine = try await engine(on: try store.connect(connections))
        let options = ErasureOptions(concurrency: connections)
        return .init(name: name) { try await engine.eraseAll($0, options: options) }
    }
}
