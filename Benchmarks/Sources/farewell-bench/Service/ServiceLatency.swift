// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSample

/// From asking over HTTP to the answer that has the receipt, one account at a time.
struct ServiceLatency: Comparison {
    let name = "http"
    let title = "one account of coachme through HTTP, from the request to its receipt"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 50 : 300
        let people = try SamplePeople(.coachme, people: count * 2 + 10)
        return try await ServiceFixture.with(people, in: world) { house in
            var queue = PeopleQueue(people)
            let server = try await house.serve(concurrency: 1)
            let latencies = try await ServerProcess.ending([server]) {
                var latencies = Latencies()
                for (number, person) in try queue.take(count + 5).enumerated() {
                    let token = try await house.token(of: person, at: server)
                    let watch = Stopwatch()
                    let state = try await house.erase(token, at: server, wait: 25)
                    let took = watch.elapsed()
                    guard state == "done" else { throw FarewellError("bench.not-done", .ours, "It is \(state).") }
                    // The first few find everything cold.
                    if number >= 5 { latencies.add(took) }
                }
                return latencies
            }
            return [Report.Line(what: "asked to receipt, \(count) accounts", ours: latencies.text, baseline: "")]
        }
    }
}
