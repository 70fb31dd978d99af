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
    ///   - parent: The comment that the first user's comment `n` answers.
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

    // MARK: Rows that must keep their key

    /// Comments below 1,250 answer the next one, and those above it the one before; 1,250 answers itself.
    private static let towardsTheMiddle = "CASE WHEN n < 1250 THEN n + 1 WHEN n > 1250 THEN n - 1 ELSE n END"

    /// Rows are their author's alone. A row that refers to a comment of another user would lose that, or name another comment.
    ///
    /// - Parameter ghost: The key of the comment that stands for deleted ones.
    private static func byAuthor(_ fixture: EngineFixture, ghost: String) async throws -> Plan {
        try await fixture.plan { plan in
            func link(_ column: String, _ table: String, _ action: DeleteAction, _ role: Link.Role) -> Link {
                Link(columns: [column], target: plan.name(table), targetColumns: ["id"], onDelete: action, role: role)
            }
            plan.questions = []
            plan.set("comments", .erase)
            plan.set("topics", .erase)
            var parent = link("parent", "comments", .restrict, .reference)
            parent.replacement = ghost
            plan.link("comments", link("author", "people", .noAction, .owner), parent)
            plan.link("topics", link("author", "people", .noAction, .owner), link("first_comment", "comments", .noAction, .reference))
            guard plan.tables.contains(where: { $0.table.name == "topics" }) else { return }
            let topic = link("topic", "topics", .noAction, .owner)
            plan.at("comments") { $0.links.append(topic) }
        }
    }

    @Test(
        "SY-4 BX-8 comments that must keep the key of the comment they answer are erased, whatever their order",
        arguments: SQLDialect.allCases, [1, 20_000])
    func kept(_ dialect: SQLDialect, _ largeAccount: Int) async throws {
        let column = "integer NOT NULL REFERENCES comments (id) ON DELETE RESTRICT"
        let others = "INSERT INTO comments VALUES (9001, 2, 9001), (9002, 2, 9001);"
        try await EngineFixture.with(dialect, Self.comments(Self.towardsTheMiddle, column) + others) { fixture in
            let engine = try await fixture.engine(try await Self.byAuthor(fixture, ghost: "9001"))
            let rehearsal = try await engine.rehearse(["1"]).first
            #expect(rehearsal?.refusals == [] && rehearsal?.left == [:], "\(String(describing: rehearsal))")
            let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
            let outcome = try await engine.erase(["1"], options: options).first
            #expect(outcome?.receipt?.erased == ["people": 1, "comments": 2_500], "\(String(describing: outcome))")
            #expect(try await fixture.rows("SELECT id, parent FROM comments ORDER BY id") == ["9001 9001", "9002 9001"])
        }
    }

    @Test(
        "SY-4 such comments are erased together with the topics whose first comment they are", arguments: SQLDialect.allCases)
    func together(_ dialect: SQLDialect) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE topics (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
            CREATE TABLE comments (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id),
                topic integer NOT NULL REFERENCES topics (id),
                parent integer NOT NULL REFERENCES comments (id) ON DELETE RESTRICT);
            ALTER TABLE topics ADD COLUMN first_comment integer REFERENCES comments (id);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO topics VALUES (1, 1, NULL), (2, 2, NULL);
            INSERT INTO comments VALUES (1, 1, 1, 2), (2, 1, 1, 3), (3, 1, 1, 3), (4, 1, 1, 2), (5, 1, 1, 4), (6, 2, 2, 6);
            UPDATE topics SET first_comment = CASE id WHEN 1 THEN 3 ELSE 6 END;
            """
        for largeAccount in [1, 20_000] {
            try await EngineFixture.with(dialect, tables) { fixture in
                let engine = try await fixture.engine(try await Self.byAuthor(fixture, ghost: "6"))
                let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
                let outcome = try await engine.erase(["1"], options: options).first
                #expect(
                    outcome?.receipt?.erased == ["people": 1, "comments": 5, "topics": 1], "\(String(describing: outcome))")
                #expect(try await fixture.rows("SELECT id, topic, parent FROM comments") == ["6 2 6"])
            }
        }
    }

    @Test("PL-4 check names a chain of rows that is too long for a cascade of SQLite, and no shorter one")
    func deep() async throws {
        let tables = Self.comments("CASE WHEN n % 1000 <> 1 THEN n - 1 END", Self.key("CASCADE"))
        try await EngineFixture.with(.sqlite, tables) { fixture in
            let plan = try await fixture.plan()
            func found() async throws -> [Finding] {
                try await fixture.findings(of: plan).filter { $0.code == "key.deep-cascade" }
            }
            #expect(try await found().isEmpty, "1,000 rows")
            // A chain may begin with a row that names itself, or with two rows that name each other.
            for (first, last, isDeep) in [("1", "NULL", false), ("2", "NULL", false), ("1", "1000", true), ("2", "1000", true)] {
                try await fixture.run(
                    "UPDATE comments SET parent = \(first) WHERE id = 1; UPDATE comments SET parent = \(last) WHERE id = 1001")
                #expect(try await found().isEmpty != isDeep, "\(first) \(last)")
            }
            try await fixture.run("UPDATE comments SET parent = NULL WHERE id = 1")
            let findings = try await found()
            #expect(findings.map(\.column) == ["parent"] && findings.first?.severity == .warning, "\(findings)")
            let outcome = try await fixture.engine(plan).erase(["1"]).first
            #expect(outcome?.receipt == nil && outcome?.cause?.contains("trigger recursion") == true, "\(String(describing: outcome))")
        }
    }
}
