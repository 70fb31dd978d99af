// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import Synchronization
import TestFixtures
import Testing

@Suite("Erasure in pieces, and steps that happen once despite an interruption")
struct PieceTests {
    private static let people = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        """
    private static let options = ErasureOptions(largeAccount: 1, residue: .leave)

    private static func series(_ dialect: SQLDialect, _ count: Int) -> String {
        dialect == .postgresql
            ? "generate_series(1, \(count)) AS s (n)"
            : "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < \(count)) SELECT n FROM s) AS s"
    }

    /// Erases the first subject, cancelled after so many chunks and then resumed; returns their number before that.
    private func erase(
        by engine: ErasureEngine, cancelledAfter point: Int? = nil
    ) async throws -> (last: [ErasureOutcome], words: [String], pieces: Int) {
        let seen = Mutex(0)
        let first = try await Task {
            try await engine.erase(["1"], options: Self.options) { progress in
                guard case .advanced(step: "rows", _, _) = progress.event else { return }
                let pieces = seen.withLock { pieces in
                    pieces += 1
                    return pieces
                }
                if pieces == point { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }.value
        let words = first.map(\.word)
        let last = words == ["interrupted"] ? try await engine.resume(options: Self.options) : first
        return (last, words, seen.withLock { $0 })
    }

    @Test(
        "hashed rows are erased in pieces by a key of several columns, each hashed once, wherever it is interrupted",
        arguments: SQLDialect.allCases, [nil, 1, 2] as [Int?])
    func hashed(_ dialect: SQLDialect, _ point: Int?) async throws {
        let tables =
            Self.people + """
                CREATE TABLE notes (place text NOT NULL, number integer NOT NULL, person integer REFERENCES people (id), body text,
                    PRIMARY KEY (place, number));
                CREATE INDEX by_person ON notes (person);
                INSERT INTO notes SELECT CASE WHEN n % 3 = 0 THEN 'b' ELSE 'a' END, n, 1 + n % 2, 'text'
                    FROM \(Self.series(dialect, 18_000));
                """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { $0.set("notes", .anonymise, ["person": .null, "body": .keyedHash]) }
            let (last, words, pieces) = try await erase(by: try await fixture.engine(plan), cancelledAfter: point)
            #expect(words == [point == nil ? "done" : "interrupted"])
            #expect(pieces >= (point ?? 3), "no piece has more than twice as many rows as the one before, from 2,000 on")
            let receipt = try #require(last.first?.receipt, "\(last)")
            #expect(receipt.anonymised == ["notes": 9_000])
            #expect(try await fixture.rows("SELECT count(*), count(DISTINCT body) FROM notes WHERE person IS NULL") == ["9000 1"])
            #expect(try await fixture.rows("SELECT DISTINCT person, body FROM notes WHERE person IS NOT NULL") == ["2 text"])
        }
    }

    @Test("an erasure in pieces removes links from rows that belong to other users", arguments: SQLDialect.allCases)
    func unlinked(_ dialect: SQLDialect) async throws {
        let tables =
            Self.people + """
                CREATE TABLE messages (id integer PRIMARY KEY, sender integer REFERENCES people (id),
                    recipient integer REFERENCES people (id));
                CREATE INDEX by_sender ON messages (sender);
                CREATE INDEX by_recipient ON messages (recipient);
                INSERT INTO messages SELECT n, 1 + n % 2, 2 FROM \(Self.series(dialect, 10_000));
                INSERT INTO messages VALUES (20000, 1, NULL), (20001, 1, 1);
                """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { $0.share("messages", "sender", .unlink) }
            let (last, words, pieces) = try await erase(by: try await fixture.engine(plan), cancelledAfter: 1)
            #expect(words == ["interrupted"] && pieces == 1, "5,000 rows are more than one piece")
            #expect(last.first?.receipt?.erased == ["messages": 2, "people": 1], "\(last)")
            #expect(last.first?.receipt?.anonymised == ["messages": 5_000], "also those of before the interruption")
            #expect(try await fixture.rows("SELECT sender, recipient, count(*) FROM messages GROUP BY 1, 2") == ["- 2 5000", "2 2 5000"])
        }
    }

    @Test("rows that name their parents in JSON are erased in pieces", arguments: SQLDialect.allCases)
    func inJSON(_ dialect: SQLDialect) async throws {
        let json = dialect == .postgresql ? "::jsonb" : ""
        let tables =
            Self.people + """
                CREATE TABLE chats (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
                CREATE TABLE lines (id integer PRIMARY KEY, doc {json});
                CREATE INDEX by_owner ON chats (owner);
                INSERT INTO chats VALUES (5, 1), (6, 2);
                INSERT INTO lines SELECT n, ('{"in": ' || (5 + n % 2) || '}')\(json) FROM \(Self.series(dialect, 10_000));
                """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("lines", .erase)
                plan.link(
                    "lines",
                    Link(columns: ["doc"], path: ["in"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase))
            }
            let (last, _, pieces) = try await erase(by: try await fixture.engine(plan))
            #expect(pieces >= 3, "two of lines at least, and one of chats")
            #expect(last.first?.receipt?.erased == ["chats": 1, "lines": 5_000, "people": 1], "\(last)")
            #expect(try await fixture.rows("SELECT DISTINCT doc FROM lines") == ["{\"in\": 6}"])
            #expect(try await fixture.count("lines") == 5_000)
        }
    }

    @Test("an indivisible step is recorded together with its effect, whichever commit gets no answer", arguments: SQLDialect.allCases)
    func whole(_ dialect: SQLDialect) async throws {
        let rows = (1...12).map { "(\($0), 'p\($0)')" }.joined(separator: ", ")
        let tables = "CREATE TABLE people (id integer PRIMARY KEY, email text); INSERT INTO people VALUES \(rows);"
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("people", .anonymise, ["email": .expression(.call(.concat, [.text("x"), .column("email")]))])
            }
            let engine = try await fixture.engine(plan)
            let later = try await fixture.engine(plan, owner: "here:2:b", dead: ["here:1:a"])
            var cuts = 0
            for point in 1...12 {
                let database = CutDatabase(fixture.database, after: point, .happened)
                _ = try? await engine.on(database).erase(["\(point)"], options: Self.options)
                _ = try await later.resume(takingOver: true, options: Self.options)
                #expect(try await fixture.rows("SELECT email FROM people WHERE id = \(point)") == ["xp\(point)"], "\(point)")
                guard database.wasCut else { break }
                cuts += 1
            }
            #expect(cuts >= 4, "acceptance, the effect, its record, the end: \(cuts)")
        }
    }
}
