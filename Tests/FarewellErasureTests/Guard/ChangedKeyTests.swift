// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Keys of the database that follow a changed value")
struct ChangedKeyTests {
    /// `ACTION` stands for the key's action when the user name changes.
    private static let names = """
        CREATE TABLE people (id integer PRIMARY KEY, username varchar(80) NOT NULL UNIQUE, email text);
        CREATE TABLE comments (id integer PRIMARY KEY, author varchar(80) REFERENCES people (username) ON UPDATE ACTION, body text);
        CREATE TABLE profiles (username varchar(80) PRIMARY KEY REFERENCES people (username) ON UPDATE CASCADE, bio text);
        CREATE TABLE badges (id integer PRIMARY KEY, owner varchar(80) REFERENCES profiles (username) ON UPDATE CASCADE);
        INSERT INTO people VALUES (1, 'ann', 'one@example.org'), (2, 'bob', 'two@example.org');
        INSERT INTO comments VALUES (1, 'ann', 'a'), (2, 'ann', 'b'), (3, 'bob', 'c');
        INSERT INTO profiles VALUES ('ann', 'x'), ('bob', 'y');
        INSERT INTO badges VALUES (1, 'ann'), (2, 'bob');
        """

    private func plan(_ house: EngineFixture, comments rule: Rule = .anonymise) async throws -> Plan {
        try await house.plan { plan in
            plan.set("people", .anonymise, ["username": .keyedHash, "email": .null])
            plan.set("comments", rule, rule == .notPersonal ? [:] : ["body": rule == .anonymise ? .null : .retain])
            plan.set("profiles", .anonymise, ["bio": .null])
            plan.set("badges", .anonymise, [:])
        }
    }

    @Test(
        "PL-5 PL-3 ON UPDATE CASCADE and SET NULL are predicted from key to key, and every row is counted",
        arguments: SQLDialect.allCases, ["CASCADE", "SET NULL"])
    func followed(_ dialect: SQLDialect, _ action: String) async throws {
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.names.replacing("ACTION", with: action)) { house in
                let plan = try await self.plan(house)
                let found = PlanCheck.findings(plan, try await Schema.read(from: house.database))
                #expect(!found.contains { $0.severity == .error }, "\(found)")
                #expect(Set(found.filter { $0.code == "key.follows" }.compactMap(\.table?.name)) == ["comments", "profiles", "badges"])
                let engine = try await house.engine(plan)
                let shown = try #require(try await engine.rehearse(["1"]).first)
                #expect(shown.refusals.isEmpty && shown.differences.isEmpty, "\(shown)")
                let receipt = try #require(try await engine.erase(["1"], options: options).first?.receipt)
                #expect(receipt.anonymised == ["people": 1, "comments": 2, "profiles": 1, "badges": 1], "\(receipt.anonymised)")
                for query in ["SELECT username FROM people", "SELECT author FROM comments", "SELECT owner FROM badges"] {
                    #expect(try await house.rows(query).contains { $0 == "ann" } == false)
                }
                #expect(try await house.rows("SELECT author, body FROM comments WHERE id = 3") == ["bob c"])
                #expect(try await house.rows("SELECT bio FROM profiles WHERE username = 'bob'") == ["y"])
            }
        }
    }

    @Test(
        "PL-5 a key that changes a table unknown to the plan or retained rows, or forbids the change, is an error",
        arguments: SQLDialect.allCases)
    func refused(_ dialect: SQLDialect) async throws {
        let retention = Rule.retain(Retention(reason: "law", period: Period(1, .day)))
        let cases: [(String, Rule, String)] = [
            ("CASCADE", .notPersonal, "key.follows"), ("CASCADE", retention, "key.follows"),
            ("NO ACTION", .anonymise, "key.blocks"), ("RESTRICT", .anonymise, "key.blocks"),
        ]
        for (action, rule, code) in cases {
            try await EngineFixture.with(dialect, Self.names.replacing("ACTION", with: action)) { house in
                let plan = try await self.plan(house, comments: rule)
                let found = PlanCheck.findings(plan, try await Schema.read(from: house.database))
                    .filter { $0.severity == .error && $0.table?.name == "comments" }
                #expect(found.map(\.code.rawValue) == [code] && found.first?.column == "author", "\(found)")
            }
        }
    }
}
