// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Rooms with other members that lead to something of a user's")
struct SharedRoomTests {
    private static let members = """
        CREATE TABLE room_members (room_id integer NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
            user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE, PRIMARY KEY (room_id, user_id));
        """

    /// - Parameters:
    ///   - key: The text after the type of the room's key to a listing.
    ///   - column: A further column of rooms, with a comma before it.
    private static func script(_ key: String, _ column: String, _ others: String) -> String {
        """
        CREATE TABLE users (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
        CREATE TABLE listings (id integer PRIMARY KEY, seller_id integer NOT NULL REFERENCES users (id), title text);
        CREATE TABLE rooms (id integer PRIMARY KEY, listing_id integer \(key) REFERENCES listings (id), topic text\(column));
        CREATE TABLE room_messages (id integer PRIMARY KEY, room_id integer NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
            author_id integer NOT NULL REFERENCES users (id), body text);
        \(others)
        """
    }

    @Test("PL-1 PL-3 a room with other members does not go first with the listing that it is about", arguments: SQLDialect.allCases)
    func rooms(_ dialect: SQLDialect) async throws {
        let json = dialect == .sqlite ? "json" : "jsonb"
        let forms = [("", Self.members), (", participant_ids \(json)", ""), (", members \(json)", "")]
        for (column, others) in forms {
            for key in ["", "NOT NULL"] {
                try await EngineFixture.with(dialect, Self.script(key, column, others)) { house in
                    let schema = try await Schema.read(from: house.database)
                    let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
                    func first(_ table: String, _ column: String) -> PlanQuestion.Answer? {
                        plan.questions.first { $0.table.name == table && $0.columns == [column] }?.answers.first
                    }
                    #expect(first("rooms", "listing_id") == .reference, "\(key)\(column): \(plan.questions)")
                    #expect(first("room_messages", "room_id") == .unrelated, "\(key)\(column): \(plan.questions)")
                    #expect(!plan.tables.contains { $0.table.name == "rooms" && $0.rule.erasesRows })
                }
            }
        }
    }

    @Test("PL-1 PL-3 a room without other members goes with its listing as before", arguments: SQLDialect.allCases)
    func alone(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script("NOT NULL", "", "")) { house in
            let schema = try await Schema.read(from: house.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            #expect(plan.tables.contains { $0.table.name == "rooms" && $0.rule.erasesRows }, "\(plan.questions)")
        }
    }

    @Test(
        "PL-1 PL-3 a key that is never null and cascades is asked about where all users need the row, and reference comes first",
        arguments: SQLDialect.allCases)
    func needed(_ dialect: SQLDialect) async throws {
        let user = "integer NOT NULL REFERENCES users (id) ON DELETE CASCADE"
        let only = dialect == .sqlite ? "(1)" : "(true)"
        let script = """
            CREATE TABLE users (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
            CREATE TABLE local_site (id integer PRIMARY KEY, motto text, account_id \(user));
            CREATE TABLE limits (id integer PRIMARY KEY CHECK (id = 1), uploads integer, account_id \(user));
            CREATE TABLE quotas (size integer, account_id \(user));
            CREATE UNIQUE INDEX quotas_once ON quotas (\(only));
            CREATE TABLE channels (id integer PRIMARY KEY, topic text, system_account_id \(user));
            CREATE TABLE forums (id integer PRIMARY KEY, topic text, moderator_id \(user));
            CREATE TABLE replies (id integer PRIMARY KEY, forum_id integer NOT NULL REFERENCES forums (id) ON DELETE CASCADE,
                user_id \(user), body text);
            CREATE TABLE bots (id integer PRIMARY KEY, system_account_id \(user), name text, UNIQUE (system_account_id));
            CREATE TABLE agents (id integer PRIMARY KEY, bot_owner_id \(user), name text);
            CREATE TABLE tariffs (id integer PRIMARY KEY, is_chosen boolean UNIQUE CHECK (is_chosen), account_id \(user));
            CREATE TABLE notes (id integer PRIMARY KEY CHECK (id > 1), account_id \(user), body text);
            """
        try await EngineFixture.with(dialect, script) { house in
            let schema = try await Schema.read(from: house.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
            let asked = [
                "local_site": "account_id", "limits": "account_id", "quotas": "account_id", "channels": "system_account_id",
                "forums": "moderator_id",
            ]
            for (table, column) in asked {
                let question = plan.questions.first { $0.table.name == table && $0.columns == [column] }
                #expect(question?.answers.first == .reference, "\(table): \(plan.questions)")
                #expect(plan[house.name(table)]?.rule.erasesRows != true, "\(table)")
            }
            for table in ["bots", "agents", "tariffs", "notes", "replies"] {
                #expect(plan[house.name(table)]?.rule.erasesRows == true, "\(table): \(plan.questions)")
            }
        }
    }
}
