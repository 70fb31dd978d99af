// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// The command on a list of accounts, from the start of its process to its exit, receipts included.
struct CommandQueue: Comparison {
    let name = "command"
    let title = "farewell erase --subjects-file, 500 accounts of coachme, from the start of the process to its end"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let size = world.isQuick ? 200 : 500
        let count = QueueRace.people(size: size, rounds: world.rounds, runners: 5)
        let people = try SamplePeople(.coachme, people: count)
        return try await world.withPeople(people) { store in
            // The command restores receipts that the library erased beside it: it has a database of its own.
            try await world.withPeople(people) { ofCommand in
                try await DjangoCollector.with(store, .stays) { django in
                    try await DjangoCollector.with(store, .requests) { requests in
                        let runners = [
                            try await store.farewell("library", connections: 1, groupSize: nil),
                            CommandCall(store: ofCommand).runner("command"),
                            try store.bare("bare", connections: 1, groupSize: 1) { BareStatements.cascade($0[0]) },
                            django.runner("django"), requests.runner("requests"),
                        ]
                        var queue = PeopleQueue(people)
                        var race = QueueRace(store: store, size: size, rounds: world.rounds, runners: runners)
                        race.others = [ofCommand]
                        return Self.lines(try await race.run(&queue), size)
                    }
                }
            }
        }
    }

    private static func lines(_ rates: [String: [Double]], _ size: Int) -> [Report.Line] {
        func line(_ what: String, _ ours: String, _ baseline: String, _ target: Report.Target = .none) -> Report.Line {
            QueueRace.line(what, rates, ours: ours, baseline: baseline, target: target)
        }
        return [
            line("\(size) accounts, beside the library on one connection", "command", "library", .atLeast(0.8)),
            line("the same, beside the bare DELETE, one at a time", "command", "bare", .atLeast(0.8)),
            line("the same, beside Django's collector, one at a time", "command", "django", .atLeast(15)),
            line("the same, beside Django's collector, a request for each account", "command", "requests"),
            line("the library, beside Django's collector", "library", "django"),
        ]
    }
}

/// Calls of the command on a database, each a process of its own.
struct CommandCall: Sendable {
    let store: PeopleDatabase

    func runner(_ name: String) -> QueueRace.Runner { .init(name: name) { try await erase($0) } }

    /// Erases accounts, and ensures that each is done and has a receipt.
    private func erase(_ keys: [String]) async throws {
        let folder = store.world.folder.appending(path: "command-\(store.name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let list = folder.appending(path: "leavers.txt")
        try Data(keys.map { $0 + "\n" }.joined().utf8).write(to: list)
        let plan = try ExampleFolder(near: [#filePath]).path + "/coachme/farewell.postgresql.yaml"
        let state = folder.appending(path: "state")
        let receipts = state.appending(path: "receipts").path
        let before = Self.files(in: receipts)
        let status = try await ServerProcess.status(
            of: "farewell",
            [
                "erase", "--subjects-file", list.path, "--yes", "--plan", plan, "--state", state.path, "--database",
                store.world.address(of: store.name),
            ], log: folder.appending(path: "command.log"))
        guard status == 0, Self.files(in: receipts) - before == keys.count else {
            throw FarewellError(
                "bench.command", .ours, "The command ended with \(status) or wrote too few receipts.",
                remedy: "Its log is \(folder.path)/command.log.")
        }
    }

    private static func files(in folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count { $0.hasSuffix(".jws") } ?? 0
    }
}
