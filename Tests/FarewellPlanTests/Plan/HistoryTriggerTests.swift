// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Triggers that write a history of deleted rows")
struct HistoryTriggerTests {
    private static let tables = """
        CREATE TABLE users (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users ON DELETE CASCADE, title text);
        CREATE TABLE posts_history (post_id integer, user_id integer, title text);
        """
    private static let triggers: [SQLDialect: [String]] = [
        .sqlite: [
            """
            CREATE TRIGGER history AFTER DELETE ON posts BEGIN
                INSERT INTO posts_history VALUES (OLD.id, OLD.user_id, OLD.title); END
            """
        ],
        .postgresql: [
            """
            CREATE FUNCTION history() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO posts_history VALUES (OLD.id, OLD.user_id, OLD.title); RETURN OLD; END $$
            """,
            "CREATE TRIGGER history AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION history()",
        ],
    ]

    @Test(
        "PL-4 check warns of a trigger that writes history rows which the plan finds only by deleted rows",
        arguments: SQLDialect.allCases)
    func history(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { house in
            try await house.database.withConnection { connection in
                for trigger in Self.triggers[dialect] ?? [] { _ = try await connection.run(SQLStatement(trigger)) }
            }
            let schema = try await Schema.read(from: house.database)
            for (column, target) in [("post_id", "posts"), ("user_id", "users")] {
                let plan = try await house.plan("users") { plan in
                    plan.set("posts_history", .erase)
                    plan.at("posts_history") { $0.links = [] }
                    plan.link(
                        "posts_history",
                        Link(columns: [column], target: plan.name(target), targetColumns: ["id"], shared: .erase, role: .owner))
                }
                let found = PlanCheck.findings(plan, schema).filter { $0.code.rawValue.hasPrefix("trigger.") }
                #expect(found.map(\.code.rawValue) == ["trigger.copies"] && found.first?.remedy != nil, "\(found)")
            }
        }
    }
}
