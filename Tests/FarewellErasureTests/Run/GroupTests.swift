// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Many subjects at once are many erasures")
struct GroupTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id), body text);
        CREATE TABLE messages (id integer PRIMARY KEY, sender integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            recipient integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE INDEX ON_posts ON posts (author);
        CREATE INDEX ON_sender ON messages (sender);
        CREATE INDEX ON_recipient ON messages (recipient);
        """

    private static func people(_ numbers: ClosedRange<Int>) -> String {
        let people = numbers.map { "(\($0), 'person\($0)@example.org')" }.joined(separator: ", ")
        let posts = numbers.flatMap { person in (0..<(person % 4)).map { "(\(person * 10 + $0), \(person), 'text')" } }
        return "INSERT INTO people VALUES \(people); INSERT INTO posts VALUES \(posts.joined(separator: ", "));"
    }

    @Test("BX-6 on a server that does not count deletions, rows are counted beforehand, and the receipts are right")
    func uncounted() async throws {
        let cascades = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX by_author ON posts (author);
            INSERT INTO people SELECT n, n || '@example.org' FROM generate_series(1, 30) AS n;
            INSERT INTO posts SELECT n * 10 + m, n FROM generate_series(1, 30) AS n, generate_series(1, 3) AS m;
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET track_counts = off', current_database()); END $$;
            """
        try await EngineFixture.with(.postgresql, cascades) { fixture in
            let uncounting = try PostgreSQLDatabase(url: fixture.address)
            let engine = try await fixture.engine(try await fixture.plan(), owner: "here:2:b", on: uncounting)
            for people in [1...1, 2...21] {
                for options in [ErasureOptions(), ErasureOptions(deepScan: .complete)] {
                    let keys = people.map { "\($0 + (options.deepScan == .none ? 0 : 5))" }
                    let outcomes = try await engine.erase(keys, options: options)
                    let receipts = outcomes.compactMap(\.receipt)
                    for receipt in receipts { #expect(receipt.erased == ["people": 1, "posts": 3]) }
                    #expect(!receipts.isEmpty)
                }
            }
            #expect(try await fixture.rows("SELECT count(*) FROM posts WHERE author < 27") == ["0"])
            #expect(try await fixture.rows("SELECT count(*) FROM posts") == ["12"])
            await uncounting.close()
        }
    }

    @Test(
        "the default group size is 50, or 10 where rows name two users and groups run in parallel",
        arguments: [(true, 1, 40), (true, 2, 10), (false, 2, 40)])
    func usualSize(_ namesTwo: Bool, _ concurrency: Int, _ most: Int) async throws {
        let one = "DROP TABLE messages;"
        try await EngineFixture.with(.postgresql, Self.tables + Self.people(1...40) + (namesTwo ? "" : one)) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let keys = (1...40).map(String.init)
            let outcomes = try await engine.erase(keys, options: ErasureOptions(concurrency: concurrency))
            #expect(outcomes.compactMap(\.receipt).count == 40)
            // Rows of one transaction carry its number.
            let sizes = "SELECT max(n) FROM (SELECT count(*) AS n FROM farewell.erasures GROUP BY xmin) AS groups"
            #expect(try await fixture.rows(sizes) == ["\(most)"])
        }
    }

    @Test(
        "120 subjects in groups are each erased with their own counts, and one that cannot be erased is parked alone",
        arguments: SQLDialect.allCases)
    func poison(_ dialect: SQLDialect) async throws {
        let trigger =
            dialect == .sqlite
            ? "CREATE TRIGGER stop BEFORE DELETE ON posts WHEN OLD.body = 'stop' BEGIN SELECT RAISE(ABORT, 'not this one'); END"
            : """
            CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.body = 'stop' THEN
            RAISE EXCEPTION 'not this one'; END IF; RETURN OLD; END $$;
            CREATE TRIGGER stop BEFORE DELETE ON posts FOR EACH ROW EXECUTE FUNCTION stop()
            """
        try await EngineFixture.with(dialect, Self.tables + Self.people(1...130)) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in trigger.components(separatedBy: ";\n") {
                    _ = try await connection.run(SQLStatement(statement))
                }
                _ = try await connection.run("UPDATE posts SET body = 'stop' WHERE id = 70 * 10")
            }
            let engine = try await fixture.engine()
            let outcomes = try await engine.erase((1...120).map { "\($0)" })
            #expect(outcomes.count == 120)
            #expect(outcomes.filter { $0.word == "done" }.count == 119)
            let cause = try #require(outcomes.compactMap(\.cause).first)
            #expect(cause.contains("trigger"), "\(cause)")
            #expect(try await fixture.rows("SELECT id FROM people") == (["70"] + (121...130).map { "\($0)" }).sorted())
            #expect(try await fixture.rows("SELECT count(*) FROM posts WHERE author = 70") == ["2"])
            for person in [1, 2, 3, 4, 99, 120] {
                let id = try #require(try await engine.statuses(ofSubject: "\(person)").first).erasure.id
                let receipt = try await engine.openReceipt(of: id)
                #expect(receipt.erased["posts"] ?? 0 == person % 4, "person \(person)")
                #expect(receipt.erased["people"] == 1)
            }
            #expect(try await engine.verifyAudit() == 240)
        }
    }

    @Test(
        "unknown subjects and duplicates in a group are reported, and do not affect the others",
        arguments: SQLDialect.allCases)
    func unknownAndTwice(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables + Self.people(1...9)) { fixture in
            let engine = try await fixture.engine()
            let outcomes = try await engine.erase(["3", "77", "4", "3", "78", "5"])
            #expect(outcomes.map(\.word).sorted() == ["done", "done", "done", "unknown", "unknown"])
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "2", "6", "7", "8", "9"])
            #expect(try await fixture.rows("SELECT state FROM \(fixture.control("erasures"))") == ["done", "done", "done"])
        }
    }

    @Test("rows that name the rows of a group in JSON count for their subjects", arguments: SQLDialect.allCases)
    func inJSON(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE chats (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
            CREATE TABLE lines (id integer PRIMARY KEY, doc {json});
            CREATE INDEX by_owner ON chats (owner);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org'), (3, 'c@example.org');
            INSERT INTO chats VALUES (51, 1), (52, 2), (53, 3);
            INSERT INTO lines VALUES (1, '{"in": 51}'), (2, '{"in": "52"}'), (3, '{"in": 52}'), (4, '{"in": 53}'), (5, NULL);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("lines", .erase)
                plan.link(
                    "lines", Link(columns: ["doc"], path: ["in"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase))
            }
            let outcomes = try await fixture.engine(plan).erase(["1", "2"])
            #expect(outcomes.compactMap { $0.receipt?.erased["lines"] }.sorted() == [1, 2], "\(outcomes)")
            #expect(try await fixture.rows("SELECT id FROM lines") == ["4", "5"])
        }
    }

    @Test("messages between two users of one group count once, and other users' messages stay", arguments: SQLDialect.allCases)
    func between(_ dialect: SQLDialect) async throws {
        let messages = "INSERT INTO messages VALUES (1, 1, 2), (2, 2, 1), (3, 1, 3), (4, 3, 2), (5, 3, 4), (6, 4, 3);"
        try await EngineFixture.with(dialect, Self.tables + Self.people(1...4) + messages) { fixture in
            let engine = try await fixture.engine()
            let outcomes = try await engine.erase(["1", "2"])
            let counts = outcomes.compactMap(\.receipt).map { $0.erased["messages"] ?? 0 }
            #expect(counts.count == 2)
            #expect(counts.reduce(0, +) == 4)
            #expect(try await fixture.rows("SELECT id FROM messages") == ["5", "6"])
        }
    }
}
