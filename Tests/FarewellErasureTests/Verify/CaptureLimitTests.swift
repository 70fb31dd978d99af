// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The keys that are read before an erasure, on PostgreSQL")
struct CaptureLimitTests {
    /// Notes are reached by their owner, by their editor, by a room, or by several of these; marks lead to notes.
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE rooms (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
        CREATE TABLE notes (id integer PRIMARY KEY, owner integer REFERENCES people (id), editor integer REFERENCES people (id),
            place integer);
        CREATE TABLE marks (id integer PRIMARY KEY, note integer NOT NULL REFERENCES notes (id));
        CREATE INDEX rooms_owner ON rooms (owner);
        CREATE INDEX notes_owner ON notes (owner);
        CREATE INDEX notes_editor ON notes (editor);
        CREATE INDEX notes_room ON notes (place);
        CREATE INDEX marks_note ON marks (note);
        INSERT INTO people SELECT n, 'p' || n FROM generate_series(1, 8) AS s (n);
        INSERT INTO rooms SELECT n, 1 + n % 7 FROM generate_series(1, 20) AS s (n);
        INSERT INTO notes SELECT n, CASE WHEN n % 5 > 1 THEN 1 + n % 8 END, CASE WHEN n % 7 > 2 THEN 1 + n / 3 % 8 END,
            CASE WHEN n % 3 > 0 THEN 1 + n % 20 END FROM generate_series(1, 2000) AS s (n);
        INSERT INTO marks SELECT n, n FROM generate_series(1, 2000) AS s (n);
        """

    private static let keys = """
        SELECT id FROM notes WHERE owner = $1 OR editor = $1 OR place IN (SELECT id FROM rooms WHERE owner = $1) ORDER BY id
        """

    @Test("P1 the captured keys are the subject's, each once, and the server reads no more of a large account than the limit")
    func limited() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            try await fixture.run("ANALYZE")
            let plan = try await fixture.plan { plan in
                let room = Link(columns: ["place"], target: plan.name("rooms"), targetColumns: ["id"], shared: .erase)
                plan.at("notes") { $0.links.append(room) }
            }
            let program = try await fixture.engine(plan).prepared.programForOne
            let notes = try #require(program.captures.first { program.graph.nodes[$0.node].table.name == fixture.name("notes") })
            try await fixture.database.withConnection { connection in
                for person in 1...8 {
                    let subject = SQLValue.integer(Int64(person))
                    let expected = try await connection.run(SQLStatement(Self.keys, [subject])).rows.compactMap { $0[0].integer }
                    let all = notes.statement.bound(RowValues(subjects: [subject], limit: 5_000), dialect: .postgresql)
                    let found = try await connection.run(all).rows.compactMap { $0[1].integer }
                    #expect(found.sorted() == expected, "person \(person)")
                    var some = notes.statement.bound(RowValues(subjects: [subject], limit: 10), dialect: .postgresql)
                    let first = try await connection.run(some).rows.compactMap { $0[1].integer }
                    #expect(Set(first).count == 10 && Set(first).isSubset(of: expected), "person \(person)")
                    some.text = "EXPLAIN (ANALYZE, TIMING OFF) " + some.text
                    let text = try await connection.run(some).rows.compactMap { $0[0].text }.joined(separator: "\n")
                    // An index that the server makes a bitmap of reads no rows of the table.
                    let read = text.split(separator: "\n").filter { !$0.contains("Bitmap Index Scan") }
                        .compactMap { $0.firstMatch(of: /actual rows=(\d+)/).flatMap { Int($0.1) } }
                    #expect(!read.isEmpty && read.allSatisfy { $0 <= 10 }, "\(text)")
                }
            }
        }
    }

    @Test("BX-8 rows that several links of one subject reach are counted once, and the server does not compare all of them")
    func counted() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await fixture.plan { plan in
                let room = Link(columns: ["place"], target: plan.name("rooms"), targetColumns: ["id"], shared: .erase)
                plan.at("notes") { $0.links.append(room) }
            }
            let counts = try await fixture.engine(plan).prepared.programForOne.counts
            #expect(!counts.text.contains(" UNION SELECT"), "\(counts.text)")
            try await fixture.database.withConnection { connection in
                for person in 1...8 {
                    let subject = SQLValue.integer(Int64(person))
                    let expected = try await connection.run(SQLStatement(Self.keys, [subject])).rows.count
                    let rows = try await connection.run(counts.bound(RowValues(subjects: [subject]), dialect: .postgresql)).rows
                    for table in ["notes", "marks"] {
                        let found = rows.filter { $0[0].text == "\(fixture.name(table))" }.compactMap { $0[2].integer }
                        #expect(found.reduce(0, +) == Int64(expected), "person \(person), \(table)")
                    }
                }
            }
        }
    }
}
