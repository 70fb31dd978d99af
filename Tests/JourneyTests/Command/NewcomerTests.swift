// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Obstacles for a newcomer")
struct NewcomerTests {
    private static let tables = [
        "CREATE TABLE users (id integer PRIMARY KEY, email text)",
        "CREATE TABLE notes (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES users (id), at integer)",
        "CREATE TABLE memos (id integer PRIMARY KEY, note integer NOT NULL REFERENCES notes (id), "
            + "by_user integer NOT NULL REFERENCES users (id))",
        "CREATE TABLE words (id integer PRIMARY KEY, said text)",
        "CREATE TRIGGER refuse BEFORE DELETE ON notes BEGIN SELECT raise(ABORT, 'not now'); END",
        "INSERT INTO users VALUES (7, 'seven@example.org'), (8, 'eight@example.org')",
        "INSERT INTO notes VALUES (1, 7, 0), (2, 8, 0)",
        "INSERT INTO words VALUES (1, 'write to seven@example.org')",
    ]

    private static func run(_ statements: [String], in address: String) async throws {
        let database = try openDatabase(address, sqlite: SQLiteConfiguration(access: .createIfMissing))
        for statement in statements {
            try await database.withConnection { _ = try await $0.run(SQLStatement(statement)) }
        }
        await database.close()
    }

    @Test("DX-1 decide names remaining answers, receipt page its file, status the full cause, and --release searches as requested")
    func obstacles() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let own = "sqlite:" + place.folder.appendingPathComponent("own.sqlite").path
            func farewell(_ arguments: String...) async throws -> CommandEnd {
                try await place.end(of: place.configuration(arguments, ["FAREWELL_DATABASE_URL": own]))
            }
            try await Self.run(Self.tables, in: own)
            let made = try await farewell("init", "--subject", "users.id")
            #expect(made.status == 0, "\(made)")
            _ = try await farewell("decide", "--table", "memos", "--answer", "owner")
            let settled = try await farewell("decide", "--table", "memos", "--answer", "not personal")
            #expect(settled.output.contains("memos") && settled.output.contains("add --again"), "\(settled)")
            let same = try await farewell("decide", "--table", "memos", "--answer", "owner")
            #expect(!same.output.contains("--again"), "\(same)")
            let none = try await farewell("decide", "--table", "nothing", "--answer", "owner")
            #expect(none.output.contains("No question matches"), "\(none)")

            let parked = try await farewell("erase", "--subject", "7", "--yes", "--deep")
            #expect(parked.status == 1, "\(parked)")
            let status = try await farewell("status")
            let lines = status.output.split(separator: "\n")
            let cause = try #require(lines.dropFirst(2).first)
            #expect(cause.hasPrefix("      ") && cause.count > 50, "\(status)")
            let erasure = try #require(lines.dropFirst().first?.split(separator: " ").first)
            try await Self.run(["DROP TRIGGER refuse"], in: own)
            #expect(try await farewell("check", "--accept").status == 0)
            let released = try await farewell("erase", "--release", String(erasure))
            #expect(released.output.contains("were searched for in other columns"), "\(released)")
            #expect(released.output.contains("words"), "what is left is named: \(released)")

            let page = try await farewell("receipt", "page", "--output", "page.html")
            #expect(page.status == 0 && page.output == "Wrote page.html.\n", "\(page)")
            let piped = try await farewell("receipt", "page", "--output", "/dev/stdout")
            #expect(piped.output.hasPrefix("<!") && !piped.output.contains("Wrote "), "\(piped.output.prefix(80))")
        }
    }
}
