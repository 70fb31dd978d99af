// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

struct PlanSamplingTests {
    /// The UUID of the person, or thing, with a number.
    private static func uuid(_ kind: Int, _ number: Int) -> String {
        String(format: "%08x-0000-4000-8000-%012x", kind, number * 7919)
    }

    private static func fill(_ table: String, _ row: (Int) -> String, count: Int, in database: any SQLDatabase)
        async throws
    {
        let rows = (1...count).map { "(\(row($0)))" }.joined(separator: ", ")
        try await database.script("INSERT INTO \(table) VALUES \(rows)")
    }

    private func sampled(_ database: any SQLDatabase, rows: Int = 1_000) async throws -> [Finding] {
        let schema = try await Schema.read(from: database)
        let users = schema.dialect == .sqlite ? "users.id" : "public.users.id"
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: users)).plan
        plan.questions = []
        // Proposals by names are removed: only values count here.
        for index in plan.tables.indices where plan.tables[index].table != plan.subject.table {
            plan.tables[index].rule = .notPersonal
            plan.tables[index].links = []
            plan.tables[index].columns = plan.tables[index].columns.map { .init($0.name) }
        }
        return try await PlanSampling(rowsPerTable: rows).findings(plan, schema, database)
    }

    @Test("BX-1 a soft link under an innocent name is found by its values", arguments: PlanDatabase.allCases)
    func innocentNames(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id \(kind.uuid) PRIMARY KEY NOT NULL, email text)",
                "CREATE TABLE a (n integer PRIMARY KEY, whom \(kind.uuid))",
                "CREATE TABLE b (n integer PRIMARY KEY, thing text)",
                "CREATE TABLE c (n integer PRIMARY KEY, payload \(kind.json))",
                "CREATE TABLE d (n integer PRIMARY KEY, remark text, subject_line text)",
                "CREATE TABLE e (n integer PRIMARY KEY, contact text)",
                "CREATE TABLE f (n integer PRIMARY KEY, other \(kind.uuid), label text, size integer, "
                    + "doc \(kind.json))",
                "CREATE TABLE g (id \(kind.uuid) PRIMARY KEY NOT NULL, extra text)")
            try await Self.fill("users", { "'\(Self.uuid(1, $0))', 'p\($0)@example.org'" }, count: 50, in: database)
            try await Self.fill("a", { "\($0), '\(Self.uuid($0 < 200 ? 9 : 1, $0 % 50))'" }, count: 240, in: database)
            try await Self.fill("b", { "\($0), '\(Self.uuid(1, $0).uppercased())'" }, count: 20, in: database)
            try await Self.fill(
                "c", { "\($0), '{\"v\": 1, \"by\": {\"who\": \"\(Self.uuid(1, $0))\"}}'" }, count: 20, in: database)
            try await Self.fill("d", { "\($0), 'person/\(Self.uuid(1, $0))/file', 'hello'" }, count: 20, in: database)
            try await Self.fill("e", { "\($0), 'p\($0)@example.org'" }, count: 20, in: database)
            try await Self.fill(
                "f", { "\($0), '\(Self.uuid(5, $0))', 'label \($0)', \($0), '{\"size\": \($0)}'" }, count: 40,
                in: database)
            try await Self.fill("g", { "'\(Self.uuid(1, $0))', 'x'" }, count: 20, in: database)

            let findings = try await sampled(database)
            let found = findings.map { "\($0.code.rawValue) \($0.table?.name ?? "").\($0.column ?? "")" }
            #expect(
                found == [
                    "link.sampled a.whom", "link.sampled b.thing", "link.sampled c.payload", "link.sampled d.remark",
                    "copy.sampled e.contact", "link.sampled g.id",
                ])
            #expect(findings.allSatisfy { $0.severity == .error && $0.remedy != nil })
            #expect(findings.first { $0.column == "payload" }?.remedy?.contains("path: [by, who]") == true)
            let text = findings.map { $0.message + ($0.remedy ?? "") }.joined()
            #expect(!text.contains("example.org") && !text.contains("-4000-"), "a finding holds no value")
        }
    }

    @Test(
        "BX-1 sampling finds another user in a subject's own row by value, and does not report the subject",
        arguments: PlanDatabase.allCases)
    func others(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            let isPostgreSQL = database.dialect == .postgresql
            try await database.script(
                "CREATE TABLE users (id \(kind.uuid) PRIMARY KEY NOT NULL, email text, friends \(kind.json))",
                "CREATE TABLE teams (n integer PRIMARY KEY, owner \(kind.uuid) NOT NULL REFERENCES users (id), "
                    + "members \(isPostgreSQL ? "uuid[]" : kind.json), doc \(kind.json), remark text)")
            let list = { (one: Int, other: Int) in
                isPostgreSQL
                    ? "'{\(Self.uuid(1, one)),\(Self.uuid(1, other))}'" : "'[\"\(Self.uuid(1, one))\", \"\(Self.uuid(1, other))\"]'"
            }
            try await Self.fill(
                "users",
                {
                    "'\(Self.uuid(1, $0))', 'p\($0)@example.org', "
                        + "'{\"me\": \"\(Self.uuid(1, $0))\", \"of\": [\"\(Self.uuid(1, $0 % 20 + 1))\"]}'"
                },
                count: 20, in: database)
            try await Self.fill(
                "teams",
                {
                    "\($0), '\(Self.uuid(1, $0))', \(list($0, $0 % 20 + 1)), "
                        + "'{\"by\": \"\(Self.uuid(1, $0))\"}', 'of \(Self.uuid(1, $0))'"
                }, count: 20, in: database)
            let schema = try await Schema.read(from: database)
            let users = schema.dialect == .sqlite ? "users.id" : "public.users.id"
            var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: users)).plan
            // Questions about other columns are removed: only values count there.
            plan.questions.removeAll { $0.columns != ["owner"] }
            plan = plan.answeringAll(.owner)
            let findings = try await PlanSampling().findings(plan, schema, database)
            let found = findings.map { "\($0.severity) \($0.code.rawValue) \($0.table?.name ?? "").\($0.column ?? "")" }
            #expect(found == ["warning link.sampled teams.members", "warning link.sampled users.friends"], "\(findings)")
            #expect(
                findings.allSatisfy { finding in
                    finding.message.hasPrefix("20 of 20 ") && finding.remedy?.contains(", list: ") == true
                        && finding.remedy?.contains(", role: reference} to the links") == true
                },
                "\(findings)")
        }
    }

    @Test("a path into text that holds JSON is proposed with the type that PostgreSQL needs for it", arguments: PlanDatabase.allCases)
    func textWithJSON(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id \(kind.uuid) PRIMARY KEY NOT NULL, email text)",
                "CREATE TABLE c (n integer PRIMARY KEY, payload text)")
            try await Self.fill("users", { "'\(Self.uuid(1, $0))', 'p\($0)@example.org'" }, count: 50, in: database)
            try await Self.fill("c", { "\($0), '{\"by\": {\"who\": \"\(Self.uuid(1, $0))\"}}'" }, count: 20, in: database)
            let remedy = try #require(try await sampled(database).first { $0.column == "payload" }?.remedy)
            #expect(remedy.contains("path: [by, who]") && remedy.contains("jsonb") == (kind == .postgresql), "\(remedy)")
        }
    }

    @Test(
        "PL-1 PL-7 counted keys raise an alarm only where all values are keys, numerous and widely spread, and count nothing else",
        arguments: PlanDatabase.allCases)
    func countedKeys(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text)",
                "CREATE TABLE products (id integer PRIMARY KEY, label text)",
                "CREATE TABLE lines (id integer PRIMARY KEY, product_id integer, quantity integer, "
                    + "cents integer, whom numeric(12,0), place integer NOT NULL DEFAULT 0, product integer, "
                    + "member_type text CHECK (member_type IN ('node', 'way')), member_id integer)",
                "CREATE TABLE small (id integer PRIMARY KEY, member integer, rank integer, code text)")
            try await Self.fill("users", { "\($0), 'p\($0)@example.org'" }, count: 600, in: database)
            try await Self.fill("products", { "\($0), 'l'" }, count: 600, in: database)
            try await Self.fill(
                "lines",
                {
                    "\($0), \($0 % 599 + 1), \($0 % 30 + 1), \($0 * 37), \($0 * 13 % 600 + 1), \($0 * 7 % 600 + 1), "
                        + "\($0 * 11 % 600 + 1), 'node', \($0 * 17 % 600 + 1)"
                }, count: 500, in: database)
            try await Self.fill("small", { "\($0), \($0 * 31), \($0), '\($0)'" }, count: 12, in: database)
            let found = try await sampled(database).map { "\($0.table?.name ?? "").\($0.column ?? "")" }
            #expect(found == ["lines.whom", "small.member"])
            let schema = try await Schema.read(from: database)
            let users = schema.dialect == .sqlite ? "users.id" : "public.users.id"
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: users))
            let asked = try await QuestionSampling().sampled(draft, schema, database).plan.questions
            let whom = try #require(asked.first { $0.columns == ["whom"] }, "\(asked)")
            #expect(whom.answers == [.unrelated, .owner, .reference], "other numbers count as well: \(whom)")
            #expect(whom.reason.contains("perhaps because both are counted"), "\(whom)")
            #expect(!asked.contains { $0.columns == ["place"] || $0.columns == ["member_id"] }, "\(asked)")
        }
    }

    @Test("keys may range from the smallest number to the largest", arguments: PlanDatabase.allCases)
    func widestKeys(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id bigint PRIMARY KEY, email text)", "CREATE TABLE a (n integer PRIMARY KEY, size bigint)")
            let keys = [Int64.min, 0, 1_000_000_007, .max]
            try await Self.fill("users", { "\(keys[$0 - 1]), 'p'" }, count: 4, in: database)
            try await Self.fill("a", { "\($0), \(keys[$0 - 1])" }, count: 4, in: database)
            #expect(try await sampled(database).map(\.column) == ["size"])
        }
    }

    @Test("a sample is bounded, and reaches beyond the first rows", arguments: PlanDatabase.allCases)
    func bounded(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id \(kind.uuid) PRIMARY KEY NOT NULL, email text)",
                "CREATE TABLE a (n integer PRIMARY KEY, whom text)")
            try await Self.fill("users", { "'\(Self.uuid(1, $0))', 'p'" }, count: 20, in: database)
            // Only newer rows hold keys.
            for part in 0..<6 {
                try await Self.fill(
                    "a", { "\(part * 500 + $0), '\(part < 3 ? "old" : Self.uuid(1, $0 % 20 + 1))'" }, count: 500,
                    in: database)
            }
            try await database.script("ANALYZE")
            let findings = try await sampled(database, rows: 100)
            #expect(findings.map(\.column) == ["whom"])
        }
    }

    @Test("empty tables and an empty database lead to no finding", arguments: PlanDatabase.allCases)
    func empty(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE users (id integer PRIMARY KEY, email text)",
                "CREATE TABLE a (n integer PRIMARY KEY, whom integer, who text)")
            #expect(try await sampled(database) == [])
        }
    }
}
