// SPDX-License-Identifier: Apache-2.0
import FarewellErasure
import FarewellSQL
import FarewellSample

/// One person after the other, complete, beside the bare delete: by turns, person by person.
struct SingleAccount: Comparison {
    let name = "one"
    let title = "one account of coachme, complete, beside the bare DELETE in a transaction of its own"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let each = world.isQuick ? 100 : 1_000
        let people = try SamplePeople(.coachme, people: each * 2 + 200)
        return try await world.withPeople(people) { store in
            let (bare, ours) = (try store.connect(1), try store.connect(1))
            let engine = try await store.engine(on: ours)
            var queue = PeopleQueue(people)
            // Statements are prepared and caches warm before anything counts.
            for key in try queue.take(30) { try await engine.eraseAll([key], options: .init()) }
            for key in try queue.take(30) { try await bare.run([BareStatements.cascade(key)], connections: 1) }
            var (theirs, complete) = (Latencies(), Latencies())
            for _ in 0..<each {
                let keys = try queue.take(2)
                try await theirs.time { try await bare.run([BareStatements.cascade(keys[0])], connections: 1) }
                try await complete.time { try await engine.eraseAll([keys[1]], options: .init()) }
            }
            await bare.close()
            await ours.close()
            return [
                Report.Line(
                    what: "latency of one account, p50", ours: complete.text, baseline: theirs.text,
                    ratio: complete.median / theirs.median, target: .atMost(2)),
                Report.Line(
                    what: "the same, p99", ours: complete.percentile(0.99).text, baseline: theirs.percentile(0.99).text,
                    ratio: complete.percentile(0.99) / theirs.percentile(0.99)),
            ]
        }
    }
}
