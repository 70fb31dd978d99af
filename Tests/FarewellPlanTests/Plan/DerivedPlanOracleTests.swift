// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Where all keys cascade or set null, `DELETE` alone says what a derived plan must do.
struct DerivedPlanOracleTests {
    @Test("a derived plan has the same effect on every row as the database's own keys")
    func equalsDelete() async throws {
        try await PlanDatabase.postgresql.with { database in
            var compared = 0
            for seed in UInt64(1)...120 {
                compared += try await database.withConnection { connection in
                    var random = PlanSeed(seed: seed)
                    let script = Self.script(in: "s\(seed)", &random)
                    for text in script { _ = try await connection.run(SQLStatement(text)) }
                    let schema = try await Schema.read(from: connection)
                    let plan = try RandomSchema.plan(for: schema)
                    #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error } == [], "seed \(seed)")

                    if let expected = try await Self.deleted(seed, schema, connection) {
                        let found = try await Self.erased(plan, schema, connection)
                        #expect(found == expected, "seed \(seed)")
                        _ = try await connection.run(SQLStatement("DROP SCHEMA s\(seed) CASCADE"))
                        return 1
                    }
                    _ = try await connection.run(SQLStatement("DROP SCHEMA s\(seed) CASCADE"))
                    return 0
                }
            }
            #expect(compared > 100, "the database itself refused only a few")
        }
    }

    /// The remaining rows after a bare `DELETE`; `nil` if PostgreSQL refuses it: a row that two keys empty and a
    /// third deletes is checked once more in between.
    private static func deleted(_ seed: UInt64, _ schema: Schema, _ connection: any SQLConnection) async throws
        -> [String]?
    {
        try await connection.run("BEGIN")
        do {
            _ = try await connection.run(SQLStatement("DELETE FROM s\(seed).users WHERE id = 2"))
        } catch let error as FarewellError where error.code == "sql.23503" {
            try await connection.run("ROLLBACK")
            return nil
        }
        let rows = try await dump(schema, connection)
        try await connection.run("ROLLBACK")
        return rows
    }

    /// The remaining rows after the plan's own statements.
    private static func erased(_ plan: Plan, _ schema: Schema, _ connection: any SQLConnection) async throws -> [String] {
        try await connection.run("BEGIN")
        let program = try RowProgram(graph: RowGraph(plan: plan, schema: schema))
        for statement in program.everything.flatMap(\.statements) {
            let values = RowValues(subjects: [.integer(2)], limit: 10_000)
            _ = try await connection.run(statement.bound(values, dialect: .postgresql))
        }
        let rows = try await dump(schema, connection)
        try await connection.run("ROLLBACK")
        return rows
    }

    @Test(
        "rows of the subject's own table that name the subject belong to their own users", arguments: PlanDatabase.allCases)
    func ownTable(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, boss integer REFERENCES users, "
                    + "friend integer REFERENCES users)",
                "CREATE TABLE notes (id integer PRIMARY KEY, user_id integer REFERENCES users)",
                "INSERT INTO users VALUES (1, NULL, NULL), (2, 1, NULL), (3, 2, 1), (4, 2, NULL), (5, NULL, 2)",
                "INSERT INTO notes VALUES (1, 1), (2, 2), (3, 3)")
            let schema = try await Schema.read(from: database)
            var plan = try PlanDerivation.draft(from: schema).plan
            #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error } == [])
            plan.edit(plan.subject.table.description) { users in
                #expect(users.links.map(\.role) == [.reference, .reference])
                for place in users.links.indices { users.links[place].role = nil }
            }
            let open = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(open.map(\.code) == ["rule.touches-neighbour", "rule.touches-neighbour"])
            for index in plan.tables.indices where plan.tables[index].table == plan.subject.table {
                plan.tables[index].links = plan.tables[index].links.map { link in
                    var link = link
                    link.shared = .unlink
                    return link
                }
            }
            let decided = plan
            #expect(PlanCheck.findings(decided, schema).filter { $0.severity == .error } == [])
            try await database.withConnection { connection in
                let program = try RowProgram(graph: RowGraph(plan: decided, schema: schema))
                for statement in program.everything.flatMap(\.statements) {
                    let values = RowValues(subjects: [.integer(2)], limit: 10_000)
                    _ = try await connection.run(statement.bound(values, dialect: connection.dialect))
                }
                #expect(
                    try await Self.rows("SELECT * FROM users ORDER BY id", connection) == [
                        "1 - -", "3 - 1", "4 - -", "5 - -",
                    ])
                #expect(try await Self.rows("SELECT * FROM notes ORDER BY id", connection) == ["1 1", "3 3"])
            }
        }
    }

    /// Users who may name each other, and tables with cascading and emptying keys.
    private static func script(in schema: String, _ random: inout PlanSeed) -> [String] {
        let users = "\(schema).users"
        var names = [users]
        let own = random.below(3) == 0 ? ", k0 bigint REFERENCES \(users) ON DELETE SET NULL" : ""
        var statements = ["CREATE SCHEMA \(schema)", "CREATE TABLE \(users) (id bigint PRIMARY KEY\(own))"]
        for row in 1...4 {
            let other = row > 1 && random.below(2) == 0 ? "\(1 + random.below(row - 1))" : "NULL"
            statements.append("INSERT INTO \(users) VALUES (\(row)\(own.isEmpty ? "" : ", \(other)"))")
        }
        for number in 0..<(1 + random.below(6)) {
            let table = "\(schema).t\(number)"
            let targets = (0..<random.pick([1, 1, 2, 2, 3])).map { key in
                key == 0 && random.below(5) == 0 ? table : random.pick(names)
            }
            let keys = targets.enumerated().map { key, target in
                ", k\(key) bigint REFERENCES \(target) ON DELETE \(random.pick(["CASCADE", "CASCADE", "SET NULL"]))"
            }
            statements.append("CREATE TABLE \(table) (id bigint PRIMARY KEY\(keys.joined()))")
            for row in 1...8 {
                let values = targets.map { target -> String in
                    let count = target == table ? row - 1 : target == users ? 4 : 8
                    return count == 0 || random.below(4) == 0 ? "NULL" : "\(1 + random.below(count))"
                }
                statements.append("INSERT INTO \(table) VALUES (\((["\(row)"] + values).joined(separator: ", ")))")
            }
            names.append(table)
        }
        return statements
    }

    private static func dump(_ schema: Schema, _ connection: any SQLConnection) async throws -> [String] {
        var dump: [String] = []
        for table in schema.tables {
            let text = "SELECT * FROM \(quoted(table.name)) ORDER BY id"
            dump += try await rows(text, connection).map { "\(table.name.name): \($0)" }
        }
        return dump
    }

    private static func rows(_ text: String, _ connection: any SQLConnection) async throws -> [String] {
        try await connection.run(SQLStatement(text)).rows.map { row in
            row.map { $0.text ?? "-" }.joined(separator: " ")
        }
    }

    private static func quoted(_ table: TableName) -> String {
        SQLDialect.postgresql.qualified(table)
    }
}
