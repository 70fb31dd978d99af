// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An export counts on a second connection while it reads")
struct CountedBesideTests {
    /// Notes belong to their author and to the author of their post, so that their number depends on the count. The likes
    /// are known as few.
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, name text);
        CREATE TABLE posts (id integer PRIMARY KEY, author_id integer REFERENCES people (id), body text);
        CREATE TABLE notes (id integer PRIMARY KEY, author_id integer REFERENCES people (id), \
        post_id integer REFERENCES posts (id), body text);
        CREATE TABLE likes (id integer PRIMARY KEY, post_id integer REFERENCES posts (id));
        CREATE INDEX by_post ON likes (post_id);
        CREATE TABLE zebras (id integer PRIMARY KEY, keeper_id integer REFERENCES people (id));
        INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
        INSERT INTO posts VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
        INSERT INTO notes VALUES (1, 1, 3, 'a'), (2, 2, 1, 'b'), (3, 2, 3, 'c');
        INSERT INTO likes VALUES (1, 1), (2, 1), (3, 3), (4, NULL);
        INSERT INTO zebras VALUES (1, 1), (2, 1), (3, 2);
        ANALYZE likes;
        """
    private static let expected = [
        "people": 1, "posts": 2, "likes": 2, "notes": 1, "notes (link only)": 1, "zebras": 2,
    ]

    /// A database with a lock, for which the count of an export waits while its rows can be read.
    private struct World {
        let fixture: EngineFixture
        let plan: Plan
        /// Its transaction locks the zebras until it ends. The rows of the tables before can be read meanwhile.
        let keeper: any SQLConnection
        let output: String
        let name = "export_\(UInt64.random(in: .min ... .max))"

        func database(lockTimeout: Duration = .seconds(60)) throws -> PostgreSQLDatabase {
            try PostgreSQLDatabase(
                url: fixture.address, configuration: .init(lockTimeout: lockTimeout, applicationName: name))
        }

        func export(
            from database: PostgreSQLDatabase, _ sleep: @escaping @Sendable (Duration) async throws -> Void
        ) async throws -> ExportManifest {
            var environment = fixture.environment()
            environment.sleep = sleep
            return try await ErasureEngine.exporting(
                from: database, plan: plan, folder: fixture.folder, state: fixture.state, environment: environment
            ).export("1", to: output)
        }

        /// How many of the export's sessions are in this state, and sent this last.
        func sessions(_ condition: String) async throws -> Int64? {
            let query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND \(condition)"
            return try await keeper.run(SQLStatement(query, [.text(name)])).scalar?.integer
        }
    }

    private static func with(_ use: (World) async throws -> Void) async throws {
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await plan(fixture)
            try await fixture.database.withConnection { keeper in
                try await keeper.run("BEGIN")
                try await keeper.run("LOCK TABLE zebras IN ACCESS EXCLUSIVE MODE")
                try await use(World(fixture: fixture, plan: plan, keeper: keeper, output: fixture.folder + "/out"))
            }
        }
    }

    private static func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { $0.tables.sort { !$0.table.name.hasPrefix("z") && $1.table.name.hasPrefix("z") } }
    }

    private static func counts(_ manifest: ExportManifest) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: manifest.tables.map { ($0.place.replacing("public.", with: ""), $0.rows) })
    }

    /// Lets the first waits pass, and keeps every later one until it is cancelled.
    private static func waiting(
        _ passing: Int = 1, then act: @escaping @Sendable () async throws -> Void
    ) -> @Sendable (Duration) async throws -> Void {
        let waits = Guarded(0)
        return { _ in
            let wait = waits.withLock { waits in
                waits += 1
                return waits
            }
            if wait <= passing { return }
            if wait == passing + 1 { try await act() }
            try await ContinuousClock().sleep(for: .seconds(86_400))
        }
    }

    @Test("EX-1 rows are read while the count runs, and changes meanwhile are in neither")
    func together() async throws {
        try await Self.with { world in
            let database = try world.database()
            let keeper = world.keeper
            let idle = Guarded<Int64?>(nil)
            let counting = Guarded<Int64?>(nil)
            let manifest = try await world.export(
                from: database,
                // The rows before the zebras have been read, and the count is still running.
                Self.waiting {
                    let seen = try await world.sessions("state = 'idle in transaction' AND query = 'SELECT 1'")
                    idle.withLock { $0 = seen }
                    let whole = try await world.sessions("state = 'active' AND query LIKE '%FULL JOIN%likes%'")
                    counting.withLock { $0 = whole }
                    for change in [
                        "INSERT INTO zebras VALUES (4, 1)", "DELETE FROM zebras WHERE id = 1",
                        "INSERT INTO notes VALUES (4, 1, 1, 'd'), (5, 2, 2, 'e')", "DELETE FROM notes WHERE id = 1",
                        "COMMIT",
                    ] { try await keeper.run(change) }
                })
            #expect(idle.withLock { $0 } == 1, "a transaction in which nothing happens may be ended")
            #expect(counting.withLock { $0 } == 1, "the few likes are read once")
            #expect(Self.counts(manifest) == Self.expected)
            let notes = try String(contentsOfFile: world.output + "/tables/public.notes.csv", encoding: .utf8)
            #expect(notes.split(separator: "\r\n").dropFirst() == ["1,1,3,a"])
            #expect(try await world.sessions("state <> 'idle'") == 0)
            await database.close()
        }
    }

    @Test("EX-1 a cancelled export ends its count, and leaves no transaction and no file")
    func cancelled() async throws {
        try await Self.with { world in
            let database = try world.database()
            let (waits, wait) = AsyncStream.makeStream(of: Void.self)
            let task = Task { try await world.export(from: database, Self.waiting { wait.yield() }) }
            _ = await waits.first { true }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await world.sessions("state <> 'idle'") == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: world.fixture.folder)
            #expect(left == ["state"])
            await database.close()
        }
    }

    @Test("EX-1 an error of the count is the error of the export, which leaves no transaction and no file")
    func failed() async throws {
        try await Self.with { world in
            let database = try world.database(lockTimeout: .milliseconds(1))
            let thrown = await #expect(throws: FarewellError.self) {
                try await world.export(from: database, Self.waiting(0) {})
            }
            #expect(thrown?.code == "sql.55P03")
            #expect(try await world.sessions("state <> 'idle'") == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: world.fixture.folder)
            #expect(left == ["state"])
            await database.close()
        }
    }

    enum Alone: CaseIterable {
        case no, oneConnection, twoConnections, pooler, noRight, noRoom
    }

    @Test("EX-1 without a second connection in the same state the rows are counted first", arguments: Alone.allCases)
    func alone(_ cause: Alone) async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let name = "export_\(UInt64.random(in: .min ... .max))"
            let limit = cause == .noRoom ? " CONNECTION LIMIT 1" : ""
            try await fixture.run(
                """
                CREATE ROLE \(name) LOGIN\(limit);
                GRANT ALL ON people, posts, notes, likes, zebras TO \(name);
                """)
            if cause == .noRight { try await fixture.run("REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM PUBLIC") }
            let plan = try await fixture.plan()
            let (database, place) = (try await fixture.rows("SELECT current_database()")[0], fixture.folder + "/out")
            let most = [.oneConnection: 1, .twoConnections: 2][cause] ?? 4
            let limited = try PostgreSQLDatabase(
                url: try TestPostgreSQL.address(database: database, user: name),
                configuration: .init(
                    maximumConnections: most, applicationName: name, pooled: cause == .pooler ? true : nil))
            let manifest = try await ErasureEngine.exporting(
                from: limited, plan: plan, folder: fixture.folder, state: fixture.state,
                environment: fixture.environment()
            ).export("1", to: place)
            #expect(Self.counts(manifest) == Self.expected)
            let used = try await fixture.rows("SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'")
            #expect(used == [cause == .no ? "2" : "1"])
            await limited.close()
            try await fixture.run("DROP OWNED BY \(name); DROP ROLE \(name);")
        }
    }

    @Test("EX-1 a table with more or fewer rows than were counted makes no export")
    func compared() {
        let subject = SealedSubject(
            key: StoredValue(.integer(1)), identifiers: [], captured: [:], isCaptureBounded: false, retainedUntil: [:],
            files: [:], incarnation: "", counts: ["posts": 2])
        let cases: [(String, Int, String?)] = [
            ("posts", 2, nil), ("posts", 1, "export.count"), ("notes", 1, "export.count"),
        ]
        for (place, rows, code) in cases {
            let table = ExportManifest.Table(
                place: place, label: place, rule: "erase", areOthers: false, rows: rows, columns: [], omitted: [], csv: "",
                json: "")
            var thrown: String?
            do {
                try SubjectExport.compare([table], with: subject)
            } catch {
                thrown = (error as? FarewellError)?.code.rawValue
            }
            #expect(thrown == code, "\(rows) of \(place)")
        }
    }
}
