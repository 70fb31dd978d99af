// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSample
import Foundation

/// How soon the command responds: `farewell --help` to its end, and `farewell erase` to its first statement.
struct CommandStart: Comparison {
    let name = "startup"
    let title = "farewell --help to its end, farewell erase to its first statement"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 10 : 40
        let help = try await help(count, world)
        let people = try SamplePeople(.coachme, people: count + 10)
        let erase = try await world.withPeople(people) { store in
            var queue = PeopleQueue(people)
            return try await firstStatements(of: try queue.take(count + 1), store)
        }
        func line(_ what: String, _ took: Latencies, within limit: Duration) -> Report.Line {
            Report.Line(
                what: what, ours: took.text, baseline: limit.text, ratio: took.median / limit, target: .atMost(1))
        }
        return [
            line("farewell --help", help, within: .milliseconds(50)),
            line("farewell erase, to its first statement", erase, within: .milliseconds(150)),
        ]
    }

    private func help(_ count: Int, _ world: BenchWorld) async throws -> Latencies {
        var took = Latencies()
        for number in 0...count {
            let watch = Stopwatch()
            let status = try await ServerProcess.status(
                of: "farewell", ["--help"], log: world.folder.appending(path: "help.log"))
            guard status == 0 else { throw FarewellError("bench.help", .ours, "farewell --help ended with \(status).") }
            if number > 0 { took.add(watch.elapsed()) }
        }
        return took
    }

    /// The first call is not counted: it makes Farewell's own tables and keys.
    private func firstStatements(of keys: [String], _ store: PeopleDatabase) async throws -> Latencies {
        let state = store.world.folder.appending(path: "startup-state").path
        let plan = try ExampleFolder(near: [#filePath]).path + "/coachme/farewell.postgresql.yaml"
        var took = Latencies()
        for (number, key) in keys.enumerated() {
            let relay = try StatementRelay(to: store.world.address(of: store.name))
            let started = ContinuousClock.now
            let first = Task { await relay.firstStatement() }
            let status = try await ServerProcess.status(
                of: "farewell",
                [
                    "erase", "--subject", key, "--yes", "--plan", plan, "--state", state, "--database", relay.address,
                ], log: store.world.folder.appending(path: "startup.log"))
            relay.close()
            guard status == 0, let at = await first.value else {
                throw FarewellError(
                    "bench.startup", .ours, "farewell erase ended with \(status).",
                    remedy: "Its log is \(store.world.folder.path)/startup.log.")
            }
            if number > 0 { took.add(started.duration(to: at)) }
        }
        return took
    }
}
