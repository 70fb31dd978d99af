// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Synchronization
import TestFixtures
import Testing

@Suite("Rows of a user that refer to each other by a key of their own table")
struct SelfKeyTests {
    /// The first user has 2,500 comments; the other user answers one of them.
    ///
    /// - Parameters:
    ///   - parent: What the first user's comment `n` answers.
    ///   - column: The column that names it, with its key.
    private static func comments(_ parent: String, _ column: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE comments (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id),
            parent \(column));
        CREATE INDEX comments_author ON comments (author);
        CREATE INDEX comments_parent ON comments (parent);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO comments WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 2500)
            SELECT n, 1, \(parent) FROM s;
        """
    }

    private static let others = "INSERT INTO comments VALUES (9001, 2, 5), (9002, 2, 9001);"
    private static let answering = "CASE WHEN n > 1 THEN n - 1 END"

    private static func key(_ action: String) -> String { "integer REFERENCES comments (id) ON DELETE \(action)" }

    /// Erases the first user as a large account, and says how many comments were gone after each piece.
    private static func erase(_ fixture: EngineFixture) async throws -> (outcome: ErasureOutcome?, done: [Int]) {
        let seen = Mutex([Int]())
        let options = ErasureOptions(largeAccount: 1, residue: .leave)
        let outcome = try await fixture.engine().erase(["1"], options: options) { progress in
            guard case .advanced(step: "rows", let done, _) = progress.event else { return }
            seen.withLock { $0.append(done) }
        }.first
        return (outcome, seen.withLock { $0 })
    }

    @Test(
        "SY-4 BX-8 a large account whose comments answer each other is erased in pieces, and answers of others stay",
        arguments: SQLDialect.allCases, ["NO ACTION", "RESTRICT"])
    func pieces(_ dialect: SQLDialect, _ action: String) async throws {
        let tables = Self.comments(Self.answering, Self.key(action)) + Self.others
        try await EngineFixture.with(dialect, tables) { fixture in
            let (outcome, done) = try await Self.erase(fixture)
            #expect(outcome?.receipt?.erased == ["people": 1, "comments": 2_500], "\(String(describing: outcome))")
            #expect(done.contains { $0 > 0 && $0 < 2_500 }, "\(done)")
            #expect(try await fixture.rows("SELECT id, author, parent FROM comments ORDER BY id") == ["9001 2 -", "9002 2 9001"])
        }
    }

    @Test(
        "SY-4 BX-8 a key of a table to itself that no row uses costs a large account no pieces",
        arguments: SQLDialect.allCases, ["NO ACTION", "RESTRICT"])
    func unused(_ dialect: SQLDialect, _ action: String) async throws {
        try await EngineFixture.with(dialect, Self.comments("NULL", Self.key(action))) { fixture in
            let (outcome, done) = try await Self.erase(fixture)
            #expect(outcome?.receipt?.erased == ["people": 1, "comments": 2_500], "\(String(describing: outcome))")
            #expect(done.contains { $0 > 0 && $0 < 2_500 }, "\(done)")
        }
    }

    @Test(
        "SY-4 comments of a large account that cannot lose what they answer are erased in one statement", arguments: SQLDialect.allCases)
    func needed(_ dialect: SQLDialect) async throws {
        let index = "CREATE UNIQUE INDEX comments_one_root ON comments (coalesce(parent, 0));"
        try await EngineFixture.with(dialect, Self.comments(Self.answering, Self.key("NO ACTION")) + index) { fixture in
            let (outcome, done) = try await Self.erase(fixture)
            #expect(outcome?.receipt?.erased == ["people": 1, "comments": 2_500], "\(String(describing: outcome))")
            #expect(!done.contains { $0 > 0 && $0 < 2_500 }, "\(done)")
            #expect(try await fixture.rows("SELECT id FROM comments") == [])
        }
    }

    @Test(
        "SY-4 a small account whose comments answer each other is erased with a restricting key too",
        arguments: SQLDialect.allCases, ["NO ACTION", "RESTRICT"])
    func small(_ dialect: SQLDialect, _ action: String) async throws {
        let tables = Self.comments(Self.answering, Self.key(action)) + Self.others
        try await EngineFixture.with(dialect, tables) { fixture in
            let engine = try await fixture.engine()
            let rehearsal = try await engine.rehearse(["1"]).first
            #expect(rehearsal?.refusals == [] && rehearsal?.left == [:], "\(String(describing: rehearsal))")
            let outcome = try await engine.erase(["1"], options: ErasureOptions(residue: .leave)).first
            #expect(outcome?.receipt?.erased == ["people": 1, "comments": 2_500], "\(String(describing: outcome))")
            #expect(try await fixture.rows("SELECT id, author, parent FROM comments ORDER BY id") == ["9001 2 -", "9002 2 9001"])
        }
    }

    @Test(
        "SY-4 PL-3 rows that two links find, and that refer to each other, are erased without an index too", arguments: SQLDialect.allCases)
    func links(_ dialect: SQLDialect) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE sessions (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
            CREATE TABLE jobs (id integer PRIMARY KEY, owner integer REFERENCES people (id),
                session integer REFERENCES sessions (id), parent integer REFERENCES jobs (id));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO sessions VALUES (1, 1), (2, 2);
            INSERT INTO jobs VALUES (11, 1, NULL, NULL), (12, NULL, 1, 11), (13, 1, NULL, 12), (14, 2, NULL, 12), (15, NULL, 2, 14);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { plan in
                plan.at("jobs") { jobs in
                    for place in jobs.links.indices where jobs.links[place].columns == ["session"] {
                        jobs.links[place].role = .owner
                    }
                }
            }
            let engine = try await fixture.engine(plan)
            for options in [ErasureOptions(residue: .leave), ErasureOptions(largeAccount: 1, residue: .leave)] {
                let subject = options.largeAccount == 1 ? "2" : "1"
                let outcome = try await engine.erase([subject], options: options).first
                let jobs = subject == "1" ? 3 : 2
                #expect(
                    outcome?.receipt?.erased == ["people": 1, "sessions": 1, "jobs": jobs], "\(String(describing: outcome))")
                let left = subject == "1" ? ["14 2 - -", "15 - 2 14"] : []
                #expect(try await fixture.rows("SELECT id, owner, session, parent FROM jobs ORDER BY id") == left)
            }
        }
    }
}
