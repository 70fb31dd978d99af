// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The read-back of erased places")
struct ReadBackTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer);
        CREATE TABLE lives (n integer);
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
        """

    /// A trigger puts a post back as often as there are rows in `lives`.
    private static func trigger(_ dialect: SQLDialect) -> [String] {
        guard dialect == .postgresql else {
            return [
                """
                CREATE TRIGGER back AFTER DELETE ON posts WHEN EXISTS (SELECT 1 FROM lives) AND OLD.id = 11 BEGIN
                DELETE FROM lives WHERE n = (SELECT max(n) FROM lives);
                INSERT INTO posts VALUES (OLD.id, OLD.author); END
                """
            ]
        }
        return [
            """
            CREATE FUNCTION back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF OLD.id = 11 AND EXISTS (SELECT 1 FROM lives) THEN DELETE FROM lives WHERE n = (SELECT max(n) FROM lives);
            INSERT INTO posts VALUES (OLD.id, OLD.author); END IF; RETURN NULL; END $$
            """, "CREATE TRIGGER back AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION back()",
        ]
    }

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            plan.set("posts", .erase)
            plan.link(
                "posts", Link(columns: ["author"], target: plan.name("people"), targetColumns: ["id"], shared: .erase))
            plan.set("lives", .notPersonal)
            plan.effects = [
                TriggerEffect(on: plan.name("posts"), also: plan.name("posts"), inserts: .perRow(1)),
                TriggerEffect(on: plan.name("posts"), also: plan.name("lives"), deletes: .perRow(1)),
            ]
        }
    }

    private func with(_ dialect: SQLDialect, lives: Int, _ use: (EngineFixture, ErasureEngine) async throws -> Void)
        async throws
    {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.trigger(dialect) { _ = try await connection.run(SQLStatement(statement)) }
                for life in 0..<lives {
                    _ = try await connection.run("INSERT INTO lives VALUES ($1)", .integer(Int64(life)))
                }
            }
            try await use(fixture, try await fixture.engine(try await plan(fixture)))
        }
    }

    @Test(
        "BX-5 rows that a trigger restores are swept, and the receipt says so", arguments: SQLDialect.allCases,
        [1, 2, 3])
    func swept(_ dialect: SQLDialect, lives: Int) async throws {
        try await with(dialect, lives: lives) { fixture, engine in
            let outcome = try #require(try await engine.erase(["1"]).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.erased == ["people": 1, "posts": 2 + lives])
            #expect(receipt.steps.map(\.name).filter { $0.hasPrefix("sweep") }.count == lives)
            #expect(try await fixture.rows("SELECT * FROM posts") == ["20 2"])
        }
    }

    @Test(
        "BX-5 a rule derives a value from the old one only once, whatever is swept and whatever keeps rows",
        arguments: SQLDialect.allCases, [0, 1])
    func madeOnce(_ dialect: SQLDialect, lives: Int) async throws {
        try await with(dialect, lives: lives) { fixture, _ in
            var plan = try await plan(fixture)
            let length = ColumnExpression.call(.length, [.column("email")])
            plan.set("people", .anonymise, ["email": .expression(.call(.concat, [.text("of "), length]))])
            let outcome = try #require(
                try await fixture.engine(plan).erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
                    guard progress.event == .finished(step: "rows") else { return }
                    try? await fixture.run("INSERT INTO posts VALUES (12, 1)")
                }.first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(try await fixture.rows("SELECT * FROM people") == ["1 of 15", "2 two@example.org"])
            #expect(receipt.anonymised == ["people": 1] && receipt.erased == ["posts": 3 + lives], "\(receipt.steps)")
        }
    }

    @Test(
        "BX-5 rows that return repeatedly park the run with their place, and the run is never reported as done",
        arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await with(dialect, lives: 20) { fixture, engine in
            let outcomes = try await engine.erase(["1", "2"])
            let cause = try #require(outcomes.compactMap(\.cause).first, "\(outcomes)")
            #expect(cause.contains("posts (1)"), "\(cause)")
            #expect(outcomes.contains { $0.word == "done" }, "the other one of the group: \(outcomes)")
            let parked = try #require(try await engine.statuses(ofSubject: "1").first).erasure
            #expect(parked.state == .needsAttention && parked.receipt == nil && parked.sealed != nil)
            #expect(try await engine.resume().isEmpty, "what is parked waits for a person")
            #expect(try await engine.erase(["1"]).map(\.word) == ["parked"])
            // Released while the trigger is still there it parks again; once that is gone it finishes.
            #expect(try await engine.release(parked.id).map(\.word) == ["parked"])
            try await fixture.run("DELETE FROM lives")
            let last = try await engine.release(parked.id)
            #expect(last.map(\.word) == ["done"], "\(last)")
            #expect(try await fixture.count("posts") == 0)
        }
    }

    @Test("the release of a parked run whose rows were removed by hand completes the run", arguments: SQLDialect.allCases)
    func removedByHand(_ dialect: SQLDialect) async throws {
        try await with(dialect, lives: 20) { fixture, engine in
            let id = try #require(
                try await engine.erase(["1"]).compactMap { if case .parked(let id, _) = $0 { id } else { nil } }.first)
            try await fixture.run("DELETE FROM lives; DELETE FROM posts WHERE author = 1;")
            #expect(try await engine.release(id).map(\.word) == ["done"])
            #expect(await code { _ = try await engine.release(id) } == "run.not-parked")
        }
    }

    /// A trigger keeps one of two posts, or of what a table of another name holds.
    private static func keeping(_ dialect: SQLDialect, in table: String = "posts") -> [String] {
        guard dialect == .postgresql else {
            return ["CREATE TRIGGER keep BEFORE DELETE ON \(table) WHEN OLD.id = 10 BEGIN SELECT RAISE(IGNORE); END"]
        }
        return [
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
            "CREATE TRIGGER keep BEFORE DELETE ON \(table) FOR EACH ROW WHEN (OLD.id = 10) EXECUTE FUNCTION keep()",
        ]
    }

    @Test(
        "BX-5 the account stays as long as a trigger keeps a row of it, and kept rows do not count as erased",
        arguments: SQLDialect.allCases, ["in one transaction", "in pieces", "identity apart"])
    func kept(_ dialect: SQLDialect, _ way: String) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX by_author ON posts (author);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
            """
        let options = ErasureOptions(largeAccount: way == "in pieces" ? 1 : 20_000)
        try await EngineFixture.with(dialect, tables) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.keeping(dialect) { _ = try await connection.run(SQLStatement(statement)) }
            }
            var plan = try await fixture.plan()
            if way == "identity apart" { plan.order = [.rows, .files, .identity] }
            let parked = try await fixture.engine(plan).erase(["1"], options: options)
            let ids = parked.compactMap { if case .parked(let id, _) = $0 { id } else { nil } }
            let id = try #require(ids.first, "\(parked)")
            #expect(parked.first?.cause?.contains("posts (1)") == true, "\(parked)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "2"], "identity last")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["10", "20"])
            try await fixture.run("DROP TRIGGER keep\(dialect == .postgresql ? " ON posts" : "")")
            let released = try await fixture.engine(plan).release(id, options: options)
            let receipt = try #require(released.compactMap(\.receipt).first, "\(released)")
            #expect(receipt.erased == ["people": 1, "posts": 2], "\(receipt.steps)")
            #expect(receipt.steps.first?.places.map(\.erased) == [1], "of the two posts one: \(receipt.steps)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
            #expect(try await fixture.rows("SELECT * FROM posts") == ["20 2"])
        }
    }

    @Test(
        "an account that references a row it owns stays as long as a trigger keeps rows of that table, or of another",
        arguments: SQLDialect.allCases, ["posts", "notes"])
    func keptInACircle(_ dialect: SQLDialect, _ kept: String) async throws {
        let isLate = dialect == .postgresql
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, best integer \(isLate ? "" : "REFERENCES posts (id)"));
            CREATE TABLE posts (id integer PRIMARY KEY, author integer);
            CREATE TABLE notes (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE CASCADE);
            \(isLate ? "ALTER TABLE people ADD FOREIGN KEY (best) REFERENCES posts (id);" : "")
            CREATE INDEX by_best ON people (best); CREATE INDEX by_author ON posts (author);
            CREATE INDEX by_owner ON notes (owner);
            INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
            INSERT INTO people VALUES (1, 10), (2, 20);
            INSERT INTO notes VALUES (10, 1), (11, 1), (20, 2);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.keeping(dialect, in: kept) { _ = try await connection.run(SQLStatement(statement)) }
            }
            let plan = try await fixture.plan { plan in
                let (people, posts) = (plan.name("people"), plan.name("posts"))
                plan.set("posts", .erase)
                plan.link("posts", Link(columns: ["author"], target: people, targetColumns: ["id"], shared: .erase))
                plan.link(
                    "people",
                    Link(columns: ["best"], target: posts, targetColumns: ["id"], onDelete: .noAction, shared: .unlink))
            }
            let parked = try await fixture.engine(plan).erase(["1"])
            let cause = try #require(parked.first?.cause, "\(parked)")
            #expect(cause.contains("people (1)") && cause.contains("\(kept) (1)"), "\(cause)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "2"], "identity last")
            #expect(try await fixture.rows("SELECT id FROM \(kept)") == ["10", "20"])
            #expect(try await fixture.count("posts") == (kept == "posts" ? 2 : 3), "the circle waits for what is beside it")
            try await fixture.run("DROP TRIGGER keep\(isLate ? " ON \(kept)" : "")")
            let engine = try await fixture.engine(plan)
            let id = try #require(try await engine.statuses(ofSubject: "1").first).erasure.id
            let released = try await engine.release(id)
            #expect(released.first?.receipt?.erased == ["people": 1, "posts": 2, "notes": 2], "\(released)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
        }
    }

    @Test("a row that a trigger keeps from PostgreSQL's own cascade is found without its parent, and later without the trigger")
    func orphaned() async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE rooms (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE CASCADE);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE,
                room integer REFERENCES rooms (id) ON DELETE CASCADE);
            CREATE INDEX by_owner ON rooms (owner); CREATE INDEX by_author ON posts (author);
            CREATE INDEX by_room ON posts (room);
            INSERT INTO people VALUES (1), (2);
            INSERT INTO rooms VALUES (5, 1), (6, 2);
            INSERT INTO posts VALUES (10, 2, 5), (11, 1, 5), (20, 2, 6);
            """
        try await EngineFixture.with(.postgresql, tables) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.keeping(.postgresql) { _ = try await connection.run(SQLStatement(statement)) }
            }
            let plan = try await fixture.plan()
            let parked = try await fixture.engine(plan).erase(["1"])
            #expect(parked.first?.cause?.contains("posts (1)") == true, "\(parked)")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["10", "20"])
            try await fixture.run("DROP TRIGGER keep ON posts")
            let engine = try await fixture.engine(plan)
            let id = try #require(try await engine.statuses(ofSubject: "1").first).erasure.id
            #expect(try await engine.release(id).map(\.word) == ["done"], "the sweep erases it by the parent's former key")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            #expect(try await fixture.rows("SELECT id FROM rooms") == ["6"])
        }
    }

    @Test("rows linked through a deleted parent are found by the parent's key, and erased", arguments: SQLDialect.allCases)
    func throughParent(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE chats (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
            CREATE TABLE lines (id integer PRIMARY KEY, chat integer);
            CREATE INDEX by_owner ON chats (owner); CREATE INDEX by_chat ON lines (chat);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO chats VALUES (5, 1), (6, 2); INSERT INTO lines VALUES (1, 5), (2, 6);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("lines", .erase)
                plan.link(
                    "lines", Link(columns: ["chat"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase))
            }
            let engine = try await fixture.engine(plan)
            // Written after the rows are deleted and before they are read back, by a user who still had the chat open.
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
                    guard progress.event == .finished(step: "rows") else { return }
                    try? await fixture.run("INSERT INTO lines VALUES (3, 5), (4, 6)")
                }.first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM lines") == ["2", "4"])
        }
    }

    private static let threads = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE threads (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE notes (
            id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            thread integer NOT NULL REFERENCES threads (id) ON DELETE CASCADE);
        CREATE INDEX threads_owner ON threads (owner);
        CREATE INDEX notes_author ON notes (author);
        CREATE INDEX notes_thread ON notes (thread);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO threads VALUES (10, 1), (20, 2);
        INSERT INTO notes VALUES (100, 1, 10), (101, 2, 10), (102, 1, 20), (200, 2, 20);
        """

    @Test(
        "BX-5 the read-back does not count twice the rows that the database's own key excludes, and it covers every place",
        arguments: [
            SQLDialect.postgresql, .sqlite,
        ])
    func vouched(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.threads) { fixture in
            let engine = try await fixture.engine()
            let program = engine.prepared.programForOne
            #expect(program.neededCaptures.isEmpty && !program.captures.isEmpty)
            for place in ["people", "threads", "notes"] { #expect(program.readBack.text.contains("'\(fixture.name(place))'")) }
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.verification.readBack == .init(places: 3, rowsLeft: 0))
            #expect(receipt.erased == ["people": 1, "threads": 1, "notes": 3])
            #expect(try await fixture.rows("SELECT * FROM notes") == ["200 2 20"])
        }
    }

    @Test("BX-5 a key whose triggers are off proves nothing: the read-back finds the remaining rows, and the sweep erases them")
    func notVouched() async throws {
        try await EngineFixture.with(.postgresql, Self.threads) { fixture in
            for table in ["people", "threads", "notes"] { try await fixture.run("ALTER TABLE \(table) DISABLE TRIGGER ALL") }
            let engine = try await fixture.engine()
            #expect(!engine.prepared.programForOne.neededCaptures.isEmpty)
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["people": 1, "threads": 1, "notes": 3])
            #expect(try await fixture.rows("SELECT * FROM notes") == ["200 2 20"])
        }
    }
}
