// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell
@testable import FarewellSQL
import Foundation
import Testing

@Suite("PostgreSQL by libpq")
struct PostgreSQLDatabaseTests {
    @Test("waiting statements hold no thread: many more can wait at once than there are cores")
    func noThreadIsBlocked() async throws {
        let many = ProcessInfo.processInfo.activeProcessorCount * 8
        let configuration = PostgreSQLConfiguration(maximumConnections: many + 1)
        try await TestDatabase.withPostgreSQL(configuration) { database in
            try await database.withConnection { gate in
                try await gate.run("SELECT pg_advisory_lock(1)")
                try await withThrowingTaskGroup { group in
                    for _ in 0..<many {
                        group.addTask {
                            let wait = SQLStatement("SELECT pg_advisory_xact_lock_shared(1)")
                            _ = try await database.withConnection { try await $0.run(wait) }
                        }
                    }
                    // Threads held by the waiting would leave none to see all of them wait.
                    let waiting = SQLStatement(
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                    while try await gate.run(waiting).scalar?.integer ?? 0 < many {}
                    try await gate.run("SELECT pg_advisory_unlock(1)")
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("a pipeline continues where the server has read everything since the socket was full", .timeLimit(.minutes(5)))
    func emptiedSocket() async throws {
        let configuration = PostgreSQLConfiguration()
        let address = try PostgreSQLAddress(TestDatabase.serverAddress())
        var server = try await BlockingWork.run { try address.connect(configuration) }
        let flushes = Guarded(0)
        // Of two calls in a row, the first tells that the socket has not taken everything.
        server.flush = { pointer in
            let left = PQflush(pointer)
            let isFirst = flushes.withLock { count in
                count += 1
                return count % 2 == 1
            }
            return isFirst && left == 0 ? 1 : left
        }
        let connection = PostgreSQLConnection(server: server, watcher: SocketWatcher(), configuration: configuration)
        let answers = try await connection.lend().pipeline(
            (1...1000).map { SQLStatement("SELECT $1::bigint", [.integer($0)]) })
        #expect(answers.map(\.scalar) == (1...1000).map { .integer($0) })
        connection.end()
    }

    @Test("a cancelled statement no longer runs in the server")
    func cancellationReachesTheServer() async throws {
        try await TestDatabase.withPostgreSQL { database in
            let running =
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND state = 'active' "
                + "AND pid <> pg_backend_pid() AND datname = current_database()"
            let task = Task { try await database.withConnection { try await $0.run("SELECT pg_sleep(600)") } }
            try await database.withConnection { connection in
                while try await connection.run(SQLStatement(running)).scalar != .integer(1) {}
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await connection.expect(running, gives: [[.integer(0)]])
            }
        }
    }

    @Test("a pipeline that is cancelled midway changes nothing")
    func cancelledPipeline() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a bigint)")
                for _ in 1...5 {
                    let task = Task {
                        try await connection.pipeline(
                            (0..<5000).map {
                                SQLStatement("INSERT INTO t SELECT $1 FROM pg_sleep(0.1)", [.integer($0)])
                            })
                    }
                    while try await Self.isIdle(database) {}
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                    try await connection.expect("SELECT count(*) FROM t", gives: [[.integer(0)]])
                }
            }
        }
    }

    @Test("the answer of the first of two pipelines arrives while the server works on the second")
    func answersOnTheWay() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { gate in
                try await gate.run("SELECT pg_advisory_lock(1)")
                try await database.withConnection { connection in
                    // The second would wait for ever for what is done with the first's answers.
                    let wait = SQLStatement("SELECT pg_advisory_xact_lock(1), 2")
                    let (first, second) = try await connection.pipeline([SQLStatement("SELECT 1")], then: [wait]) {
                        try await gate.run("SELECT pg_advisory_unlock(1)")
                        return $0.first?.scalar
                    }
                    #expect(first == .integer(1) && second.first?.rows.first?.last == .integer(2))
                }
            }
        }
    }

    @Test("two pipelines in flight are cancelled together, whichever of them the server executes")
    func cancelledOnTheWay() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a bigint)")
                let insert = SQLStatement("INSERT INTO t VALUES (1)"), sleep = SQLStatement("SELECT pg_sleep(600)")
                for (first, second) in [([insert, sleep], [insert]), ([insert], [sleep, insert])] {
                    let task = Task { try await connection.pipeline(first, then: second) { $0.count }.value }
                    while try await Self.isIdle(database) {}
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                    try await connection.expect("SELECT count(*) FROM t", gives: [[.integer(0)]])
                }
            }
        }
    }

    @Test("a connection lost while the server works on the second of two pipelines fails once")
    func lostOnTheWay() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                let end = SQLStatement("SELECT pg_terminate_backend(pg_backend_pid())")
                let one = SQLStatement("SELECT 1")
                for (first, second) in [([one], [end]), ([end], [one])] {
                    let lost = await #expect(throws: FarewellError.self) {
                        try await connection.pipeline(first, then: second) { $0.count }
                    }
                    #expect(lost?.code == "sql.08006")
                }
            }
        }
    }

    @Test("stale plans are renewed before the first of two pipelines is answered; after that answer the error is reported")
    func stalePlansOnTheWay() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a bigint)")
                let all = SQLStatement("SELECT * FROM t"), one = SQLStatement("SELECT 1")
                _ = try await connection.pipeline([all, one])
                try await connection.run("ALTER TABLE t ADD COLUMN b text")
                let (columns, _) = try await connection.pipeline([all], then: [one]) { $0.first?.columns.count }
                #expect(columns == 2)
                try await connection.run("ALTER TABLE t ADD COLUMN c text")
                var answers = 0
                let stale = await #expect(throws: FarewellError.self) {
                    try await connection.pipeline([one], then: [all]) { _ in answers += 1 }
                }
                #expect(stale?.code == "sql.stale-plan" && answers == 1)
                #expect(try await connection.run(all).columns.count == 3)
            }
        }
    }

    private static func isIdle(_ database: PostgreSQLDatabase) async throws -> Bool {
        let active = try await database.withConnection {
            try await $0.run(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
                """)
        }
        return active.scalar == .integer(0)
    }

    @Test("a connection that the server ended fails once, and is never lent again")
    func killedBackend() async throws {
        try await TestDatabase.withPostgreSQL(PostgreSQLConfiguration(maximumConnections: 2)) { database in
            // In the middle of a statement.
            let victim = Task { try await database.withConnection { try await $0.run("SELECT pg_sleep(600)") } }
            try await database.withConnection { other in
                // Not a connection that is being opened, which is active, too.
                let sleeps = "state = 'active' AND query = 'SELECT pg_sleep(600)'"
                while try await Self.terminate(sleeps, other) == 0 {}
            }
            await #expect(throws: FarewellError.self) { try await victim.value }
            // While it is idle in the pool, undetected.
            for _ in 1...5 {
                let pid = try await database.withConnection { first in
                    try await database.withConnection { second in
                        _ = try await Self.terminate("true", first)
                        return try await first.run("SELECT pg_backend_pid()").scalar
                    }
                }
                let next = try await database.withConnection { try await $0.run("SELECT pg_backend_pid()").scalar }
                #expect(pid != nil && next != nil)
            }
        }
    }

    private static func terminate(_ condition: String, _ connection: any SQLConnection) async throws -> Int {
        try await connection.run(
            SQLStatement(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND \(condition)
                """)
        ).rows.count
    }

    @Test("a lost connection is sql.08006, and sql.commit-unknown during a commit")
    func lostConnection() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                let lost = await #expect(throws: FarewellError.self) {
                    try await connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
                }
                #expect(lost?.code == "sql.08006")
                #expect(lost?.family == .tryAgain)
                let again = await #expect(throws: FarewellError.self) { try await connection.run("SELECT 1") }
                #expect(again?.code == "sql.08006")
            }
            // A deferred trigger ends the session in the middle of COMMIT.
            try await database.withConnection { connection in
                _ = try await connection.pipeline([
                    SQLStatement("CREATE TABLE t (a bigint)"),
                    SQLStatement(
                        """
                        CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'
                        """),
                    SQLStatement(
                        """
                        CREATE CONSTRAINT TRIGGER die AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION die()
                        """),
                ])
            }
            let unknown = await #expect(throws: FarewellError.self) {
                try await database.transaction { try await $0.run("INSERT INTO t VALUES (1)") }
            }
            #expect(unknown?.code == "sql.commit-unknown")
            let inPipeline = await #expect(throws: FarewellError.self) {
                try await database.withConnection {
                    try await $0.pipeline([
                        SQLStatement("BEGIN"), SQLStatement("INSERT INTO t VALUES (1)"), SQLStatement("COMMIT"),
                    ])
                }
            }
            #expect(inPipeline?.code == "sql.commit-unknown")
        }
    }

    @Test("when two transactions deadlock, PostgreSQL ends one, which is retried: both take effect")
    func deadlock() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a bigint PRIMARY KEY, b bigint)")
                try await connection.run("INSERT INTO t VALUES (1, 0), (2, 0)")
            }
            let holding = Guarded(0), refusals = Guarded<[String]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (first, second) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
                    group.addTask {
                        try await database.transaction { connection in
                            let write = "UPDATE t SET b = b + 1 WHERE a = $1"
                            try await connection.run(write, .integer(first))
                            holding.withLock { $0 += 1 }
                            while holding.withLock({ $0 }) < 2 { await Task.yield() }
                            do {
                                try await connection.run(write, .integer(second))
                            } catch let error as FarewellError {
                                refusals.withLock { $0.append(error.code.rawValue) }
                                throw error
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(refusals.withLock { $0 }) == ["sql.40P01"])
            try await database.withConnection { connection in
                try await connection.expect("SELECT b FROM t", gives: [[.integer(2)], [.integer(2)]])
            }
        }
    }

    @Test("a commit of a failed transaction reports its error, not a silent rollback")
    func commitOfFailedTransaction() async throws {
        try await TestDatabase.withPostgreSQL { database in
            let error = await #expect(throws: FarewellError.self) {
                try await database.transaction { connection in
                    _ = try? await connection.run("SELECT * FROM nowhere")
                }
            }
            #expect(error?.code == "sql.42P01")
        }
    }

    @Test("prepared statements survive DISCARD ALL and a changed table")
    func stalePlans() async throws {
        let configuration = PostgreSQLConfiguration(maximumConnections: 1, preparedStatements: 3)
        try await TestDatabase.withPostgreSQL(configuration) { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a bigint)")
                try await connection.run("INSERT INTO t VALUES (7)")
                try await connection.expect("SELECT * FROM t", gives: [[.integer(7)]])
                try await connection.run("ALTER TABLE t ADD b text")
                try await connection.expect("SELECT * FROM t", gives: [[.integer(7), .null]])
                try await connection.run("DISCARD ALL")
                try await connection.expect("SELECT * FROM t", gives: [[.integer(7), .null]])
                // Behind our back.
                try await connection.run("DO 'BEGIN EXECUTE ''DEALLOCATE ALL''; END'")
                try await connection.expect("SELECT * FROM t", gives: [[.integer(7), .null]])
                for n in 0..<20 {
                    try await connection.expect("SELECT \(n % 5)", gives: [[.integer(Int64(n % 5))]])
                }
                let held = try await connection.run("SELECT count(*) FROM pg_prepared_statements")
                #expect(held.scalar?.integer ?? 99 <= 4)
            }
            let stale = await #expect(throws: FarewellError.self) {
                try await database.withConnection { connection in
                    try await connection.run("SELECT * FROM t")
                    try await connection.run("BEGIN")
                    try await connection.run("ALTER TABLE t ADD c text")
                    try await connection.run("SELECT * FROM t")
                }
            }
            #expect(stale?.code == "sql.stale-plan")
            try await database.withConnection { connection in
                try await connection.expect("SELECT * FROM t", gives: [[.integer(7), .null]])
                try await connection.expect("SHOW timezone", gives: [[.text("UTC")]])
                try await connection.expect("SHOW jit", gives: [[.text("off")]])
            }
        }
    }

    @Test("an answer waits for its own number of statements, and each error leaves the connection usable")
    func errorsInPipelines() async throws {
        try await TestDatabase.withPostgreSQL { database in
            try await database.withConnection { connection in
                for bad in ["SELECT 1/0", "SELEKT", "SELECT * FROM nowhere", "SELECT $1::uuid"] {
                    await #expect(throws: FarewellError.self) {
                        try await connection.pipeline([
                            SQLStatement("SELECT 1"), SQLStatement("BEGIN"),
                            SQLStatement(bad, bad.contains("$1") ? [.text("no uuid")] : []), SQLStatement("COMMIT"),
                        ])
                    }
                    try await connection.expect("SELECT 5", gives: [[.integer(5)]])
                }
            }
        }
    }
}
