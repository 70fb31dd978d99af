// SPDX-License-Identifier: Apache-2.0
import FarewellEngine
import FarewellSQL
import FarewellSample

/// The same person's rows among few and among ten times as many of others.
struct OtherPeoplesRows: Comparison {
    let name = "growth"
    let title = "one account among N other people and among 10 N, by turns"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        [
            try await measure(.coachme, people: world.isQuick ? 1_000 : 3_000, in: world),
            try await measure(.muse, people: world.isQuick ? 400 : 1_500, in: world),
        ]
    }

    private func measure(_ profile: SamplePeople.Profile, people: Int, in world: BenchWorld) async throws -> Report.Line
    {
        let (few, many) = (try SamplePeople(profile, people: people), try SamplePeople(profile, people: people * 10))
        return try await world.withPeople(few) { small in
            try await world.withPeople(many) { large in
                let databases = [try small.connect(1), try large.connect(1)]
                let engines = [try await small.engine(on: databases[0]), try await large.engine(on: databases[1])]
                var queues = [PeopleQueue(few), PeopleQueue(many)]
                var latencies = [Latencies(), Latencies()]
                // Few leave, so that those who stay keep what they share with them.
                for _ in 0..<(people / 10) {
                    for which in 0...1 {
                        let keys = try queues[which].take(1)
                        try await latencies[which].time { try await engines[which].eraseAll(keys, options: .init()) }
                    }
                }
                for database in databases { await database.close() }
                return Report.Line(
                    what: "\(profile.rawValue) among \(people * 10) people, beside \(people)", ours: latencies[1].text,
                    baseline: latencies[0].text, ratio: latencies[1].median / latencies[0].median, target: .within(0.2))
            }
        }
    }
}
