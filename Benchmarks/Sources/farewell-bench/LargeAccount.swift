// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// A subject with very many messages and usage rows, erased by the command in pieces, beside the single cascade; others
/// go on writing meanwhile.
struct LargeAccount: Comparison {
    let name = "large"
    let title = "one subject with very many rows, erased by the command, while others write"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let messages = world.isQuick ? 100_000 : 1_000_000
        let people = try SamplePeople(.coachme, people: 2_000, messagesOfOne: messages)
        return try await world.withPeople(people) { original in
            try await Self.addUsage(to: original)
            var runs: [String: [Run]] = [:]
            for round in 0..<(world.isQuick ? 1 : min(world.rounds, 2)) {
                for way in round % 2 == 0 ? ["cascade", "farewell"] : ["farewell", "cascade"] {
                    runs[way, default: []].append(try await run(way, original))
                }
            }
            return lines(runs, messages)
        }
    }

    private struct Run: Sendable {
        var took: Duration
        var idle: Latencies
        var others: Latencies
        /// Bytes of PostgreSQL's log.
        var log: Double
        var longest: Duration
        /// MiB of the command.
        var memory = 0.0
    }

    /// A usage row for each of the subject's messages.
    private static func addUsage(to store: PeopleDatabase) async throws {
        let key = UUID(uuidString: store.people.subjectKey(at: 0)).map(SQLValue.uuid) ?? .null
        let database = try store.connect(1)
        try await database.withConnection { connection in
            _ = try await connection.run(
                SQLStatement(
                    """
                    INSERT INTO public.usage_logs (user_id, message_id, model, input_tokens, output_tokens, cost_usd)
                    SELECT user_id, id, 'small', 200, 50, 0.0001 FROM public.messages WHERE user_id = $1
                    """, [key]))
        }
        await database.close()
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
        let (database, theirs, observer) = (try copy.connect(1), try copy.connect(1), try copy.connect(1))
        let (_, idle) = try await OtherWriters(people: copy.people).during(theirs) {
            try await ContinuousClock().sleep(for: .seconds(5))
        }
        let watched = LongestTransaction()
        let before = try await Self.logPosition(observer)
        let watch = Stopwatch()
        let ((memory, longest), others) = try await OtherWriters(people: copy.people).during(theirs) {
            try await watched.during(observer) {
                if way == "cascade" {
                    try await database.run([BareStatements.cascade(copy.people.subjectKey(at: 0))], connections: 1)
                    return 0.0
                }
                return try await command(on: copy).memory
            }
        }
        let took = watch.elapsed()
        let log = try await Self.logPosition(observer) - before
        for each in [database, theirs, observer] { await each.close() }
        return Run(took: took, idle: idle, others: others, log: log, longest: longest, memory: memory)
    }

    private func command(on copy: PeopleDatabase) async throws -> CommandRun {
        let world = copy.world
        let plan = try ExampleFolder(near: [#filePath]).path + "/coachme/farewell.postgresql.yaml"
        return try await CommandRun(
            [
                "erase", "--subject", copy.people.subjectKey(at: 0), "--yes", "--plan", plan, "--state",
                world.folder.appending(path: "large-\(UUID().uuidString)").path, "--database",
                world.address(of: copy.name),
            ], log: world.folder.appending(path: "large.log"))
    }

    private static func logPosition(_ database: PostgreSQLDatabase) async throws -> Double {
        let answer = try await database.withConnection {
            try await $0.run("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8").scalar
        }
        return Double(answer?.integer ?? 0)
    }

    private func lines(_ runs: [String: [Run]], _ messages: Int) -> [Report.Line] {
        let (ours, bare) = (runs["farewell"] ?? [], runs["cascade"] ?? [])
        func ratios(_ value: (Run) -> Double) -> [Double] { zip(ours, bare).map { value($0) / value($1) } }
        func median(_ runs: [Run], _ value: (Run) -> Double) -> Double { runs.map(value).median }
        func writes(_ runs: [Run], _ share: Double) -> Duration {
            runs.map { $0.others.percentile(share) }.max() ?? .zero
        }
        let idle = (ours + bare).map { $0.idle.percentile(0.99) }.max() ?? .zero
        let longest = ours.map(\.longest).max() ?? .zero
        let memory = ours.map(\.memory).max() ?? 0
        return [
            Report.Line(
                what: "\(messages) messages and as many usage rows, time in all",
                ours: median(ours, \.took.seconds).short + " s", baseline: median(bare, \.took.seconds).short + " s",
                ratio: ratios(\.took.seconds).median, target: .atMost(1.5), rounds: ratios(\.took.seconds)),
            Report.Line(
                what: "PostgreSQL's log", ours: (median(ours, \.log) / 1_048_576).short + " MiB",
                baseline: (median(bare, \.log) / 1_048_576).short + " MiB", ratio: ratios(\.log).median,
                target: .atMost(1.1), rounds: ratios(\.log)),
            Report.Line(
                what: "the longest transaction that writes", ours: longest.text, baseline: "1 s",
                ratio: longest / .seconds(1), target: .atMost(1)),
            Report.Line(
                what: "the most memory of the command", ours: "\(memory.short) MiB", baseline: "100 MiB",
                ratio: memory / 100, target: .atMost(1)),
            Report.Line(
                what: "others' small writes meanwhile, p99, beside idle", ours: writes(ours, 0.99).text,
                baseline: idle.text, ratio: writes(ours, 0.99) / idle, target: .atMost(2)),
        ]
            + [("p50", 0.5), ("p99", 0.99), ("longest", 1)].map { what, share in
                Report.Line(
                    what: "others' small writes meanwhile, \(what), beside the cascade",
                    ours: writes(ours, share).text, baseline: writes(bare, share).text,
                    ratio: writes(ours, share) / writes(bare, share), target: share == 0.5 ? .none : .atMost(1))
            }
    }
}

/// The longest transaction of other programs that writes, as PostgreSQL's list of activities shows it every 20 ms.
struct LongestTransaction: Sendable {
    func during<Value: Sendable>(
        _ database: PostgreSQLDatabase, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> (Value, Duration) {
        let stopped = Signal()
        return try await withThrowingTaskGroup(of: Duration.self) { tasks in
            tasks.addTask { try await watch(database, until: stopped) }
            defer { stopped.give() }
            let value = try await body()
            stopped.give()
            return (value, try await tasks.next() ?? .zero)
        }
    }

    private func watch(_ database: PostgreSQLDatabase, until stopped: Signal) async throws -> Duration {
        try await database.withConnection { connection in
            var longest = Duration.zero
            while !stopped.isGiven {
                let answer = try await connection.run(Self.oldest).scalar
                longest = max(longest, .microseconds(answer?.integer ?? 0))
                try await connection.run("SELECT pg_sleep(0.02)")
            }
            return longest
        }
    }

    private static let oldest = SQLStatement(
        """
        SELECT (max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000000)::int8 FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL
        """)
}

/// People who go on using the app: a message each, one after the other, until they are stopped.
final class OtherWriters: Sendable {
    private let keys: [String]
    private let stopped = Signal()

    init(people: SamplePeople) {
        keys = (1..<people.people).map(people.subjectKey)
    }

    /// Writes until `body` has returned.
    func during<Value: Sendable>(
        _ database: PostgreSQLDatabase, _ body: () async throws -> Value
    ) async throws -> (Value, Latencies) {
        try await withThrowingTaskGroup(of: Latencies.self) { tasks in
            tasks.addTask { try await self.write(on: database) }
            defer { stopped.give() }
            let value = try await body()
            stopped.give()
            return (value, try await tasks.next() ?? Latencies())
        }
    }

    private func write(on database: PostgreSQLDatabase) async throws -> Latencies {
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
