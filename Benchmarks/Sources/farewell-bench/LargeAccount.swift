// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation

/// A person with a million messages, erased in pieces, beside the single cascade; others go on writing meanwhile.
struct LargeAccount: Comparison {
    let name = "large"
    let title = "a person with a great many messages, while others write"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let messages = world.isQuick ? 100_000 : 1_000_000
        let people = try SamplePeople(.coachme, people: 2_000, messagesOfOne: messages)
        return try await world.withPeople(people) { original in
            var runs: [String: [Run]] = [:]
            for round in 0..<(world.isQuick ? 1 : 2) {
                for way in round % 2 == 0 ? ["cascade", "farewell"] : ["farewell", "cascade"] {
                    runs[way, default: []].append(try await run(way, original))
                }
            }
            return lines(runs, messages)
        }
    }

    private struct Run: Sendable {
        var took: Duration
        var others: Latencies
    }

    /// One way, on a copy of the database.
    private func run(_ way: String, _ original: PeopleDatabase) async throws -> Run {
        let name = "\(original.name)_\(way)"
        try await original.world.administer("CREATE DATABASE \(name) TEMPLATE \(original.name)")
        let copy = PeopleDatabase(world: original.world, name: name, people: original.people)
        do {
            try await copy.tidy()
            let result = try await erase(way, copy)
            try await original.world.administer("DROP DATABASE \(name) WITH (FORCE)")
            return result
        } catch {
            try? await original.world.administer("DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }

    private func erase(_ way: String, _ copy: PeopleDatabase) async throws -> Run {
        let (database, theirs) = (try copy.connect(2), try copy.connect(1))
        let engine = try await copy.engine(on: database)
        let key = copy.people.subjectKey(at: 0)
        let writers = OtherWriters(people: copy.people)
        let (took, others) = try await withThrowingTaskGroup(of: Latencies.self) { tasks in
            tasks.addTask { try await writers.write(on: theirs) }
            let watch = Stopwatch()
            if way == "cascade" {
                try await database.run([BareStatements.cascade(key)], connections: 1)
            } else {
                try await engine.eraseAll([key], options: .init())
            }
            let took = watch.elapsed()
            writers.stop()
            return (took, try await tasks.next() ?? Latencies())
        }
        await database.close()
        await theirs.close()
        return Run(took: took, others: others)
    }

    private func lines(_ runs: [String: [Run]], _ messages: Int) -> [Report.Line] {
        let (ours, bare) = (runs["farewell"] ?? [], runs["cascade"] ?? [])
        let ratios = zip(ours, bare).map { $0.took / $1.took }
        func total(_ runs: [Run]) -> String { runs.map(\.took.seconds).median.short + " s" }
        func writes(_ runs: [Run], _ share: Double) -> Duration {
            runs.map { $0.others.percentile(share) }.max() ?? .zero
        }
        return [
            Report.Line(
                what: "\(messages) messages, time in all", ours: total(ours), baseline: total(bare),
                ratio: ratios.median,
                rounds: ratios)
        ]
            + [("p50", 0.5), ("p99", 0.99), ("longest", 1)].map { what, share in
                Report.Line(
                    what: "others' small writes meanwhile, \(what)", ours: writes(ours, share).text,
                    baseline: writes(bare, share).text, ratio: writes(ours, share) / writes(bare, share))
            }
    }
}

/// People who go on using the app: a message each, one after the other, until they are stopped.
final class OtherWriters: Sendable {
    private let keys: [String]
    private let stopped = Signal()

    init(people: SamplePeople) {
        keys = (1..<people.people).map(people.subjectKey)
    }

    func stop() { stopped.give() }

    func write(on database: PostgreSQLDatabase) async throws -> Latencies {
        try await database.withConnection { connection in
            var latencies = Latencies()
            var position = 0
            while !stopped.isGiven {
                let key = UUID(uuidString: keys[position % keys.count]).map(SQLValue.uuid) ?? .null
                position += 1
                try await latencies.time {
                    try await connection.run(SQLStatement(Self.message, [key]))
                }
                // A breath between two writes: these people do not wait for each other.
                try await connection.run("SELECT pg_sleep(0.005)")
            }
            return latencies
        }
    }

    private static let message = """
        INSERT INTO public.messages (id, conversation_id, user_id, role, content) \
        SELECT gen_random_uuid(), id, user_id, 'user', 'Good morning.'
        FROM public.conversations WHERE user_id = $1 LIMIT 1
        """
}
