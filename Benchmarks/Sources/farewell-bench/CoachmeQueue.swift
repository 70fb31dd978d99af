// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import FarewellSample

/// A queue of accounts whose rows the database cascades.
struct CoachmeQueue: Comparison {
    let name = "queue"
    let title = "a queue of 500 accounts of coachme"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let size = world.isQuick ? 200 : 500
        let count = QueueRace.people(size: size, rounds: world.rounds, runners: 6)
        let people = try SamplePeople(.coachme, people: count)
        return try await world.withPeople(people) { store in
            var runners: [QueueRace.Runner] = []
            for connections in [1, 4] {
                runners += [
                    try store.bare("bare \(connections)", connections: connections, groupSize: 1) {
                        BareStatements.cascade($0[0])
                    },
                    try await store.farewell("farewell \(connections)", connections: connections, groupSize: 50),
                    try store.bare("batch \(connections)", connections: connections, groupSize: 50) {
                        BareStatements.cascade(of: $0)
                    },
                ]
            }
            var queue = PeopleQueue(people)
            let rates = try await QueueRace(store: store, size: size, rounds: world.rounds, runners: runners).run(
                &queue)
            return [1, 4].flatMap { connections in
                let on = connections == 1 ? "one connection" : "four connections"
                return [
                    QueueRace.line(
                        "\(size) accounts on \(on), beside one at a time", rates, ours: "farewell \(connections)",
                        baseline: "bare \(connections)", target: connections == 1 ? .atLeast(1) : .none),
                    QueueRace.line(
                        "\(size) accounts on \(on), beside 50 a transaction", rates, ours: "farewell \(connections)",
                        baseline: "batch \(connections)"),
                ]
            }
        }
    }
}
