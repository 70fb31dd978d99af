// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import TestFixtures
import Testing

@Suite("The census of a database")
struct SampleCensusTests {
    @Test("a changed byte, a null or a lost row changes the census, which names the place", arguments: SampleStore.allCases)
    func change(_ store: SampleStore) async throws {
        try await store.with(try SamplePeople(.coachme, people: 5)) { database, _ in
            let users = database.dialect == .sqlite ? "users" : "public.users"
            let before = try await Census.take(database)
            let again = try await Census.take(database)
            #expect(before == again && before.counts.count == 7)
            for (change, says) in [
                ("UPDATE \(users) SET time_zone = time_zone || ' '", "\(users): 5 rows, other bytes"),
                ("UPDATE \(users) SET onboarded_at = NULL", "\(users): 5 rows, other bytes"),
            ] {
                let earlier = try await Census.take(database)
                try await database.withConnection { _ = try await $0.run(SQLStatement(change)) }
                let later = try await Census.take(database)
                #expect(earlier.differences(to: later) == [says])
            }
            let logs = database.dialect == .sqlite ? "usage_logs" : "public.usage_logs"
            try await database.withConnection { _ = try await $0.run("DELETE FROM \(logs) WHERE id = 3") }
            let last = try await Census.take(database)
            #expect(before.differences(to: last).contains("\(logs): 40 rows before, 39 after"))
        }
    }

    @Test("with conditions, only the neighbours' rows count", arguments: SampleStore.allCases)
    func neighbours(_ store: SampleStore) async throws {
        let people = try SamplePeople(.coachme, people: 5)
        try await store.with(people) { database, _ in
            let isSQLite = database.dialect == .sqlite
            let table = isSQLite ? TableName("messages") : TableName(schema: "public", "messages")
            let key = SQLValue.text(people.subjectKey(at: 2))
            let part = Census.Part(table, where: SQLStatement("CAST(counted.user_id AS text) <> $1", [key]))
            let before = try await Census.take(database, parts: [part])
            #expect(before.counts.map(\.rows) == [4 * 52])
            try await database.withConnection {
                _ = try await $0.run("DELETE FROM \(table) WHERE CAST(user_id AS text) = $1", key)
            }
            let after = try await Census.take(database, parts: [part])
            #expect(before == after)
        }
    }

    @Test("an unknown table is refused")
    func unknown() async throws {
        try await SampleStore.sqlite.with(try SamplePeople(.coachme, people: 1)) { database, _ in
            let error = await #expect(throws: FarewellError.self) {
                try await Census.take(database, parts: [Census.Part(TableName("nowhere"))])
            }
            #expect(error?.code == "sample.no-table")
        }
    }

    @Test("each user has two photo files, and one folder only shares the prefix")
    func photos() throws {
        let people = try SamplePeople(.muse, people: 3)
        let folder = FileManager.default.temporaryDirectory.appending(path: "photos-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let photos = try SamplePhotos(of: people, in: folder)
        let made = try photos.make()
        #expect(made == 7)
        let folders = Set((0..<3).map(people.subjectKey(at:)) + [people.subjectKey(at: 1) + "0"])
        let found = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(found) == folders)
        let picture = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(people.subjectKey(at: 2))/2.jpg"))
        #expect(picture.starts(with: [0xFF, 0xD8, 0xFF]) && picture.suffix(2) == Data([0xFF, 0xD9]))
        #expect(throws: FarewellError.self) { try SamplePhotos(of: SamplePeople(.coachme, people: 3), in: folder) }
        #expect(throws: FarewellError.self) { try SamplePhotos(of: people, in: "/dev/null/photos").make() }
    }

    @Test("DX-1 the compiled-in tables of coachme equal those of its file")
    func compiledIn() throws {
        #expect(try SQLScript.coachme == SampleStore.examples.script(.coachme, .sqlite))
        #expect(SQLScript.coachme.statements.contains { $0.hasPrefix("CREATE TABLE auth_users") })
    }

    @Test("the examples are found only from inside the check-out")
    func examples() throws {
        let inside = SampleStore.examples.path + "/coachme"
        let found = try ExampleFolder(near: ["/nowhere", inside])
        #expect(found == SampleStore.examples)
        let error = #expect(throws: FarewellError.self) { try ExampleFolder(near: ["/nowhere"]) }
        #expect(error?.code == "sample.no-examples")
        #expect(throws: FarewellError.self) { try ExampleFolder(path: "/nowhere").script(.muse, .sqlite) }
    }
}
