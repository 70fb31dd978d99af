// SPDX-License-Identifier: Apache-2.0
import FarewellErasure
import FarewellSQL
import FarewellSample

/// The same subject's rows beside a small and a ten times larger number of other users' rows.
struct OtherPeoplesRows: Comparison {
    let name = "growth"
    let title = "one account among N other people and among 10 N, by turns"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        try await measure(.coachme, people: world.isQuick ? 1_000 : 3_000, in: world) { BareStatements.cascade($0) }
            + measure(.muse, people: world.isQuick ? 400 : 1_500, in: world) { BareStatements.ordered($0) }
    }

    /// One of the two databases: its erased subjects, and the time of each.
    private struct Place {
        let database: PostgreSQLDatabase
        let log: PostgreSQLDatabase
        let engine: ErasureEngine
        let bare: QueueRace.Runner
        var queue: PeopleQueue
        var ours = Latencies()
        var theirs = Latencies()

        init(
            _ store: PeopleDatabase, _ people: SamplePeople,
            _ statements: @escaping @Sendable (String) -> [SQLStatement]
        ) async throws {
            database = try store.connect(1)
            log = try store.connect(1)
            engine = try await store.engine(on: database)
            bare = try store.bare("bare", connections: 1, groupSize: 1) { statements($0[0]) }
            queue = PeopleQueue(people)
        }

        mutating func erase() async throws {
            let (mine, other) = (try queue.take(1), try queue.take(1))
            try await beginLog()
            let watch = Stopwatch()
            try await engine.eraseAll(mine, options: .init())
            ours.add(watch.elapsed())
            try await beginLog()
            let bareWatch = Stopwatch()
            try await bare.run(other)
            theirs.add(bareWatch.elapsed())
        }

        /// PostgreSQL writes a page whole into its log when it is first changed after a checkpoint. In small tables
        /// people share pages, so that only the first to leave would pay for them: each pays for all of its own.
        private func beginLog() async throws { try await log.withConnection { _ = try await $0.run("CHECKPOINT") } }

        func close() async {
            await database.close()
            await log.close()
        }
    }

    private func measure(
        _ profile: SamplePeople.Profile, people: Int, in world: BenchWorld,
        _ statements: @escaping @Sendable (String) -> [SQLStatement]
    ) async throws -> [Report.Line] {
        let (few, many) = (try SamplePeople(profile, people: people), try SamplePeople(profile, people: people * 10))
        return try await world.withPeople(few) { small in
            try await world.withPeople(many) { large in
                var places = [try await Place(small, few, statements), try await Place(large, many, statements)]
                // Few leave, so that those who stay keep what they share with them.
                for _ in 0..<(people / 20) {
                    for which in places.indices { try await places[which].erase() }
                }
                for place in places { await place.close() }
                let what = "\(profile.rawValue) among \(people * 10) people, beside \(people)"
                return [
                    line(what, places[1].ours, places[0].ours, target: .within(0.2)),
                    line("the same, the bare statements", places[1].theirs, places[0].theirs),
                ]
            }
        }
    }

    private func line(
        _ what: String, _ large: Latencies, _ small: Latencies, target: Report.Target = .none
    ) -> Report.Line {
        Report.Line(
            what: what, ours: large.text, baseline: small.text, ratio: large.median / small.median, target: target)
    }
}
