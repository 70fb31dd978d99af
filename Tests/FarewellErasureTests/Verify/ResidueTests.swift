// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("SQLite keeps no bytes of erased subjects")
struct ResidueTests {
    private static let mark = "residuecanary"

    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id), body text);
        CREATE INDEX by_author ON posts (author);
        CREATE INDEX by_body ON posts (body);
        CREATE VIRTUAL TABLE words USING fts5 (body, content='posts', content_rowid='id');
        INSERT INTO people VALUES (1, '\(mark)mail@example.org'), (2, 'neighbour@example.org');
        """

    private func fill(_ fixture: EngineFixture) async throws {
        let long = String(repeating: "\(Self.mark)long ", count: 3_000)
        try await fixture.database.withConnection { connection in
            _ = try await connection.run(
                "CREATE TRIGGER words_gone AFTER DELETE ON posts BEGIN "
                    + "INSERT INTO words (words, rowid, body) VALUES ('delete', OLD.id, OLD.body); END"
            )
            for (number, body) in [long, "\(Self.mark)short", "a \(Self.mark)word here"].enumerated() {
                let id = SQLValue.integer(Int64(number + 1))
                _ = try await connection.run("INSERT INTO posts VALUES ($1, 1, $2)", id, .text(body))
                _ = try await connection.run("INSERT INTO words (rowid, body) VALUES ($1, $2)", id, .text(body))
            }
            _ = try await connection.run("INSERT INTO posts VALUES (9, 2, 'neighbourly words')")
            _ = try await connection.run("INSERT INTO words (rowid, body) VALUES (9, 'neighbourly words')")
            // Inserted and deleted before any checkpoint: only the write-ahead log has seen it.
            _ = try await connection.run("INSERT INTO people VALUES (7, '\(Self.mark)fleeting')")
            _ = try await connection.run("DELETE FROM people WHERE id = 7")
        }
    }

    private func bytes(_ fixture: EngineFixture) throws -> Int {
        guard let database = fixture.database as? SQLiteDatabase else { return -1 }
        return database.files.reduce(0) { count, path in
            guard let data = FileManager.default.contents(atPath: path) else { return count }
            return count + data.ranges(of: Data(Self.mark.utf8)).count
        }
    }

    @Test(
        "BX-5 inline, overflow, index and full-text bytes are gone from the database, its log and the log's index", arguments: [1, 20_000])
    func gone(_ large: Int) async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            try await fill(fixture)
            #expect(try bytes(fixture) > 0)
            let plan = try await fixture.plan(identifiers: [("people", "email"), ("posts", "body")]) { plan in
                for table in plan.tables where table.table.name.hasPrefix("words") { plan.set(table.table.name, .notPersonal) }
            }
            let outcome = try #require(try await fixture.engine(plan).erase(["1"], options: ErasureOptions(largeAccount: large)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(try bytes(fixture) == 0)
            #expect(receipt.verification.residue.state == .scrubbedAndScanned)
            #expect(receipt.verification.residue.occurrences == 0)
            #expect(receipt.verification.residue.bytes > 0 && receipt.verification.residue.files >= 1)
            #expect(try await fixture.rows("SELECT rowid FROM words WHERE words MATCH 'neighbourly'") == ["9"])
            #expect(try await fixture.rows("SELECT rowid FROM words WHERE words MATCH '\(Self.mark)word'").isEmpty)
        }
    }

    /// With the copies of another program taken as not personal.
    private static func planBesideCopies(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan(identifiers: [("people", "email")]) { plan in
            for table in plan.tables where table.table.name.hasPrefix("words") || table.table.name == "copies" {
                plan.set(table.table.name, .notPersonal)
            }
        }
    }

    @Test("a copy that another program wrote into the file is counted in the receipt")
    func counted() async throws {
        try await EngineFixture.with(.sqlite, Self.tables + "CREATE TABLE copies (n integer, text text);") { fixture in
            try await fixture.run("INSERT INTO copies VALUES (1, 'see \(Self.mark)mail@example.org')")
            let plan = try await Self.planBesideCopies(fixture)
            let receipt = try #require(try await fixture.engine(plan).erase(["1"]).first?.receipt)
            #expect(receipt.verification.residue.occurrences >= 1)
            #expect(!receipt.isComplete)
        }
    }

    @Test("the read-back finds a copy in capitals as written")
    func capitals() async throws {
        try await EngineFixture.with(.sqlite, Self.tables + "CREATE TABLE copies (n integer, text blob);") { fixture in
            try await fixture.run("INSERT INTO people VALUES (77, 'Ada.\(Self.mark.uppercased())@Example.org')")
            try await fixture.run("INSERT INTO copies SELECT 1, CAST(email AS blob) FROM people WHERE id = 77")
            let plan = try await Self.planBesideCopies(fixture)
            let receipt = try #require(try await fixture.engine(plan).erase(["77"]).first?.receipt)
            #expect(receipt.verification.residue.occurrences >= 1)
            #expect(!receipt.isComplete)
        }
    }

    @Test("a long reader delays the end of the run until it has read")
    func longReader() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            try await fill(fixture)
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                for table in plan.tables where table.table.name.hasPrefix("words") { plan.set(table.table.name, .notPersonal) }
            }
            let quick = try SQLiteDatabase(path: fixture.address, configuration: SQLiteConfiguration(busyTimeout: .milliseconds(50)))
            let engine = try await fixture.engine(plan, on: quick)
            try await fixture.database.withConnection { reader in
                _ = try await reader.run("BEGIN")
                _ = try await reader.run("SELECT count(*) FROM posts")
                let outcome = try #require(try await engine.erase(["1"]).first)
                #expect(outcome.word == "unfinished" && outcome.error?.family == .tryAgain, "\(outcome)")
                _ = try await reader.run("COMMIT")
            }
            #expect(try await engine.resume().map(\.word) == ["done"])
            #expect(try bytes(fixture) == 0)
            await quick.close()
        }
    }
}
