// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Conditions on lists and columns that an erasure empties")
struct ShorterListTests {
    // MARK: Two rows

    private static let users = SchemaSketch.table("public.users", "id int pk", "email text")

    /// The findings about the list of a table that has one index or constraint more.
    private static func unequal(_ edit: (inout SchemaTable) -> Void) -> [Finding] {
        var teams = SchemaSketch.table(
            "public.teams", "id int pk", "owner int not-null -> public.users.id cascade", "members jsonb", "size int generated",
            "slot int")
        teams.columns[3].qualifiedDefault = "jsonb_array_length(members)"
        edit(&teams)
        let links = [
            Link(columns: ["owner"], target: users.name, targetColumns: ["id"], onDelete: .cascade),
            Link(columns: ["members"], target: users.name, targetColumns: ["id"], role: .reference, list: .json),
        ]
        let plan = Plan(
            subject: SubjectRoot(table: users.name, key: "id"),
            tables: [
                TablePlan(table: users.name, rule: .erase, columns: users.columns.map { .init($0.name) }),
                TablePlan(table: teams.name, rule: .erase, links: links, columns: teams.columns.map { .init($0.name) }),
            ])
        return PlanCheck.findings(plan, SchemaSketch.schema(.postgresql, users, teams)).filter { $0.code == "list.not-unique" }
    }

    private static func index(_ columns: [String], _ definition: String = "") -> (inout SchemaTable) -> Void {
        {
            $0.indexes.append(
                SchemaIndex(
                    name: "kept_apart", columns: columns, isUnique: true, isPartial: definition.contains("WHERE"),
                    definition: definition))
        }
    }

    private static func exclusion(_ sign: String) -> (inout SchemaTable) -> Void {
        {
            $0.exclusions.append(
                SchemaExclusion(
                    name: "kept_apart", columns: ["members"], operators: [sign],
                    definition: "EXCLUDE USING gist (members WITH \(sign))"))
        }
    }

    @Test("SQL-14 SQL-24 SQL-28 lists that an index keeps apart, and that are equal without the subject, are a warning")
    func equalLists() {
        let found = [
            Self.index(["members"]), Self.index(["slot", "members"]), Self.index([""], "jsonb_array_length(members)"),
            Self.index(["slot"], "slot WHERE jsonb_array_length(members) = 1"), Self.index(["size"]), Self.exclusion("="),
        ]
        for edit in found {
            let findings = Self.unequal(edit)
            #expect(findings.map(\.column) == ["members"] && findings.map(\.severity) == [.warning], "\(findings)")
            #expect(findings.first?.message.contains("“kept_apart”") == true)
        }
        for edit in [Self.index(["id", "members"]), Self.index(["slot"], "slot WHERE slot > 0"), Self.exclusion("&&")] {
            #expect(Self.unequal(edit) == [])
        }
    }

    // MARK: One row

    @Test(
        "SQL-14 SQL-21 checks, domains and generated columns that refuse a list with fewer members are a warning",
        arguments: SQLDialect.allCases)
    func shortLists(_ dialect: SQLDialect) async throws {
        let isPostgreSQL = dialect == .postgresql
        let length = isPostgreSQL ? "jsonb_array_length(members)" : "json_array_length(members)"
        var conditions = [
            "bounded": ", CHECK (\(length) > 1)", "ranged": ", CHECK (\(length) BETWEEN 3 AND 9)",
            "paired": ", kind text, CHECK (kind <> 'pair' OR \(length) = 2)", "limited": ", CHECK (\(length) < 20)",
            "plain": "",
        ]
        if isPostgreSQL {
            conditions["counted"] = ", size integer GENERATED ALWAYS AS (\(length)) STORED CHECK (size > 0)"
            conditions["led"] = ", leader text GENERATED ALWAYS AS (members ->> 0) STORED NOT NULL"
            conditions["typed"] = ""
        }
        var script = isPostgreSQL ? "CREATE DOMAIN filled AS jsonb CHECK (jsonb_array_length(VALUE) > 0);" : ""
        script += "CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);"
        for (name, condition) in conditions.sorted(by: { $0.key < $1.key }) {
            script += """
                CREATE TABLE \(name) (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
                  members \(name == "typed" ? "filled" : "{json}")\(condition)); CREATE INDEX of_\(name) ON \(name) (owner);
                """
        }
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let list = Link(
                    columns: ["members"], target: plan.name("people"), targetColumns: ["id"], role: .reference, list: .json)
                for name in conditions.keys { plan.at(name) { $0.links = $0.links.filter { $0.columns == ["owner"] } + [list] } }
            }
            let found = try await fixture.findings(of: plan).filter { $0.code == "list.too-short" }
            let expected = ["bounded", "paired", "ranged"] + (isPostgreSQL ? ["counted", "led", "typed"] : [])
            #expect(found.compactMap { $0.table?.name }.sorted() == expected.sorted(), "\(found)")
            #expect(found.allSatisfy { $0.severity == .warning && $0.column == "members" }, "\(found)")
            #expect(found.first { $0.table?.name == "paired" }?.message.contains("depending on kind") == true)
        }
    }

    @Test(
        "SQL-21 a check that refuses null in all of several columns is a warning at each of them",
        arguments: SQLDialect.allCases)
    func severalColumns(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
            CREATE TABLE talks (id integer PRIMARY KEY, caller integer REFERENCES people (id), called integer REFERENCES people (id),
              CONSTRAINT one_of_two CHECK (caller IS NOT NULL OR called IS NOT NULL));
            CREATE INDEX of_caller ON talks (caller); CREATE INDEX of_called ON talks (called);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.at("talks") { for place in $0.links.indices { $0.links[place].role = .reference } }
            }
            let found = try await fixture.findings(of: plan).filter { $0.code == "check.refuses-null" }
            #expect(found.compactMap(\.column).sorted() == ["called", "caller"], "\(found)")
            #expect(found.allSatisfy { $0.severity == .warning })
        }
    }

    @Test("SQL-14 a column that becomes null although no partition takes null is an error of check")
    func partitions() async throws {
        let row = "(id integer, author integer REFERENCES people (id) ON DELETE SET NULL)"
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
            CREATE TABLE listed \(row) PARTITION BY LIST (author); CREATE TABLE l1 PARTITION OF listed FOR VALUES IN (1, 2);
            CREATE TABLE ranged \(row) PARTITION BY RANGE (id);
            CREATE TABLE r1 PARTITION OF ranged FOR VALUES FROM (1) TO (9) PARTITION BY RANGE (author);
            CREATE TABLE r2 PARTITION OF r1 FOR VALUES FROM (1) TO (9);
            CREATE TABLE spare \(row) PARTITION BY LIST (author); CREATE TABLE s1 PARTITION OF spare DEFAULT;
            CREATE TABLE nulls \(row) PARTITION BY LIST (author); CREATE TABLE n1 PARTITION OF nulls FOR VALUES IN (1, NULL);
            CREATE TABLE hashed \(row) PARTITION BY HASH (author);
            CREATE TABLE h1 PARTITION OF hashed FOR VALUES WITH (MODULUS 1, REMAINDER 0);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { plan in
                for name in ["listed", "ranged", "spare", "nulls", "hashed"] { plan.set(name, .anonymise, [:]) }
            }
            let found = try await fixture.findings(of: plan).filter { $0.code == "key.null-no-partition" }
            #expect(found.compactMap { $0.table?.name }.sorted() == ["listed", "ranged"], "\(found)")
            #expect(found.allSatisfy { $0.severity == .error && $0.column == "author" }, "\(found)")
            // A role that may not use the schema learns it as well, and the question does not fail.
            let schema = try await Schema.read(from: fixture.database)
            let role = "no-usage-\(UInt64.random(in: .min ... .max))"
            try await fixture.run("REVOKE USAGE ON SCHEMA public FROM PUBLIC; CREATE ROLE \"\(role)\" LOGIN")
            let name = try await fixture.rows("SELECT current_database()")[0]
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            let seen = try await other.withConnection { try await PartitionProbe(plan, schema).findings(on: $0) }
            await other.close()
            try await fixture.run("DROP ROLE \"\(role)\"")
            #expect(seen.compactMap { $0.table?.name }.sorted() == ["listed", "ranged"], "\(seen)")
        }
    }
}
