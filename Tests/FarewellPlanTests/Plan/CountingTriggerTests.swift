// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Triggers that count in rows of other tables")
struct CountingTriggerTests {
    private static let tables = """
        CREATE TABLE users (id integer PRIMARY KEY, email text);
        CREATE TABLE communities (id integer PRIMARY KEY, posts integer NOT NULL DEFAULT 0);
        CREATE TABLE posts (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
            community_id integer NOT NULL REFERENCES communities (id));
        CREATE TABLE likes (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE);
        """
    private static let triggers: [SQLDialect: [String]] = [
        .sqlite: [
            """
            CREATE TRIGGER counted AFTER DELETE ON posts BEGIN
                UPDATE communities SET posts = posts - 1 WHERE id = OLD.community_id; END
            """,
            "CREATE TRIGGER begun AFTER INSERT ON likes BEGIN UPDATE communities SET posts = posts + 0; END",
        ],
        .postgresql: [
            """
            CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE communities SET posts = posts - 1 WHERE id = OLD.community_id; RETURN OLD; END $$
            """,
            "CREATE TRIGGER counted AFTER INSERT OR DELETE ON posts FOR EACH ROW EXECUTE FUNCTION counted()",
            "CREATE TRIGGER begun AFTER INSERT ON likes FOR EACH ROW EXECUTE FUNCTION counted()",
        ],
    ]

    @Test(
        "PL-4 SQL-19 check warns of a trigger that changes a counter, until the plan declares the effect",
        arguments: SQLDialect.allCases)
    func counter(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { house in
            try await house.database.withConnection { connection in
                for trigger in Self.triggers[dialect] ?? [] { _ = try await connection.run(SQLStatement(trigger)) }
            }
            let schema = try await Schema.read(from: house.database)
            var plan = try await house.plan("users")
            let found = PlanCheck.findings(plan, schema).filter { $0.code == "trigger.changes-others" }
            let (posts, communities) = (house.name("posts"), house.name("communities"))
            #expect(found.map(\.table) == [posts] && found.allSatisfy { $0.severity == .warning }, "\(found)")
            let line = "effects: [{on: \(posts), also: \(communities), updates: 1}]"
            #expect(found.first?.remedy?.contains(line) == true, "\(found)")
            plan.effects = [TriggerEffect(on: posts, also: communities, updates: .perRow(1))]
            #expect(!PlanCheck.findings(plan, schema).contains { $0.code == "trigger.changes-others" })
        }
    }
}
