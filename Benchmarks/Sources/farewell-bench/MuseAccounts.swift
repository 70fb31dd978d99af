// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import FarewellSample

/// Accounts without a single cascade, whose rows belong to two people.
struct MuseAccounts: Comparison {
    let name = "muse"
    let title = "accounts of muse: eleven tables and the account, no cascades"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let size = world.isQuick ? 100 : 500
        let used = QueueRace.people(size: size, rounds: world.rounds, runners: 5)
        // Neighbours share rows: with most of them gone, an account would be a smaller one.
        let people = try SamplePeople(.muse, people: used * 3 / 2)
        return try await world.withPeople(people) { store in
            let runners = [
                try store.bare("pipelined", connections: 1, groupSize: 1) { BareStatements.ordered($0[0]) },
                try await store.farewell("farewell by one", connections: 1, groupSize: 1),
                try store.bare("grouped", connections: 1, groupSize: 50) { BareStatements.ordered(of: $0) },
                try await store.farewell("farewell by 50", connections: 1, groupSize: 50),
                try await store.farewell("farewell on four", connections: 4, groupSize: nil),
            ]
            var queue = PeopleQueue(people)
            let rates = try await QueueRace(store: store, size: size, rounds: world.rounds, runners: runners).run(
                &queue)
            return [
                QueueRace.line(
                    "one at a time, beside the statements pipelined", rates, ours: "farewell by one",
                    baseline: "pipelined", target: .atLeast(0.7)),
                QueueRace.line(
                    "\(size) accounts on one connection, beside the statements pipelined", rates,
                    ours: "farewell by 50", baseline: "pipelined"),
                QueueRace.line(
                    "\(size) accounts on one connection, beside the statements grouped by 50", rates,
                    ours: "farewell by 50", baseline: "grouped", target: .atLeast(0.8)),
                QueueRace.line(
                    "\(size) accounts on four connections, beside the same on one", rates, ours: "farewell on four",
                    baseline: "grouped", target: .atLeast(1)),
            ]
        }
    }
}
