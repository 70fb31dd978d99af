// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation

/// The embedded database: one account and a queue, with and without scrubbing the file.
struct SQLiteAccounts: Comparison {
    let name = "sqlite"
    let title = "accounts of coachme on SQLite, beside the bare DELETE with its cascade"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let (each, size) = world.isQuick ? (20, 100) : (100, 500)
        let people = try SamplePeople(.coachme, people: (each + size) * 3 + 200)
        let path = world.folder.appending(path: "people.sqlite").path
        let database = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: .createIfMissing))
        try await people.make(in: database, examples: ExampleFolder(near: [#filePath]))
        let engine = try await BenchEngine.open(
            database, people: people, state: world.folder.appending(path: "state-sqlite").path)
        var queue = PeopleQueue(people)
        let ways = [
            Way(name: "bare") { keys in
                try await database.withConnection { connection in
                    for key in keys { try await connection.run("DELETE FROM auth_users WHERE id = $1", .text(key)) }
                }
            },
            Way(name: "leave") { try await engine.eraseAll($0, options: .init(residue: .leave)) },
            Way(name: "scrub") { try await engine.eraseAll($0, options: .init(residue: .scrub)) },
        ]
        var (singles, queues) = ([String: Latencies](), [String: Duration]())
        for _ in 0..<each {
            for way in ways {
                let keys = try queue.take(1)
                try await singles[way.name, default: Latencies()].time { try await way.erase(keys) }
            }
        }
        for way in ways {
            let keys = try queue.take(size)
            let watch = Stopwatch()
            try await way.erase(keys)
            queues[way.name] = watch.elapsed()
        }
        await database.close()
        return ["leave", "scrub"].flatMap { way -> [Report.Line] in
            let (mine, bare) = (singles[way] ?? Latencies(), singles["bare"] ?? Latencies())
            let (all, bareAll) = (queues[way] ?? .zero, queues["bare"] ?? .zero)
            let what = way == "leave" ? "file left as it is" : "file scrubbed and searched"
            return [
                Report.Line(
                    what: "one account, \(what)", ours: mine.text, baseline: bare.text, ratio: mine.median / bare.median
                ),
                Report.Line(
                    what: "rate of \(size) accounts, \(what)", ours: "\((Double(size) / all.seconds).short)/s",
                    baseline: "\((Double(size) / bareAll.seconds).short)/s", ratio: bareAll / all),
            ]
        }
    }

    private struct Way: Sendable {
        let name: String
        let erase: @Sendable ([String]) async throws -> Void
    }
}
