// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation

/// `farewell export` of a subject with very many rows, beside `psql` that copies the same rows to CSV, by turns.
struct ExportSpeed: Comparison {
    let name = "export"
    let title = "farewell export of one subject's rows, beside psql \\copy of the same rows to CSV"

    /// MiB that the command may take.
    private static let memory = 100.0

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let messages = world.isQuick ? 100_000 : 1_000_000
        let people = try SamplePeople(.coachme, people: 200, messagesOfOne: messages)
        return try await world.withPeople(people) { store in
            try await store.tidy()
            var (ours, theirs) = ([Double](), [Double]())
            var most = 0.0
            let rows = try await copy(store).rows
            for round in 0..<min(world.rounds, 3) {
                for place in 0..<2 {
                    if (place + round).isMultiple(of: 2) {
                        let (took, memory) = try await export(store, rows: rows)
                        ours.append(Double(rows) / took.seconds)
                        most = max(most, memory)
                    } else {
                        theirs.append(Double(rows) / (try await copy(store).took.seconds))
                    }
                }
            }
            return [
                QueueRace.line(
                    "\(rows) rows, rows a second", ["export": ours, "psql": theirs], ours: "export", baseline: "psql",
                    target: .atLeast(0.5)),
                Report.Line(
                    what: "the most memory of the command", ours: "\(most.short) MiB",
                    baseline: "\(Self.memory.short) MiB", ratio: most / Self.memory, target: .atMost(1)),
            ]
        }
    }

    /// The command's export, as it is: CSV, JSON, the index and the signed manifest.
    private func export(_ store: PeopleDatabase, rows: Int) async throws -> (took: Duration, memory: Double) {
        let folder = store.world.folder.appending(path: "export-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let plan = try ExampleFolder(near: [#filePath]).path + "/coachme/farewell.postgresql.yaml"
        let run = try await CommandRun(
            [
                "export", "--subject", store.people.subjectKey(at: 0), "--output", folder.path + "/data", "--plan",
                plan, "--state", folder.path + "/state", "--database", store.world.address(of: store.name),
            ], log: store.world.folder.appending(path: "export.log"))
        return (run.took, run.memory)
    }

    /// The same selection of each table by `psql`, in one process.
    private func copy(_ store: PeopleDatabase) async throws -> (took: Duration, rows: Int) {
        let folder = store.world.folder.appending(path: "copy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = store.people.subjectKey(at: 0)
        let places = [
            ("auth.users", "id"), ("public.users", "id"), ("public.conversations", "user_id"),
            ("public.messages", "user_id"), ("public.context_profiles", "user_id"), ("public.usage_logs", "user_id"),
            ("public.pattern_syntheses", "user_id"),
        ]
        let orders = places.map { table, column in
            "\\copy (SELECT * FROM \(table) WHERE \(column) = '\(key)') TO '\(folder.path)/\(table).csv' CSV HEADER"
        }
        let root = URL(filePath: try ExampleFolder(near: [#filePath]).path).deletingLastPathComponent()
        let run = try await CommandRun(
            at: root.appending(path: "Scripts/postgres"),
            ["client", "psql", "-X", "-v", "ON_ERROR_STOP=1", store.world.address(of: store.name)]
                + orders.flatMap { ["-c", $0] },
            log: store.world.folder.appending(path: "copy.log"))
        let text = try String(contentsOf: run.log, encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        return (run.took, rows.reduce(0, +))
    }
}
