// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation

/// How soon another worker has what a worker had that was killed, or that says nothing any longer.
///
/// A process that was killed is known to be dead on its own machine. A stopped process cannot be distinguished from one
/// that was killed on another machine: others wait until its lease has expired.
struct ServiceRescue: Comparison {
    let name = "rescue"
    let title = "from SIGKILL or silence of a worker until others have all that it had"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let rounds = world.isQuick ? 3 : 20
        var lines: [Report.Line] = []
        for (signal, what) in [(SIGKILL, "killed on this machine"), (SIGSTOP, "silent, as one killed elsewhere")] {
            var latencies = Latencies()
            for _ in 0..<rounds { latencies.add(try await taken(over: signal, in: world)) }
            lines.append(
                Report.Line(
                    what: "\(what), \(rounds) times: p50 \(latencies.median.text)",
                    ours: "p99 \(latencies.percentile(0.99).text)",
                    baseline: "20 s", ratio: latencies.percentile(0.99) / .seconds(20), target: .atMost(1)))
        }
        return lines
    }

    private func taken(over signal: Int32, in world: BenchWorld) async throws -> Duration {
        let people = try SamplePeople(.coachme, people: 400)
        return try await ServiceFixture.with(people, in: world) { house in
            let database = try house.store.connect(6)
            let engine = try await house.engine(on: database)
            var queue = PeopleQueue(people)
            let requests = ErasureRequests(engine)
            for key in try queue.take(300) { _ = try await requests.request(key) }
            let (first, second) = (try await house.work(batch: 2), try await house.work(batch: 2))
            let took = try await ServerProcess.ending([first, second]) {
                let held = try await stopped(first, database)
                let watch = Stopwatch()
                if signal == SIGKILL { first.signal(SIGKILL) }
                while try await !self.held(by: first, database).filter(held.contains).isEmpty {
                    try await ContinuousClock().sleep(for: .milliseconds(20))
                }
                let took = watch.elapsed()
                first.signal(SIGKILL)
                return took
            }
            await database.close()
            return took
        }
    }

    /// Stops a worker while it has erasures in its hands, and answers which.
    private func stopped(_ worker: ServerProcess, _ database: any SQLDatabase) async throws -> [String] {
        for _ in 0..<10_000 {
            worker.signal(SIGSTOP)
            let held = try await held(by: worker, database)
            guard held.isEmpty else { return held }
            worker.signal(SIGCONT)
        }
        throw FarewellError("bench.nothing-held", .ours, "The worker was never seen at work.")
    }

    private func held(by worker: ServerProcess, _ database: any SQLDatabase) async throws -> [String] {
        try await database.withConnection { connection in
            try await connection.run(
                "SELECT id::text || epoch FROM farewell.erasures WHERE state <> 'done' AND owner LIKE $1",
                .text("%:\(worker.identifier):%")
            ).rows.compactMap { $0.first?.text }
        }
    }
}
