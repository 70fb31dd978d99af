// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SQLDatabaseConformance {
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000)
        SELECT count(*) FROM n
        """

    static let connections: [Case] = [
        Case("statements of one connection run in the order given") { database in
            _ = try await run(database, "CREATE TABLE t (n bigint)")
            try await database.withConnection { connection in
                try await withThrowingTaskGroup { group in
                    for n in 1...50 {
                        group.addTask { try await connection.run("INSERT INTO t VALUES ($1)", .integer(Int64(n))) }
                    }
                    for try await result in group { try expectEqual(result.affected, 1, "Rows inserted") }
                }
                try await expectCount(50, "t", connection)
            }
        },
        Case("64 tasks share few connections") { database in
            _ = try await run(database, "CREATE TABLE t (n bigint)")
            try await withThrowingTaskGroup { group in
                for n in 1...64 {
                    group.addTask {
                        _ = try await run(database, "INSERT INTO t VALUES ($1)", .integer(Int64(n)))
                        return try await run(database, "SELECT n FROM t WHERE n = $1", .integer(Int64(n)))
                    }
                }
                for try await result in group { try expectEqual(result.rows.count, 1, "Rows found") }
            }
            try await database.withConnection { try await expectCount(64, "t", $0) }
        },
        Case("a connection is of no use after it went back") { database in
            let kept = try await database.withConnection { $0 }
            try await expectCode("sql.connection-returned", "a statement") { try await kept.run("SELECT 1") }
            try await expectCode("sql.connection-returned", "a pipeline") {
                try await kept.pipeline([SQLStatement("SELECT 1")])
            }
            try expectEqual(try await run(database, "SELECT 1").scalar, .integer(1), "The next borrower's answer")
        },
        Case("cancelling the task cancels the statement") { database in
            try await database.withConnection { connection in
                for _ in 1...10 {
                    let task = Task { try await connection.run(SQLStatement(endless)) }
                    task.cancel()
                    let error = try await failure("the statement") { try await task.value }
                    try expect(error is CancellationError, "it is a CancellationError: \(error)")
                    try expectEqual(try await connection.run("SELECT 1").scalar, .integer(1), "The next answer")
                }
            }
        },
        Case("a cancelled transaction is rolled back") { database in
            try await makeFamily(database)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.transaction { connection in
                    try await connection.run("DELETE FROM parent")
                    start.yield()
                    _ = try await connection.run(SQLStatement(endless))
                }
            }
            for await _ in started { break }
            task.cancel()
            let error = try await failure("the transaction") { try await task.value }
            try expect(error is CancellationError, "it is a CancellationError: \(error)")
            try await database.withConnection { try await expectCount(2, "parent", $0) }
        },
        Case("a closed database says so") { database in
            _ = try await run(database, "SELECT 1")
            await database.close()
            try await expectCode("sql.closed", "a statement") { try await run(database, "SELECT 1") }
            await database.close()
        },
    ]
}
