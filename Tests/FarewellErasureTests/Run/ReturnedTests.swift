// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Erased subjects that a restored back-up brings back")
struct ReturnedTests {
    private static func tables(_ dialect: SQLDialect) -> String {
        """
        CREATE TABLE people (id \(dialect == .sqlite ? "integer" : "bigint") PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author bigint REFERENCES people (id));
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org'), (4, 'four@example.org');
        INSERT INTO posts VALUES (10, 1), (20, 2), (30, 3);
        """
    }

    /// A back-up: the tables as they were, the control store as well.
    private func backUp(_ fixture: EngineFixture) async throws -> @Sendable () async throws -> (any SQLDatabase) {
        if fixture.dialect == .sqlite {
            let copy = fixture.folder + "/backup.sqlite"
            _ = try await fixture.database.withConnection { try await $0.run("VACUUM INTO '\(copy)'") }
            return { try SQLiteDatabase(path: copy) }
        }
        let rows = Self.tables(fixture.dialect).components(separatedBy: ";").filter { $0.contains("INSERT") }
        return {
            for statement in rows { try await fixture.run(statement + " ON CONFLICT DO NOTHING") }
            try await fixture.run("TRUNCATE farewell.erasures CASCADE; TRUNCATE farewell.ledger; TRUNCATE farewell.audit;")
            return try PostgreSQLDatabase(url: fixture.address)
        }
    }

    @Test("BX-7 after a restore exactly the erased subjects are found, and a second erasure completes", arguments: SQLDialect.allCases)
    func restored(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let restore = try await backUp(fixture)
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            #expect(try await engine.findReturned() == ReturnedSubjects(certain: [], doubtful: [], examined: 0))
            #expect(try await engine.erase(["1", "3"]).map(\.word) == ["done", "done"])
            let before = try await engine.findReturned()
            #expect(before.certain.isEmpty && before.doubtful.isEmpty && before.examined == 2)
            let database = try await restore()
            let restored = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]), on: database)
            let returned = try await restored.findReturned()
            #expect(returned.certain.sorted() == ["1", "3"] && returned.doubtful.isEmpty && returned.examined == 4)
            #expect(try await restored.erase(returned.certain).map(\.word) == ["done", "done"])
            let after = try await restored.findReturned()
            #expect(after.certain.isEmpty && after.examined == 2)
            await database.close()
        }
    }

    @Test("BX-7 a key that a new user has received since is doubtful, never certain", arguments: SQLDialect.allCases)
    func reused(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            _ = try await engine.erase(["4"])
            try await fixture.run("INSERT INTO people VALUES (4, 'somebody.else@example.org')")
            let returned = try await engine.findReturned()
            #expect(returned.certain.isEmpty && returned.doubtful == ["4"])
            #expect(try await fixture.count("people") == 4, "finding changes nothing")
        }
    }

    /// As a restore does it.
    private func forget(_ fixture: EngineFixture) async throws {
        try await fixture.run("DELETE FROM \(fixture.control("erasures"))")
    }

    @Test(
        "AD-8 BX-7 a person who signs up again under a number is doubtful while the database records the erasure, and not after a restore",
        arguments: SQLDialect.allCases)
    func signedUpAgain(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables(dialect)) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            #expect(try await engine.erase(["3", "4"]).map(\.word) == ["done", "done"])
            try await fixture.run("INSERT INTO people VALUES (4, 'four@example.org')")
            let again = try await engine.findReturned()
            #expect(again.certain.isEmpty && again.doubtful == ["4"], "\(again)")
            // The person leaves a second time, and only that erasure is lost.
            fixture.clock.now.addTimeInterval(60)
            #expect(try await engine.erase(["4"]).map(\.word) == ["done"])
            try await fixture.run("INSERT INTO people VALUES (4, 'four@example.org')")
            #expect(try await engine.findReturned().doubtful == ["4"])
            let newest = "SELECT max(finished_at) FROM \(fixture.control("erasures"))"
            try await fixture.run("DELETE FROM \(fixture.control("erasures")) WHERE finished_at = (\(newest))")
            let restored = try await engine.findReturned()
            #expect(restored.certain == ["4"] && restored.doubtful.isEmpty, "\(restored)")
        }
    }

    @Test("BX-7 a uuid that SQLite holds in capitals is found again")
    func capitals() async throws {
        let id = "5F0C8A4E-ABCD-4000-8000-000000000001"
        let script = "CREATE TABLE people (id text PRIMARY KEY, email text); INSERT INTO people VALUES ('\(id)', 'a@example.org');"
        try await EngineFixture.with(.sqlite, script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            #expect(try await engine.erase([id.lowercased()]).map(\.word) == ["done"])
            try await fixture.run("INSERT INTO people VALUES ('\(id)', 'a@example.org')")
            #expect(try await engine.findReturned().certain == [id])
            #expect(try await engine.statuses(ofSubject: id).count == 1)
            #expect(try await engine.statuses(ofSubject: id.lowercased()).count == 1)
        }
    }

    @Test(
        "BX-7 SY-2 a subject is found again and has one name, however the column and the request spell the key",
        arguments: [
            (SQLDialect.postgresql, "character(5)", "ab", ["ab", "ab ", "ab   "]),
            (.postgresql, "numeric(12, 2)", "7", ["7", "7.00", "+07.0"]), (.postgresql, "numeric", "7.5", ["7.50", "07.5"]),
            (.postgresql, "double precision", "7", ["7", "7.0"]), (.sqlite, "real", "7", ["7", "7.0"]),
            (.sqlite, "decimal(20, 0)", "7", ["7", "7.0", "007"]),
        ])
    func spellings(_ dialect: SQLDialect, _ type: String, _ name: String, _ spellings: [String]) async throws {
        let insert = "INSERT INTO people VALUES ('\(spellings[0])', 'a@example.org')"
        let script = "CREATE TABLE people (id \(type) PRIMARY KEY, email text); \(insert); INSERT INTO people VALUES ('9', 'z');"
        try await EngineFixture.with(dialect, script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            for spelling in spellings {
                #expect(try await engine.preview(spelling).erased == 1, "\(spelling)")
                #expect(try await engine.erase([spelling]).map(\.word) == ["done"], "\(spelling)")
                try await fixture.run(insert)
                // The database records the erasure: another person may have the key.
                let found = try await engine.findReturned()
                #expect(found.certain.isEmpty && found.doubtful == [name], "\(spelling): \(found)")
            }
            #expect(try await engine.statuses(ofSubject: spellings[0]).count == spellings.count)
            #expect(try await engine.erase(spellings).map(\.word) == ["done"], "one subject, however often it is named")
        }
    }

    @Test("two keys that Unicode treats as equal are two subjects, also in one group", arguments: SQLDialect.allCases)
    func composed(_ dialect: SQLDialect) async throws {
        let keys = ["caf\u{E9}", "cafe\u{301}"]
        let insert = "INSERT INTO people VALUES ('\(keys[0])', 'a@example.org'), ('\(keys[1])', 'b@example.org');"
        let script = "CREATE TABLE people (id text PRIMARY KEY, email text); INSERT INTO people VALUES ('z', 'z@example.org');"
        try await EngineFixture.with(dialect, script + insert) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            #expect(try await engine.erase(keys).map(\.word) == ["done", "done"])
            #expect(try await fixture.rows("SELECT id FROM people") == ["z"])
            try await fixture.run(insert)
            let doubtful = try await engine.findReturned().doubtful
            #expect(Set(doubtful.map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
            try await forget(fixture)
            let certain = try await engine.findReturned().certain
            #expect(Set(certain.map { Array($0.utf8) }) == Set(keys.map { Array($0.utf8) }))
        }
    }

    @Test(
        "BX-7 subjects whose keys PostgreSQL writes with zeros are erased, counted and found again in one group",
        arguments: [Rule.erase, .anonymise])
    func scaled(_ rule: Rule) async throws {
        let script = """
            CREATE TABLE people (id numeric(12, 2) PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author numeric(14, 4) REFERENCES people (id));
            CREATE INDEX by_author ON posts (author);
            INSERT INTO people VALUES (90, 'z@example.org');
            """
        let insert = "INSERT INTO people VALUES (70, 'a@example.org'), (8.5, 'b@example.org');"
        let posts = "INSERT INTO posts VALUES (1, 70), (2, 8.5), (3, 90);"
        try await EngineFixture.with(.postgresql, script + insert + posts) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                plan.set("posts", rule, rule == .anonymise ? ["author": .null] : [:])
            }
            let engine = try await fixture.engine(plan)
            let outcomes = try await engine.erase(["70", "8.50"])
            #expect(outcomes.map(\.word) == ["done", "done"], "\(outcomes)")
            for receipt in outcomes.compactMap(\.receipt) {
                #expect(receipt.steps.flatMap(\.places).map { $0.erased + $0.anonymised } == [1, 1], "\(receipt)")
            }
            #expect(try await fixture.rows("SELECT id FROM people") == ["90.00"])
            #expect(try await fixture.rows("SELECT id FROM posts WHERE author IS NOT NULL") == ["3"])
            try await fixture.run(insert)
            try await forget(fixture)
            #expect(Set(try await engine.findReturned().certain) == ["70", "8.5"])
        }
    }
}
