// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import Synchronization
import TestFixtures
import Testing

@Suite("Bad input and external failures")
struct BadInputTests {
    private static let tables = """
        CREATE TABLE people (id {key} PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author {key} NOT NULL REFERENCES people (id), body text);
        CREATE INDEX by_author ON posts (author);
        """
    private static let rows = """
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1, 'a'), (11, 1, 'b'), (20, 2, 'c');
        """
    private static let whole = tables.replacing("{key}", with: "integer") + rows

    private func expectNothingWritten(_ fixture: EngineFixture) async throws {
        for table in ["erasures", "steps", "audit", "ledger"] {
            #expect(try await fixture.rows("SELECT * FROM \(fixture.control(table))").isEmpty, "\(table)")
        }
    }

    private static let noIntegers = [
        "x", "", "1.5", "1; DROP TABLE people", "99999999999999999999", " 1", "'1'", "１",
    ]
    private static let noNumbers = ["x", "", "--1", "1x", "0x10", "1e5", "NaN"]
    private static let noTexts = ["", "\u{0}", String(repeating: "a", count: 5_000)]
    private static let noIdentifiers = [
        "x", "", "5f0c8a4e-abcd-4000-8000-00000000000", "{5f0c8a4e-abcd-4000-8000-000000000001}\u{0}",
    ]

    /// SQLite has no type for a UUID and holds it as text.
    static let wrongKeys: [(dialect: SQLDialect, type: String, keys: [String])] = [
        (.postgresql, "integer", noIntegers), (.sqlite, "integer", noIntegers),
        (.postgresql, "numeric(10,0)", noNumbers), (.sqlite, "numeric(10,0)", noNumbers),
        (.postgresql, "text", noTexts), (.sqlite, "text", noTexts), (.postgresql, "uuid", noIdentifiers),
    ]

    @Test("a key of the wrong type is refused before any request is accepted", arguments: wrongKeys)
    func wrongKey(_ wrong: (dialect: SQLDialect, type: String, keys: [String])) async throws {
        try await EngineFixture.with(wrong.dialect, Self.tables.replacing("{key}", with: wrong.type)) { fixture in
            let engine = try await fixture.engine()
            for key in wrong.keys {
                #expect(
                    await code { _ = try await engine.erase(["1", key]) } == "subject.malformed",
                    "\(wrong.type): \(key.prefix(60))")
            }
            try await expectNothingWritten(fixture)
        }
    }

    @Test(
        "text that is not JSON stops no erasure: SQLite skips it, PostgreSQL follows no path into text",
        arguments: SQLDialect.allCases)
    func textThatIsNoJSON(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE events (id integer PRIMARY KEY, data text);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO events VALUES (1, '{"who": 1}'), (2, '{"who": 2}'), (3, 'no JSON'), (4, '{"who": 1'), (5, NULL);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            func plan() async throws -> Plan {
                try await fixture.plan { plan in
                    plan.set("events", .erase)
                    let people = plan.name("people")
                    plan.link("events", Link(columns: ["data"], path: ["who"], target: people, targetColumns: ["id"], shared: .erase))
                }
            }
            var left = ["2", "3", "4", "5"]
            if dialect == .postgresql {
                let refused = try await plan()
                #expect(await code { _ = try await fixture.engine(refused) } == "plan.unaccounted")
                // As the finding's remedy says; the database itself then takes no such text any longer.
                try await fixture.run("DELETE FROM events WHERE id IN (3, 4); ALTER TABLE events ALTER data TYPE jsonb USING data::jsonb")
                left = ["2", "5"]
            }
            let outcome = try #require(try await fixture.engine(try await plan()).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM events") == left)
        }
    }

    @Test("no request is accepted where the last entry of the audit log has the greatest possible number", arguments: SQLDialect.allCases)
    func spentAudit(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.whole) { fixture in
            let engine = try await fixture.engine()
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            try await fixture.run("INSERT INTO \(fixture.control("audit")) (sequence, hash, entry) VALUES (\(Int64.max), 'x', '{}')")
            #expect(await code { _ = try await engine.erase(["2"]) } == "audit.broken")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("erasures"))") == ["1"])
        }
    }

    @Test("the refusal of a key of bytes says so", arguments: SQLDialect.allCases)
    func bytesKey(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables.replacing("{key}", with: "{bytes}")) { fixture in
            let error = await #expect(throws: FarewellError.self) { _ = try await fixture.engine() }
            #expect(error?.code == "plan.unaccounted" && error?.message.contains("holds bytes") == true, "\(String(describing: error))")
        }
    }

    @Test(
        "an unknown subject gives no change and no record, also where every table is empty",
        arguments: SQLDialect.allCases, [true, false])
    func nobody(_ dialect: SQLDialect, isEmpty: Bool) async throws {
        try await EngineFixture.with(dialect, isEmpty ? Self.tables.replacing("{key}", with: "integer") : Self.whole) { fixture in
            let engine = try await fixture.engine()
            #expect(
                try await engine.erase(["7", "8"], options: ErasureOptions(deepScan: .complete)).map(\.word) == ["unknown", "unknown"])
            #expect(try await engine.erase([]).isEmpty)
            #expect(try await engine.resume().isEmpty)
            #expect(try await engine.findReturned().examined == 0)
            let verified = try await engine.verify("7", extent: .complete)
            #expect(verified.isClean && verified.left.isEmpty)
            try await expectNothingWritten(fixture)
        }
    }

    @Test("a read-only database gives an error at once, and a preview of it works", arguments: SQLDialect.allCases)
    func readOnly(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.whole) { fixture in
            let plan = try await fixture.plan()
            let other: any SQLDatabase
            if dialect == .sqlite {
                other = try SQLiteDatabase(path: fixture.address, configuration: SQLiteConfiguration(access: .readOnly))
            } else {
                let name = try await fixture.rows("SELECT current_database()")[0]
                try await fixture.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")
                other = try PostgreSQLDatabase(url: fixture.address)
            }
            #expect(await code { _ = try await fixture.engine(plan, on: other) } == "sql.25006")
            let environment = EngineEnvironment.live(log: fixture.log.logger)
            let looking = try await ErasureEngine.looking(at: other, plan: plan, environment: environment)
            #expect(try await looking.preview("1").erased == 3)
            await other.close()
            #expect(try await fixture.count("posts") == 3)
        }
    }

    @Test("a role without the right to delete gets an error that names the missing right, before any change")
    func missingRight() async throws {
        try await EngineFixture.with(.postgresql, Self.whole) { fixture in
            let role = "limited_\(UInt64.random(in: .min ... .max))"
            try await fixture.run(
                """
                CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON people TO \(role);
                GRANT SELECT, INSERT, UPDATE ON posts TO \(role);
                """)
            let name = try await fixture.rows("SELECT current_database()")[0]
            let plan = try await fixture.plan()
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            do {
                _ = try await fixture.engine(plan, on: other)
                Issue.record("the engine opened")
            } catch let error as FarewellError {
                #expect("\(error)".contains("delete") && "\(error)".contains("posts"), "\(error)")
            }
            await other.close()
            try await fixture.run("DROP OWNED BY \(role); DROP ROLE \(role);")
            #expect(try await fixture.count("posts") == 3)
        }
    }

    @Test("a role with a ready-made schema needs no right to make schemas")
    func schemaMade() async throws {
        try await EngineFixture.with(.postgresql, Self.whole) { fixture in
            let role = "settled_\(UInt64.random(in: .min ... .max))"
            try await fixture.run(
                """
                CREATE ROLE \(role) LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON people, posts TO \(role);
                CREATE SCHEMA farewell AUTHORIZATION \(role);
                """)
            let name = try await fixture.rows("SELECT current_database()")[0]
            let plan = try await fixture.plan()
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            for _ in 1...2 { _ = try await fixture.engine(plan, on: other) }
            let outcomes = try await fixture.engine(plan, on: other).erase(["1"])
            await other.close()
            #expect(outcomes.map(\.word) == ["done"], "\(outcomes)")
            try await fixture.run("DROP OWNED BY \(role); DROP ROLE \(role);")
        }
    }

    @Test(
        "BX-4 a connection cut midway leaves the run unfinished, and a resume completes it",
        arguments: [
            ErasureProgress.Event.accepted, .began(step: "rows"), .finished(step: "rows"), .verified, .entered,
        ])
    func cut(_ event: ErasureProgress.Event) async throws {
        try await EngineFixture.with(.postgresql, Self.whole) { fixture in
            let engine = try await fixture.engine()
            let admin = try PostgreSQLDatabase(url: fixture.address)
            let isCut = Mutex(false)
            // Every transition is one of its own where more is verified than reading back.
            let options = ErasureOptions(deepScan: .complete)
            let outcomes = try await engine.erase(["1"], options: options) { progress in
                guard progress.event == event,
                    isCut.withLock({ isCut in
                        defer { isCut = true }; return !isCut
                    })
                else { return }
                _ = try? await admin.withConnection { connection in
                    try await connection.run(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            + "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                }
            }
            await admin.close()
            #expect(isCut.withLock { $0 })
            let outcome = try #require(outcomes.first)
            #expect(["done", "unfinished"].contains(outcome.word), "\(outcome)")
            if outcome.word == "unfinished" {
                #expect(outcome.error?.family == .tryAgain)
                let later = try await fixture.engine(try await fixture.plan(), owner: "here:2:b", dead: ["here:1:a"])
                #expect(try await later.resume().map(\.word) == ["done"])
            }
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            #expect(try await fixture.rows("SELECT count(*) FROM farewell.ledger") == ["1"])
        }
    }

    @Test("BX-4 a connection cut while a delete waits leaves the run unfinished, and a resume completes it")
    func cutWhileWaiting() async throws {
        try await EngineFixture.with(.postgresql, Self.whole) { fixture in
            let engine = try await fixture.engine()
            let admin = try PostgreSQLDatabase(url: fixture.address)
            let outcomes = try await admin.withConnection { blocker in
                _ = try await blocker.run("BEGIN")
                _ = try await blocker.run("SELECT * FROM posts WHERE id = 11 FOR UPDATE")
                async let erasing = engine.erase(["1"])
                while true {
                    let waiting = try await admin.withConnection { connection in
                        try await connection.run(
                            """
                            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                            WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """
                        ).scalar?.integer ?? 0
                    }
                    if waiting > 0 { break }
                }
                let outcomes = try await erasing
                _ = try await blocker.run("ROLLBACK")
                return outcomes
            }
            await admin.close()
            #expect(outcomes.first?.word == "unfinished", "\(outcomes)")
            #expect(try await fixture.count("posts") == 3)
            #expect(try await engine.resume().map(\.word) == ["done"])
        }
    }

    @Test(
        "when another transaction locks a row, the wait ends, the run is handed back, and a resume finishes it",
        arguments: [true, false])
    func locked(_ byLockTimeout: Bool) async throws {
        let configuration = PostgreSQLConfiguration(
            statementTimeout: byLockTimeout ? nil : .seconds(1), lockTimeout: byLockTimeout ? .seconds(1) : nil)
        try await EngineFixture.with(.postgresql, Self.whole) { fixture in
            let engine = try await fixture.engine()
            let other = try PostgreSQLDatabase(url: fixture.address)
            let limited = try PostgreSQLDatabase(url: fixture.address, configuration: configuration)
            try await other.withConnection { blocker in
                _ = try await blocker.run("BEGIN")
                _ = try await blocker.run("SELECT * FROM posts WHERE id = 11 FOR UPDATE")
                // On a busy machine the limit may end what comes before the accepting: then nothing has begun.
                var outcome: ErasureOutcome?
                while outcome == nil {
                    do {
                        outcome = try await engine.on(limited).erase(["1"]).first
                    } catch let error as FarewellError where error.code == "sql.57014" && !byLockTimeout {}
                }
                #expect(outcome?.error?.code == (byLockTimeout ? "sql.55P03" : "sql.57014"), "\(String(describing: outcome))")
                _ = try await blocker.run("ROLLBACK")
            }
            await other.close()
            await limited.close()
            #expect(try await fixture.count("posts") == 3)
            #expect(try await engine.resume().map(\.word) == ["done"])
        }
    }

    @Test("a full disk leaves the run unfinished and everything in place; with room it completes")
    func diskFull() async throws {
        try await EngineFixture.with(.sqlite, Self.whole) { fixture in
            let narrow = try SQLiteDatabase(path: fixture.address, configuration: SQLiteConfiguration(maximumConnections: 1))
            // The step's transaction must grow the file for what this trigger writes, and may not.
            try await fixture.run("CREATE TABLE heap (text text)")
            try await fixture.database.withConnection { connection in
                _ = try await connection.run(
                    "CREATE TRIGGER grows AFTER DELETE ON posts BEGIN INSERT INTO heap VALUES (zeroblob(200000)); END")
            }
            let plan = try await fixture.plan { plan in
                plan.effects = [TriggerEffect(on: plan.name("posts"), also: plan.name("heap"), inserts: .perRow(1))]
            }
            let engine = try await fixture.engine(plan, on: narrow)
            let pages = try await narrow.withConnection { try await $0.run("PRAGMA page_count").scalar?.integer ?? 0 }
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(residue: .leave)) { progress in
                    guard progress.event == .accepted else { return }
                    _ = try? await narrow.withConnection { try await $0.run(SQLStatement("PRAGMA max_page_count = \(pages + 10)")) }
                }.first)
            #expect(outcome.error?.code == "sql.53100", "\(outcome)")
            #expect(try await fixture.count("posts") == 3)
            _ = try await narrow.withConnection { try await $0.run("PRAGMA max_page_count = 1000000") }
            #expect(try await engine.resume().map(\.word) == ["done"])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            await narrow.close()
        }
    }

    @Test("a missing database gives an error that recommends another try", arguments: SQLDialect.allCases)
    func closed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.whole) { fixture in
            let other: any SQLDatabase =
                dialect == .sqlite ? try SQLiteDatabase(path: fixture.address) : try PostgreSQLDatabase(url: fixture.address)
            let engine = try await fixture.engine(try await fixture.plan(), on: other)
            await other.close()
            #expect(await code { _ = try await engine.erase(["1"]) } == "sql.closed")
            #expect(try await fixture.count("posts") == 3)
        }
    }
}
