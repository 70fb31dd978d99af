// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SQLDatabaseConformance {
    static let transactions: [Case] = [
        Case("a pipeline answers each statement, in order") { database in
            try await database.withConnection { connection in
                let none = try await connection.pipeline([])
                try expectEqual(none, [], "The answer to nothing")
                let found = try await connection.pipeline(
                    (1...500).map { SQLStatement("SELECT \($0 % 7) + \($0)", []) })
                try expectEqual(found.count, 500, "The number of answers")
                try expectEqual(found[99].scalar, .integer(100 % 7 + 100), "The hundredth answer")
            }
        },
        Case("a pipeline that fails has changed nothing, and the connection is usable") { database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                try await expectCode("sql.23505", "a second parent 1") {
                    try await connection.pipeline([
                        SQLStatement("INSERT INTO parent VALUES (3, 'Cy')"),
                        SQLStatement("INSERT INTO parent VALUES (1, 'Eve')"),
                        SQLStatement("DELETE FROM parent"),
                    ])
                }
                try await expectCount(2, "parent", connection)
            }
        },
        Case("a pipeline may hold its own transaction") { database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                let found = try await connection.pipeline([
                    SQLStatement("BEGIN"), SQLStatement("DELETE FROM parent WHERE id = $1", [.integer(1)]),
                    SQLStatement("COMMIT"),
                ])
                try expectEqual(found.map(\.affected), [0, 1, 0], "Rows affected")
                try await expectCode("sql.42P01", "an unknown table") {
                    try await connection.pipeline([
                        SQLStatement("BEGIN"), SQLStatement("DELETE FROM parent"),
                        SQLStatement("DELETE FROM nowhere"), SQLStatement("COMMIT"),
                    ])
                }
                try await expectCount(1, "parent", connection)
                try await connection.run("BEGIN")
                try await connection.run("COMMIT")
            }
        },
        Case("a transaction that is told to end does, whatever is done meanwhile, and says what that met with") {
            database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                try await connection.run("BEGIN")
                var isDone = false
                let ending = [SQLStatement("DELETE FROM parent WHERE id = 1"), SQLStatement("COMMIT")]
                let found = try await connection.finish(ending) { isDone = true }
                try expect(isDone && found.first?.affected == 1, "both were done")
                try await connection.run("BEGIN")
                let error = try await failure("what is done meanwhile") {
                    try await connection.finish([SQLStatement("DELETE FROM parent"), SQLStatement("COMMIT")]) {
                        throw SQLDatabaseViolation(description: "on purpose")
                    }
                }
                try expect(error is SQLDatabaseViolation, "its error is thrown on")
                try await expectCount(0, "parent", connection)
            }
        },
        Case("of two pipelines on their way together the first is answered first, and each in order") { database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                let begin = [SQLStatement("BEGIN"), SQLStatement("DELETE FROM parent WHERE id = 1")]
                let end = [SQLStatement("SELECT count(*) FROM parent"), SQLStatement("COMMIT")]
                let (deleted, left) = try await connection.pipeline(begin, then: end) { $0.map(\.affected) }
                try expectEqual(deleted, [0, 1], "Rows affected")
                try expectEqual(left.first?.scalar, .integer(1), "Rows left")
                try expectEqual(left.count, 2, "The number of the second's answers")
                let none = try await connection.pipeline([], then: []) { $0.count }
                try expect(none.value == 0 && none.results.isEmpty, "the answers to nothing")
                let behind = try await connection.pipeline([], then: [SQLStatement("SELECT 7")]) { $0.count }
                try expect(behind.value == 0 && behind.results.first?.scalar == .integer(7), "a second without a first")
                let before = try await connection.pipeline([SQLStatement("SELECT 8")], then: []) { $0.first?.scalar }
                try expect(before.value == .integer(8) && before.results.isEmpty, "a first without a second")
            }
        },
        Case("of two pipelines on their way together either may fail, and what is done between them") { database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                let begin = [SQLStatement("BEGIN"), SQLStatement("DELETE FROM parent")]
                // A transaction that the failing pipeline began itself has ended already.
                func rollBack() async { _ = try? await connection.run("ROLLBACK") }
                let end = [SQLStatement("COMMIT")], wrong = SQLStatement("DELETE FROM nowhere")
                var isDone = false
                try await expectCode("sql.42P01", "an unknown table in the first") {
                    try await connection.pipeline(begin + [wrong], then: end) { _ in isDone = true }
                }
                try expect(!isDone, "nothing is done with answers that there are not")
                await rollBack()
                try await expectCode("sql.42P01", "an unknown table in the second") {
                    try await connection.pipeline(begin, then: [wrong] + end) { _ in isDone = true }
                }
                try expect(isDone, "the first was answered")
                await rollBack()
                try await expectCount(2, "parent", connection)
                let error = try await failure("what is done between") {
                    _ = try await connection.pipeline(begin, then: [SQLStatement("SELECT 1")]) { _ in
                        throw SQLDatabaseViolation(description: "on purpose")
                    }
                }
                try expect(error is SQLDatabaseViolation, "its error is thrown on")
                await rollBack()
                try await expectCount(2, "parent", connection)
            }
        },
        Case("a pipeline of thousands does not lock up") { database in
            _ = try await run(database, "CREATE TABLE t (a bigint, b text)")
            let filler = String(repeating: "x", count: 500)
            try await database.withConnection { connection in
                let found = try await connection.pipeline(
                    (0..<10_000).map {
                        SQLStatement("INSERT INTO t VALUES ($1, $2) RETURNING a, b", [.integer($0), .text(filler)])
                    })
                try expectEqual(found.last?.scalar, .integer(9999), "The last answer")
                try await expectCount(10_000, "t", connection)
            }
        },
        Case("a transaction takes effect as a whole") { database in
            try await makeFamily(database)
            let name = try await database.transaction { connection in
                try await connection.run("UPDATE parent SET name = 'Eve' WHERE id = 1")
                return try await connection.run("SELECT name FROM parent WHERE id = 1").scalar?.text
            }
            try expectEqual(name, "Eve", "The name read inside")
            let error = try await failure("the body") {
                try await database.transaction { connection in
                    try await connection.run("DELETE FROM parent")
                    throw SQLDatabaseViolation(description: "on purpose")
                }
            }
            try expect(error is SQLDatabaseViolation, "the body's error is thrown on")
            try await database.withConnection { try await expectCount(2, "parent", $0) }
        },
        Case("every isolation can be had") { database in
            for isolation in SQLIsolation.allCases {
                let one = try await database.transaction(isolation) { try await $0.run("SELECT 1").scalar }
                try expectEqual(one, .integer(1), "The answer")
            }
        },
        Case("a transaction left open is rolled back") { database in
            try await makeFamily(database)
            for _ in 1...5 {
                try await database.withConnection { connection in
                    try await connection.run("BEGIN")
                    try await connection.run("DELETE FROM parent")
                }
                try await database.withConnection { try await expectCount(2, "parent", $0) }
            }
        },
        Case("a transaction is tried again when the database asks for it, as often as allowed") { database in
            let waits = Waits()
            let backoff = SQLBackoff(sleep: { waits.add($0) }, random: { 0.5 })
            let tries = Waits()
            try await expectCode("sql.40001", "a transaction that always collides") {
                try await database.transaction(attempts: 4, backoff: backoff) { connection in
                    tries.add(.zero)
                    try await connection.run("SELECT 1")
                    throw FarewellError("sql.40001", .tryAgain, "Collided.")
                }
            }
            try expectEqual(tries.all.count, 4, "The number of tries")
            try expectEqual(
                waits.all, [.microseconds(7500), .milliseconds(15), .milliseconds(30)], "The waits between")
            let other = try await failure("another error") {
                try await database.transaction(backoff: backoff) { try await $0.run("SELECT * FROM nowhere") }
            }
            try expectEqual(other.sqlCode, "sql.42P01", "The code")
            try expectEqual(waits.all.count, 3, "The number of waits after an error not worth another try")
        },
        Case("two writers of one row both get through") { database in
            _ = try await run(database, "CREATE TABLE counter (n bigint)")
            _ = try await run(database, "INSERT INTO counter VALUES (0)")
            try await withThrowingTaskGroup { group in
                for _ in 1...8 {
                    group.addTask {
                        try await database.transaction(.serializable, attempts: 50) { connection in
                            let n = try await connection.run("SELECT n FROM counter").scalar?.integer ?? 0
                            try await connection.run("UPDATE counter SET n = $1", .integer(n + 1))
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try await run(database, "SELECT n FROM counter").scalar, .integer(8), "The count")
        },
    ]

    static func expectCount(_ count: Int64, _ table: String, _ connection: any SQLConnection) async throws {
        let found = try await connection.run("SELECT count(*) FROM \(table)")
        try expectEqual(found.scalar, .integer(count), "Rows of \(table)")
    }

    /// The requested durations of an injected sleep.
    final class Waits: Sendable {
        private let durations = Guarded<[Duration]>([])
        var all: [Duration] { durations.withLock { $0 } }
        func add(_ duration: Duration) { durations.withLock { $0.append(duration) } }
    }
}
