// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SQLDatabaseConformance {
    /// Statements that must fail, and the code they must fail with.
    private static let mistakes: [(code: String, text: String)] = [
        ("sql.23505", "INSERT INTO parent VALUES (1, 'canary-value')"),
        ("sql.23503", "INSERT INTO child (id, parent) VALUES (9, 7070707)"),
        ("sql.23502", "INSERT INTO parent (id) VALUES (9)"),
        ("sql.23514", "INSERT INTO child (id, parent, age) VALUES (9, 1, 7070707)"),
        ("sql.42P01", "SELECT * FROM nowhere"),
        ("sql.42703", "SELECT no_such_column FROM parent"),
        ("sql.42883", "SELECT no_such_function(1)"),
        ("sql.42P07", "CREATE TABLE parent (id bigint)"),
        ("sql.42601", "SELEKT 'canary-value'"),
        ("sql.42601", "SELECT 1; SELECT 2"),
    ]

    static let refusals: [Case] = [
        Case("each mistake has its SQLSTATE, and no error tells a value") { database in
            try await makeFamily(database)
            try await database.withConnection { connection in
                for (code, text) in mistakes {
                    let error = try await failure(text) { try await connection.run(SQLStatement(text)) }
                    try expectEqual(error.sqlCode, code, "The code of: \(text)")
                    let told = String(describing: error)
                    let isSilent = !told.contains("canary-value") && !told.contains("7070707")
                    try expect(isSilent, "no value is told by: \(told)")
                }
                try await expectCount(2, "parent", connection)
            }
        },
        Case("an error names the table, column or constraint") { database in
            try await makeFamily(database)
            let missing = try await failure("null") { try await run(database, "INSERT INTO parent (id) VALUES (9)") }
            try expect("\(missing)".contains("parent") && "\(missing)".contains("name"), "named: \(missing)")
            let check = try await failure("age") {
                try await run(database, "INSERT INTO child (id, age) VALUES (9, 300)")
            }
            try expect("\(check)".contains("grown"), "the constraint is named: \(check)")
            let unknown = try await failure("table") { try await run(database, "SELECT * FROM nowhere") }
            try expect("\(unknown)".contains("nowhere"), "the table is named: \(unknown)")
        },
        Case("a value of the wrong type is refused without being told") { database in
            _ = try await run(database, "CREATE TABLE t (a integer PRIMARY KEY)")
            let error = try await failure("text for a number") {
                try await run(database, "INSERT INTO t VALUES ($1)", .text("canary-value"))
            }
            try expect(error.sqlCode == "sql.22P02" || error.sqlCode == "sql.42804", "the code is \(error.sqlCode)")
            try expect(!"\(error)".contains("canary"), "no value is told by: \(error)")
        },
        Case("an error inside a transaction ends it") { database in
            try await makeFamily(database)
            try await expectCode("sql.23505", "a second parent 1") {
                try await database.transaction { connection in
                    try await connection.run("INSERT INTO parent VALUES (3, 'Cy')")
                    try await connection.run("INSERT INTO parent VALUES (1, 'Eve')")
                }
            }
            try await database.withConnection { try await expectCount(2, "parent", $0) }
        },
    ]
}
