// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Parent rows that their child rows own are erased with them")
struct OwnedParentTests {
    private static let large = ErasureOptions(largeAccount: 1, residue: .leave)

    private static func owned(_ plan: Plan, by table: String, _ column: String) -> Link {
        Link(columns: ["id"], target: plan.name(table), targetColumns: [column], isOwnedParent: true)
    }

    private static func tables(_ action: String, _ documentAction: String) -> String {
        """
        CREATE TABLE avatars (id integer PRIMARY KEY, filename text);
        CREATE TABLE documents_data (id integer PRIMARY KEY, pdf text);
        CREATE TABLE people (id integer PRIMARY KEY, email text, avatar_id integer REFERENCES avatars \(action));
        CREATE TABLE documents (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
            data_id integer NOT NULL REFERENCES documents_data \(documentAction));
        CREATE TABLE teams (id integer PRIMARY KEY, logo integer REFERENCES avatars \(action));
        INSERT INTO avatars VALUES (1, 'one'), (2, 'two'), (3, 'shared'), (4, 'of a team'), (5, 'of nobody'), (6, 'both');
        INSERT INTO documents_data VALUES (1, 'a'), (2, 'b'), (3, 'shared'), (4, 'twice');
        INSERT INTO people VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3), (4, 'four', 3), (5, 'five', 4), (6, 'six', NULL),
            (7, 'seven', 6), (8, 'eight', 6);
        INSERT INTO documents VALUES (1, 1, 1), (2, 2, 2), (3, 1, 3), (4, 2, 3), (5, 1, 4), (6, 1, 4);
        INSERT INTO teams VALUES (1, 4), (2, NULL);
        """
    }

    private static func plan(_ house: EngineFixture) async throws -> Plan {
        try await house.plan { plan in
            plan.set("avatars", .erase)
            plan.link("avatars", owned(plan, by: "people", "avatar_id"))
            plan.set("documents_data", .erase)
            plan.link("documents_data", owned(plan, by: "documents", "data_id"))
            plan.set("teams", .notPersonal)
            plan.link("teams")
        }
    }

    private static let actions: [(String, String)] = [
        ("ON DELETE SET NULL", ""), ("", "ON DELETE RESTRICT"), ("ON DELETE RESTRICT", "ON DELETE CASCADE"),
        ("ON DELETE CASCADE", "ON DELETE NO ACTION"),
    ]

    @Test(
        "PL-9 SCH-08 rows that only the subject's rows reference are erased, whatever the key's action; shared ones stay",
        arguments: SQLDialect.allCases, actions)
    func owned(_ dialect: SQLDialect, _ actions: (String, String)) async throws {
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, Self.tables(actions.0, actions.1)) { house in
                let engine = try await house.engine(try await Self.plan(house))
                let preview = try await engine.preview("1")
                #expect(preview.blockers.isEmpty && preview.erased == 8, "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "avatars": 1, "documents": 4, "documents_data": 2])
                #expect(try await house.rows("SELECT id FROM avatars") == ["2", "3", "4", "5", "6"])
                #expect(try await house.rows("SELECT * FROM documents") == ["2 2 2", "4 2 3"])
                #expect(try await house.rows("SELECT id FROM documents_data") == ["2", "3"])
                for subject in ["3", "5", "6"] {
                    let receipt = try await engine.erase([subject], options: options).first?.receipt
                    #expect(receipt?.erased == ["people": 1])
                }
                #expect(
                    try await house.rows("SELECT id, avatar_id FROM people") == ["2 2", "4 3", "7 6", "8 6"],
                    "no neighbour's key was emptied")
                #expect(try await house.rows("SELECT * FROM teams") == ["1 4", "2 -"])
                #expect(try await engine.erase(["4"], options: options).first?.receipt?.erased == ["people": 1, "avatars": 1])
                let both = try await engine.erase(["7", "8"], options: options).compactMap(\.receipt)
                #expect(both.reduce(0) { $0 + ($1.erased["avatars"] ?? 0) } == 1, "\(both.map(\.erased))")
                #expect(try await house.rows("SELECT id FROM avatars") == ["2", "4", "5"])
            }
        }
    }

    @Test("PL-9 SCH-08 the plan decides the owners of a parent for which the database has no key", arguments: SQLDialect.allCases)
    func declared(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text, picture text);
            CREATE TABLE files (id integer PRIMARY KEY, name text);
            INSERT INTO people VALUES (1, 'one', 'a.jpg'), (2, 'two', 'b.jpg'), (3, 'three', 'b.jpg');
            INSERT INTO files VALUES (1, 'a.jpg'), (2, 'b.jpg');
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("files", .erase)
                plan.link(
                    "files",
                    Link(columns: ["name"], target: plan.name("people"), targetColumns: ["picture"], isOwnedParent: true))
            }
            let engine = try await house.engine(plan)
            #expect(try await engine.erase(["1"]).first?.receipt?.erased == ["people": 1, "files": 1])
            #expect(try await engine.erase(["2"]).first?.receipt?.erased == ["people": 1])
            #expect(try await house.rows("SELECT * FROM files") == ["2 b.jpg"])
        }
    }

    @Test("PL-9 SCH-08 owned rows in separate stages are erased with the subject's row", arguments: SQLDialect.allCases)
    func stages(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables("", "")) { house in
            var plan = try await Self.plan(house)
            plan.order = [.rows, .files, .identity]
            let outcome = try await house.engine(plan).erase(["1"])
            let receipt = try #require(outcome.first?.receipt, "\(outcome)")
            #expect(receipt.erased == ["people": 1, "avatars": 1, "documents": 4, "documents_data": 2])
            #expect(try await house.rows("SELECT id FROM avatars") == ["2", "3", "4", "5", "6"])
        }
    }

    // MARK: Keys that only refer

    /// Profiles that their users own, and accounts that orders own: reports and orders also refer to others.
    private static func referring(_ action: DeleteAction) -> String {
        """
        CREATE TABLE profiles (id integer PRIMARY KEY, handle text);
        CREATE TABLE people (id integer PRIMARY KEY, email text, profile_id integer NOT NULL REFERENCES profiles);
        ALTER TABLE profiles ADD COLUMN approved_by integer REFERENCES people ON DELETE \(action.rawValue);
        CREATE TABLE reports (id integer PRIMARY KEY, profile_id integer NOT NULL REFERENCES profiles ON DELETE CASCADE,
            assigned_profile_id integer REFERENCES profiles ON DELETE \(action.rawValue));
        CREATE TABLE accounts (id integer PRIMARY KEY, iban text);
        CREATE TABLE orders (id integer PRIMARY KEY, person_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
            account_id integer NOT NULL REFERENCES accounts, billing_id integer REFERENCES accounts ON DELETE \(action.rawValue));
        INSERT INTO profiles VALUES (1, 'one', NULL), (2, 'two', NULL), (3, 'three', NULL);
        INSERT INTO people VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
        UPDATE profiles SET approved_by = CASE id WHEN 2 THEN 1 ELSE 2 END;
        INSERT INTO reports VALUES (1, 1, 2), (2, 2, 1), (3, 2, 3), (4, 3, 1), (5, 1, 1);
        INSERT INTO accounts VALUES (1, 'A'), (2, 'B'), (3, 'C');
        INSERT INTO orders VALUES (1, 1, 1, 2), (2, 2, 2, 1), (3, 3, 3, 2);
        """
    }

    private static func referring(_ house: EngineFixture, _ action: DeleteAction) async throws -> Plan {
        try await house.plan { plan in
            func link(_ column: String, _ table: String, _ action: DeleteAction, _ role: Link.Role) -> Link {
                Link(columns: [column], target: plan.name(table), targetColumns: ["id"], onDelete: action, role: role)
            }
            for table in ["profiles", "reports", "accounts", "orders"] { plan.set(table, .erase) }
            plan.link("people")
            plan.link(
                "profiles", owned(plan, by: "people", "profile_id"), link("approved_by", "people", action, .reference))
            plan.link(
                "reports", link("profile_id", "profiles", .cascade, .owner),
                link("assigned_profile_id", "profiles", action, .reference))
            plan.link("accounts", owned(plan, by: "orders", "account_id"))
            plan.link(
                "orders", link("person_id", "people", .cascade, .owner), link("billing_id", "accounts", action, .reference))
            plan.questions = []
        }
    }

    @Test(
        "PL-9 PL-3 SCH-08 rows that own or belong to a parent by one key may refer to others by another, and keep none by it",
        arguments: SQLDialect.allCases, [DeleteAction.setNull, .noAction, .restrict, .cascade])
    func referring(_ dialect: SQLDialect, _ action: DeleteAction) async throws {
        for options in [ErasureOptions(residue: .leave), Self.large] {
            try await EngineFixture.with(dialect, Self.referring(action)) { house in
                let plan = try await Self.referring(house, action)
                let errors = PlanCheck.findings(plan, try await Schema.read(from: house.database))
                    .filter { $0.severity == .error }
                #expect(errors.isEmpty, "\(errors)")
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.blockers.isEmpty && preview.erased == 6, "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "profiles": 1, "reports": 2, "accounts": 1, "orders": 1])
                #expect(try await house.rows("SELECT id, approved_by FROM profiles ORDER BY id") == ["2 -", "3 2"])
                #expect(try await house.rows("SELECT * FROM reports ORDER BY id") == ["2 2 -", "3 2 3", "4 3 -"])
                #expect(try await house.rows("SELECT * FROM orders ORDER BY id") == ["2 2 2 -", "3 3 3 2"])
                #expect(try await house.rows("SELECT id FROM accounts ORDER BY id") == ["2", "3"])
            }
        }
    }

    // MARK: Many ways

    /// Ten tables, each with two keys to the one before: SQLite would copy the selections of the last a thousand times.
    private static let chain: String = {
        let steps = (2...10).map { number in
            "CREATE TABLE t\(number) (id integer PRIMARY KEY, a integer NOT NULL REFERENCES t\(number - 1) ON DELETE CASCADE, "
                + "b integer NOT NULL REFERENCES t\(number - 1) ON DELETE CASCADE);\n"
                + "INSERT INTO t\(number) VALUES (1, 1, 1), (2, 2, 2);\n"
        }
        return """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE t1 (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people ON DELETE CASCADE);
            INSERT INTO people VALUES (1, 'one'), (2, 'two');
            INSERT INTO t1 VALUES (1, 1), (2, 2);
            \(steps.joined())
            CREATE TABLE blobs (id integer PRIMARY KEY, filename text);
            CREATE TABLE attachments (id integer PRIMARY KEY, t10_id integer NOT NULL REFERENCES t10 ON DELETE CASCADE,
                blob_id integer NOT NULL REFERENCES blobs);
            CREATE TABLE uploads (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE projects (id integer PRIMARY KEY, name text, cover_id integer REFERENCES uploads);
            INSERT INTO blobs VALUES (1, 'one'), (2, 'two'), (3, 'both');
            INSERT INTO attachments VALUES (1, 1, 1), (2, 2, 2), (3, 1, 3), (4, 2, 3);
            INSERT INTO uploads VALUES (1, 1), (2, 2);
            INSERT INTO projects VALUES (1, 'first', 1), (2, 'second', 2);
            """
    }()

    @Test(
        "PL-8 SCH-08 owned parents, and rows that only lose a link, are found where very many ways lead to their rows",
        arguments: SQLDialect.allCases)
    func manyWays(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.chain) { house in
            let plan = try await house.plan { plan in
                plan.set("blobs", .erase)
                plan.link("blobs", Self.owned(plan, by: "attachments", "blob_id"))
                plan.set("projects", .anonymise)
                plan.link(
                    "projects",
                    Link(
                        columns: ["cover_id"], target: plan.name("uploads"), targetColumns: ["id"], onDelete: .noAction,
                        role: .reference))
                plan.questions = []
            }
            let engine = try await house.engine(plan)
            let preview = try await engine.preview("1")
            #expect(preview.blockers.isEmpty && preview.erased == 15, "\(preview.places)")
            let outcome = try await engine.erase(["1"], options: ErasureOptions(residue: .leave))
            let receipt = try #require(outcome.first?.receipt, "\(outcome)")
            #expect(receipt.erased["blobs"] == 1 && receipt.erased["t10"] == 1 && receipt.erased["attachments"] == 2)
            #expect(try await house.rows("SELECT id FROM blobs ORDER BY id") == ["2", "3"])
            #expect(try await house.rows("SELECT id, cover_id FROM projects ORDER BY id") == ["1 -", "2 2"])
            #expect(try await engine.verify("1", extent: .none).isClean)
        }
    }
}
