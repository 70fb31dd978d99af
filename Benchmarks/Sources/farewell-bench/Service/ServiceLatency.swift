// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample

/// From the request over HTTP to the response that has the receipt, beside the library on the same plan: by turns, one
/// account at a time.
struct ServiceLatency: Comparison {
    let name = "http"
    let title = "one account of coachme through HTTP, from the request to its receipt, beside the library"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 50 : 300
        let people = try SamplePeople(.coachme, people: count * 2 + 20)
        return try await ServiceFixture.with(people, in: world) { house in
            var queue = PeopleQueue(people)
            let server = try await house.serve(concurrency: 1)
            let (latencies, library) = try await ServerProcess.ending([server]) {
                let database = try house.store.connect(2)
                let engine = try await house.engine(on: database)
                var (latencies, library) = (Latencies(), Latencies())
                for (number, person) in try queue.take(count + 5).enumerated() {
                    let token = try await house.token(of: person, at: server)
                    let watch = Stopwatch()
                    let state = try await house.erase(token, at: server, wait: 25)
                    let took = watch.elapsed()
                    guard state == "done" else { throw FarewellError("bench.not-done", .ours, "It is \(state).") }
                    let other = try queue.take(1)
                    let beside = Stopwatch()
                    try await engine.eraseAll(other, options: .init())
                    // The first few find everything cold.
                    guard number >= 5 else { continue }
                    library.add(beside.elapsed())
                    latencies.add(took)
                }
                await database.close()
                return (latencies, library)
            }
            return [
                Report.Line(
                    what: "request to receipt, \(count) accounts, p50", ours: latencies.text, baseline: library.text,
                    ratio: latencies.median / library.median, target: .atMost(3))
            ]
        }
    }
}
