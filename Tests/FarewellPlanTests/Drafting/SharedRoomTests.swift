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
}
