// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The check of a plan against a database that changed later")
struct LiveMutationTests {
    /// A change by the database's own statements, and what must be said about it.
    struct Mutation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Finding.Code
        let table: String
        let statements: @Sendable (SQLDialect) -> [String]

        init(
            _ name: String, _ code: Finding.Code, at table: String,
            _ statements: @escaping @Sendable (SQLDialect) -> [String]
        ) {
            testDescription = name
            self.code = code
            self.table = table
            self.statements = statements
        }
    }

    private static let ada = "5f0c8a4e-0000-4000-8000-000000000001"
    private static let bob = "5f0c8a4e-0000-4000-8000-000000000002"

    private static let script = """
        CREATE TABLE people (id text NOT NULL PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author text NOT NULL REFERENCES people (id) ON DELETE CASCADE, body text);
        CREATE INDEX by_author ON posts (author);
        CREATE TABLE log (line text);
        INSERT INTO people VALUES ('\(ada)', 'ada@example.org'), ('\(bob)', 'bob@example.org');
        INSERT INTO posts VALUES (10, '\(ada)', 'one'), (20, '\(bob)', 'two');
        """

    private static let mutations = [
        Mutation("a new table", "table.unaccounted", at: "drafts") { _ in
            ["CREATE TABLE drafts (id integer PRIMARY KEY, author text)"]
        },
        Mutation("a new column", "column.unaccounted", at: "posts") { _ in ["ALTER TABLE posts ADD COLUMN mood text"] },
        Mutation("a dropped key", "key.gone", at: "posts") { posts(key: "", $0) },
        Mutation("a key whose action changed", "key.changed", at: "posts") { posts(key: "REFERENCES people (id)", $0) },
        Mutation("a new trigger", "trigger.copies", at: "posts") { dialect in
            let copy = "BEGIN INSERT INTO log VALUES (OLD.body);"
            guard dialect == .postgresql else { return ["CREATE TRIGGER keep AFTER DELETE ON posts \(copy) END"] }
            return [
                "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ \(copy) RETURN NULL; END $$",
                "CREATE TRIGGER keep AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION keep()",
            ]
        },
    ]

    /// The key of `posts` made another one. SQLite changes none in a table that is there.
    private static func posts(key: String, _ dialect: SQLDialect) -> [String] {
        guard dialect == .postgresql else {
            return [
                "DROP TABLE posts",
                "CREATE TABLE posts (id integer PRIMARY KEY, author text NOT NULL \(key), body text)",
                "CREATE INDEX by_author ON posts (author)",
            ]
        }
        let dropped = "ALTER TABLE posts DROP CONSTRAINT posts_author_fkey"
        return key.isEmpty ? [dropped] : [dropped, "ALTER TABLE posts ADD FOREIGN KEY (author) \(key)"]
    }

    /// The derived plan, with the fingerprint of the schema as it is.
    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        let schema = try await Schema.read(from: fixture.database)
        let subject = ColumnName(fixture.name("people"), "id")
        return try PlanDerivation.draft(from: schema, subject: subject, fingerprint: schema.fingerprint).plan
    }

    /// The findings of `farewell check --sample`.
    private func held(_ plan: Plan, _ database: any SQLDatabase) async throws -> [Finding] {
        let schema = try await Schema.read(from: database)
        let found = try await PlanCheck.findings(plan, schema, fingerprint: schema.fingerprint, on: database)
        return found + (try await PlanSampling().findings(plan, schema, database))
    }

    private func run(_ statements: [String], _ fixture: EngineFixture) async throws {
        try await fixture.database.withConnection { connection in
            for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
        }
    }

    @Test(
        "BX-1 a change in the database itself is reported at its table, and no finding exists before",
        arguments: SQLDialect.allCases, mutations)
    func changed(_ dialect: SQLDialect, _ mutation: Mutation) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let plan = try await plan(fixture)
            let before = try await held(plan, fixture.database)
            #expect(before == [])
            try await run(mutation.statements(dialect), fixture)
            let found = try await held(plan, fixture.database)
            #expect(found.contains { $0.code == mutation.code && $0.table == fixture.name(mutation.table) }, "\(found)")
            #expect(found.contains { $0.code == "schema.changed" }, "\(found)")
        }
    }

    @Test(
        "BX-1 a new table with a soft link under an innocent name is found, also once the plan calls it not personal",
        arguments: SQLDialect.allCases)
    func softLink(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            var plan = try await plan(fixture)
            try await run(
                ["CREATE TABLE misc (n integer PRIMARY KEY, whom text)", "INSERT INTO misc SELECT id, author FROM posts"], fixture)
            let misc = fixture.name("misc")
            let unlisted = try await held(plan, fixture.database)
            #expect(unlisted.contains { $0.code == "table.unaccounted" && $0.table == misc }, "\(unlisted)")

            // Its author takes the new schema for good, without having looked.
            plan.tables.append(TablePlan(table: misc, rule: .notPersonal, columns: [.init("n"), .init("whom")]))
            plan.schemaFingerprint = try await Schema.read(from: fixture.database).fingerprint
            let listed = try await held(plan, fixture.database)
            #expect(listed.map(\.code) == ["link.sampled"], "\(listed)")
            #expect(listed.allSatisfy { $0.table == misc && $0.column == "whom" && $0.severity == .error }, "\(listed)")
        }
    }

    @Test("BX-1 newly enabled row security is found by the role whose rows it may hide, and no finding exists before")
    func rowSecurity() async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let role = "unseeing-\(UInt64.random(in: .min ... .max))"
            try await fixture.run(
                """
                CREATE ROLE "\(role)" LOGIN;
                GRANT SELECT, UPDATE, DELETE ON people, posts, log TO "\(role)";
                """)
            let plan = try await plan(fixture)
            let name = try await fixture.rows("SELECT current_database()")[0]
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            let before = try await held(plan, other)
            #expect(before == [])
            try await fixture.run("ALTER TABLE posts ENABLE ROW LEVEL SECURITY")
            let found = try await held(plan, other)
            let isFound = found.contains {
                $0.code == "row-security.hides" && $0.table == fixture.name("posts") && $0.severity == .error
            }
            #expect(isFound, "\(found)")
            #expect(found.contains { $0.code == "schema.changed" }, "\(found)")
            await other.close()
            try await fixture.run("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\";")
        }
    }
}
