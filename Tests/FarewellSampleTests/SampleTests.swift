// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import TestFixtures
import Testing

@Suite("Sample users")
struct SampleTests {
    @Test(
        "coachme has 68 rows per user on both databases, and every key has a target",
        arguments: SampleStore.allCases)
    func coachme(_ store: SampleStore) async throws {
        let people = try SamplePeople(.coachme, people: 40)
        try await store.with(people) { database, report in
            #expect(report.rows == 40 * 68)
            #expect(report.tables.count == 7)
            let schema = try await Schema.read(from: database)
            #expect(schema.tables.count == 7)
            #expect(schema.tables.flatMap(\.foreignKeys).count == 8)
            #expect(schema.tables.flatMap(\.foreignKeys).allSatisfy { $0.onDelete == .cascade && $0.isValidated })
            #expect(SampleStore.unindexedKeys(schema) == [])
            let dangling = try await SampleStore.danglingRows(database)
            #expect(dangling == 0)
            // The person is there under the key, the address and the name that Swift says.
            let subject = people.subject(database.dialect)
            #expect(subject.description == report.subject)
            let key = people.subjectKey(at: people.exampleIndex)
            let users = database.dialect == .sqlite ? "users" : "public.users"
            let found = try await database.withConnection {
                try await $0.run("SELECT display_name, email FROM \(users) WHERE CAST(id AS text) = $1", .text(key))
            }
            #expect(found.rows == [people.identifiers(at: people.exampleIndex).prefix(2).map { .text($0) }])
        }
    }

    @Test(
        "muse has eleven tables without a cascade, and an erasure deletes about 320 rows per user",
        arguments: SampleStore.allCases)
    func muse(_ store: SampleStore) async throws {
        let people = try SamplePeople(.muse, people: 64)
        try await store.with(people) { database, report in
            let schema = try await Schema.read(from: database)
            #expect(schema.tables.count == 12)
            #expect(schema.tables.flatMap(\.foreignKeys).allSatisfy { $0.onDelete == .noAction })
            #expect(SampleStore.unindexedKeys(schema) == [])
            let dangling = try await SampleStore.danglingRows(database)
            #expect(dangling == 0)
            let rows = try await SampleStore.rowsNaming(people.subjectKey(at: 20), in: database)
            #expect((310...330).contains(rows), "\(rows) rows name the person")
        }
    }

    @Test("the same seed makes the same users on both databases; another seed makes others")
    func deterministic() async throws {
        var seen: [[[SQLValue]]] = []
        for store in SampleStore.allCases {
            try await store.with(try SamplePeople(.coachme, people: 5)) { database, _ in
                let messages = database.dialect == .sqlite ? "messages" : "public.messages"
                let result = try await database.withConnection {
                    try await $0.run(
                        "SELECT CAST(id AS text), CAST(user_id AS text), content FROM \(messages) ORDER BY 1")
                }
                seen.append(result.rows)
            }
        }
        #expect(seen[0].count == 5 * 52 && seen[0] == seen[1])
        let one = try SamplePeople(.coachme, people: 5)
        let other = try SamplePeople(.coachme, people: 5, seed: 2)
        #expect(one.subjectKey(at: 3) != other.subjectKey(at: 3))
        #expect(UUID(uuidString: one.subjectKey(at: 3)) != nil)
    }

    @Test("keys, addresses, names and telephone numbers belong to one user alone")
    func distinct() throws {
        let people = try SamplePeople(.muse, people: 20_000)
        let indexes = 0..<20_000
        #expect(Set(indexes.map(people.subjectKey(at:))).count == 20_000)
        #expect(Set(indexes.flatMap(people.identifiers(at:))).count == 60_000)
    }

    @Test("the rows of one user lie far apart in time")
    func scattered() async throws {
        try await SampleStore.sqlite.with(try SamplePeople(.coachme, people: 50)) { database, _ in
            let result = try await database.withConnection {
                try await $0.run("SELECT rowid FROM messages WHERE user_id = (SELECT min(id) FROM users) ORDER BY 1")
            }
            let places = result.rows.compactMap { $0[0].integer }
            #expect(places.count == 52)
            // Packed together they would be 1 apart; spread evenly over 2,600 rows 50.
            let nearest = zip(places, places.dropFirst()).map { $1 - $0 }.min() ?? 0
            #expect(nearest > 10)
            #expect((places.last ?? 0) - (places.first ?? 0) > 2000)
        }
    }

    @Test(
        "one user can have very many messages, mixed in time with all other users' messages",
        arguments: [SamplePeople.Profile.coachme, .muse])
    func large(_ profile: SamplePeople.Profile) async throws {
        let people = try SamplePeople(profile, people: 20, messagesOfOne: 5000)
        try await SampleStore.sqlite.with(people) { database, report in
            #expect(report.largeKey == people.subjectKey(at: 0))
            let column = profile == .coachme ? "user_id" : "sender_id"
            let result = try await database.withConnection {
                try await $0.run(
                    "SELECT count(*), min(rowid), max(rowid) FROM messages WHERE \(column) = $1",
                    .text(people.subjectKey(at: 0)))
            }
            let numbers = result.rows[0].compactMap(\.integer)
            #expect(numbers[0] > (profile == .coachme ? 5000 : 2000))
            #expect(numbers[1] < 100 && numbers[2] > 5000)
            let dangling = try await SampleStore.danglingRows(database)
            #expect(dangling == 0)
        }
    }

    @Test("a small number of users is possible", arguments: 1...4)
    func few(_ count: Int) async throws {
        for profile in [SamplePeople.Profile.coachme, .muse] {
            try await SampleStore.sqlite.with(try SamplePeople(profile, people: count)) { database, report in
                #expect(report.rows > 0)
                let dangling = try await SampleStore.danglingRows(database)
                #expect(dangling == 0)
            }
        }
    }

    @Test("every table of Chinook is read on both databases, with its 59 customers", arguments: SampleStore.allCases)
    func chinook(_ store: SampleStore) async throws {
        let people = try SamplePeople(.chinook, people: SamplePeople.chinookCustomers)
        try await store.with(people) { database, report in
            let schema = try await Schema.read(from: database)
            let names = schema.tables.map { $0.name.name.lowercased().replacing("_", with: "") }
            #expect(
                names.sorted() == [
                    "album", "artist", "customer", "employee", "genre", "invoice", "invoiceline", "mediatype",
                    "playlist",
                    "playlisttrack", "track",
                ])
            #expect(schema.tables.flatMap(\.foreignKeys).count == 11)
            #expect(schema.tables.allSatisfy { !$0.primaryKey.isEmpty })
            let customers = try #require(schema[people.subject(database.dialect).table])
            #expect(customers.columns.filter { $0.kind == .text }.compactMap(\.maximumLength).reduce(0, +) == 448)
            #expect(report.rows == 15_607)
            #expect(SampleStore.unindexedKeys(schema) == [])
            let dangling = try await SampleStore.danglingRows(database)
            #expect(dangling == 0)
        }
    }

    @Test("a database that already has the tables stays unchanged")
    func notEmpty() async throws {
        let people = try SamplePeople(.coachme, people: 3)
        try await SampleStore.sqlite.with(people) { database, _ in
            let before = try await Census.take(database)
            let error = await #expect(throws: FarewellError.self) {
                try await people.make(in: database, examples: SampleStore.examples)
            }
            #expect(error?.code == "sample.not-empty")
            let after = try await Census.take(database)
            #expect(after == before && before.differences(to: after).isEmpty)
        }
    }

    @Test("counts out of range are refused")
    func badCounts() {
        for (profile, count, messages) in [
            (SamplePeople.Profile.coachme, 0, 0), (.coachme, 4_000_000, 0), (.muse, 1, 5), (.muse, 5, -1),
            (.chinook, 60, 0), (.chinook, 59, 1),
        ] {
            let error = #expect(throws: FarewellError.self) {
                try SamplePeople(profile, people: count, messagesOfOne: messages)
            }
            #expect(error?.code == "sample.bad-count" && error?.remedy != nil)
        }
    }
}
