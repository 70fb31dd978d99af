// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample

/// One account in five systems that answer late, beside the same account in the slowest of them alone: by turns.
struct SystemsSideBySide: Comparison {
    let name = "systems"
    let title = "one account in five systems that answer late, beside the slowest of them alone"

    /// How late each system answers each call, in milliseconds.
    private static let latencies = [20, 40, 60, 80, 100]

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let each = world.isQuick ? 5 : 20
        let people = try SamplePeople(.coachme, people: each * 2 + 30)
        return try await world.withPeople(people) { alone in
            try await world.withPeople(people) { together in
                let (one, five) = (try alone.connect(4), try together.connect(4))
                let slowest = try await alone.engine(on: one, Self.systems(Self.latencies.suffix(1)))
                let all = try await together.engine(on: five, Self.systems(Self.latencies[...]))
                var (queue, sameQueue) = (PeopleQueue(people), PeopleQueue(people))
                for key in try queue.take(3) { try await slowest.eraseAll([key], options: .init()) }
                for key in try sameQueue.take(3) { try await all.eraseAll([key], options: .init()) }
                var (baseline, ours) = (Latencies(), Latencies())
                for _ in 0..<each {
                    let (key, sameKey) = (try queue.take(1), try sameQueue.take(1))
                    try await baseline.time { try await slowest.eraseAll(key, options: .init()) }
                    try await ours.time { try await all.eraseAll(sameKey, options: .init()) }
                }
                await one.close()
                await five.close()
                return [
                    Report.Line(
                        what:
                            "\(each) accounts, systems that answer after \(Self.latencies) ms",
                        ours: ours.text, baseline: baseline.text, ratio: ours.median / baseline.median,
                        target: .atMost(1.2))
                ]
            }
        }
    }

    private static func systems(_ latencies: ArraySlice<Int>) -> [SystemPlan: any Connector] {
        Dictionary(
            uniqueKeysWithValues: latencies.map {
                (SystemPlan(name: "late-\($0)", kind: "late"), LateSystem(latency: .milliseconds($0)))
            })
    }
}

/// All subjects are there, and gone once they are erased; each answer takes its time.
private struct LateSystem: Connector {
    let latency: Duration
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) async throws -> Int? {
        try await ContinuousClock().sleep(for: latency)
        return 1
    }

    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await ContinuousClock().sleep(for: latency)
        return .erased(1)
    }

    func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        try await ContinuousClock().sleep(for: latency)
        return .gone
    }
}
