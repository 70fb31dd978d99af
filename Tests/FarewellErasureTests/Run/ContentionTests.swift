// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("Subjects whose erasures compete", .timeLimit(.minutes(30)))
struct ContentionTests {
    private static let people = 80
    /// All users wrote to several of the others, so that no two erasures lock in the same order.
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE messages (id serial PRIMARY KEY, sender integer REFERENCES people (id),
            recipient integer REFERENCES people (id) ON DELETE CASCADE, body text);
        CREATE TABLE follows (a integer REFERENCES people (id) ON DELETE CASCADE,
            b integer REFERENCES people (id) ON DELETE CASCADE, PRIMARY KEY (a, b));
        CREATE TABLE orders (id serial PRIMARY KEY, buyer integer REFERENCES people (id) ON DELETE SET NULL,
            note text);
        CREATE INDEX by_buyer ON orders (buyer);
        CREATE INDEX by_sender ON messages (sender);
        CREATE INDEX by_recipient ON messages (recipient);
        CREATE INDEX by_b ON follows (b);
        INSERT INTO people SELECT i, 'p' || i || '@example.org' FROM generate_series(1, \(people)) i;
        INSERT INTO messages (sender, recipient, body)
            SELECT i % \(people) + 1, i * 7 % \(people) + 1, 'hi' FROM generate_series(1, 4000) i;
        INSERT INTO follows SELECT a.id, b.id FROM people a, people b WHERE (a.id * 31 + b.id * 17) % 3 = 0;
        INSERT INTO orders (buyer, note) SELECT id, 'n' FROM people;
        """

    enum Way: CaseIterable, Sendable {
        case erased, kept, byStep
    }

    @Test(
        "BX-4 BX-6 subjects who share rows are erased in parallel: all are done, and each row is in one receipt",
        arguments: Way.allCases, [1, 7])
    func sideBySide(_ way: Way, _ group: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.script, postgresql: .init(maximumConnections: 8)) { fixture in
            let plan = try await fixture.plan { plan in
                if way == .kept { plan.set("orders", .anonymise, ["note": .null]) }
            }
            let shared = try await fixture.count("messages") + fixture.count("follows")
            let engine = try await fixture.engine(plan)
            let options = ErasureOptions(groupSize: group, concurrency: 6, deepScan: way == .byStep ? .bounded(rows: 1) : .none)
            let outcomes = try await engine.erase((1...Self.people).map(String.init), options: options)
            let receipts = outcomes.compactMap(\.receipt)
            #expect(receipts.count == Self.people, "\(outcomes.filter { $0.word != "done" })")
            let told = receipts.reduce(0) { $0 + ($1.erased["messages"] ?? 0) + ($1.erased["follows"] ?? 0) }
            #expect(told == shared)
            #expect(try await fixture.count("messages") + fixture.count("follows") == 0)
        }
    }

    @Test(
        "BX-4 a worker that takes the turn and then stalls loses it, and no worker waits for it longer than a lease lasts",
        arguments: [false, true])
    func turn(_ isAlone: Bool) async throws {
        for (own, expected) in [(nil, "5s"), (Duration.milliseconds(60), "60ms")] {
            try await EngineFixture.with(.postgresql, "SELECT 1;", postgresql: .init(lockTimeout: own)) { fixture in
                let control = ControlStore(dialect: .postgresql, lease: 15)
                let settings = "SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')"
                let statements = [control.begin] + control.takeTurn(alone: isAlone) + [SQLStatement(settings), control.commit]
                let results = try await fixture.database.withConnection { try await $0.pipeline(statements) }
                #expect(results.dropLast().last?.rows.first?.compactMap(\.text) == [expected, "15s"])
            }
        }
    }

    @Test("BX-4 a row locked by another transaction delays only its own subject's erasure", arguments: [1, 20_000])
    func held(_ largeFrom: Int) async throws {
        let waiting = PostgreSQLConfiguration(lockTimeout: .seconds(2))
        try await EngineFixture.with(.postgresql, ConcurrencyTests.tables, postgresql: waiting) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let other = try PostgreSQLDatabase(url: fixture.address)
            let options = ErasureOptions(largeAccount: largeFrom)
            let outcomes = try await other.withConnection { connection in
                _ = try await connection.run("BEGIN")
                _ = try await connection.run("SELECT 1 FROM posts WHERE id = 20 FOR UPDATE")
                let outcomes = try await engine.erase(["1", "2", "3"], options: options)
                _ = try await connection.run("COMMIT")
                return outcomes
            }
            #expect(outcomes.filter { $0.word == "done" }.count == 2, "\(outcomes)")
            #expect(outcomes.compactMap(\.error).map(\.code) == ["sql.55P03"])
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
            #expect(try await engine.resume().map(\.word) == ["done"])
            await other.close()
        }
    }
}
