// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("A database in which sessions start without foreign keys")
struct ReplicaRoleTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
        CREATE TABLE posts (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE likes (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE);
        CREATE TABLE orders (id integer PRIMARY KEY, sender integer REFERENCES people (id) ON DELETE SET NULL,
          receiver integer REFERENCES people (id) ON DELETE SET NULL);
        CREATE INDEX ON posts (person); CREATE INDEX ON likes (post);
        CREATE INDEX ON orders (sender); CREATE INDEX ON orders (receiver);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (1, 1), (2, 2); INSERT INTO likes VALUES (1, 1), (2, 2);
        INSERT INTO orders VALUES (1, 1, 2), (2, 2, 1);
        """

    private func withReplica(_ use: (EngineFixture, any SQLDatabase) async throws -> Void) async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let name = try await fixture.rows("SELECT current_database()")[0]
            try await fixture.run("ALTER DATABASE \(name) SET session_replication_role = replica")
            let database = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name))
            do {
                try await use(fixture, database)
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
    }

    @Test("SQL-02 SQL-20 an erasure empties the links, deletes by cascade and counts the deleted rows")
    func erases() async throws {
        try await withReplica { fixture, database in
            let plan = try await fixture.plan { $0.set("orders", .anonymise, [:]) }
            let outcome = try #require(try await fixture.engine(plan, on: database).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(outcome.receipt?.erased == ["people": 1, "posts": 1, "likes": 1])
            #expect(try await fixture.rows("SELECT sender, receiver FROM orders") == ["- 2", "2 -"])
            #expect(try await fixture.rows("SELECT id FROM likes") == ["2"])
        }
    }

    @Test("SQL-02 a session in which another program turned foreign keys off stops the step, with the cause")
    func leftWithout() async throws {
        try await EngineFixture.with(.postgresql, Self.script, postgresql: .init(maximumConnections: 1)) { fixture in
            let plan = try await fixture.plan { $0.set("orders", .anonymise, [:]) }
            let engine = try await fixture.engine(plan)
            try await fixture.database.withConnection { connection in
                // As a pooler hands out a session that is not ours: `SET` is not known to take our settings away.
                _ = try await connection.run("SET session_replication_role = replica")
            }
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.word == "parked" && outcome.cause?.contains("session_replication_role") == true, "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "2"])
        }
    }

    @Test("SQL-02 doctor reports that sessions start without foreign keys", arguments: [true, false])
    func doctor(_ isReplica: Bool) async throws {
        try await withReplica { fixture, database in
            let looked = isReplica ? database : fixture.database
            let schema = try await Schema.read(from: looked)
            let facts = try await DatabaseHealth(looked).facts(schema: schema, now: { fixture.clock.reading })
            let keys = try #require(facts.first { $0.name == "foreign keys" })
            #expect(keys.verdict == (isReplica ? .warning : .good), "\(keys)")
            #expect(keys.text.contains("session_replication_role") == isReplica)
        }
    }
}
