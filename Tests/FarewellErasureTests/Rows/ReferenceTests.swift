// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Other users' rows that name the subject stay and lose that value")
struct ReferenceTests {
    /// A link to `people.id`, or to another table's.
    static func link(
        _ plan: Plan, _ column: String, _ target: String = "people", key: DeleteAction? = nil, role: Link.Role? = nil,
        where condition: [String: [String]] = [:], set replacement: String? = nil
    ) -> Link {
        Link(
            columns: [column], target: plan.name(target), targetColumns: ["id"], onDelete: key, role: role,
            condition: LinkCondition(condition.map { .init(column: $0.key, values: $0.value) }), replacement: replacement)
    }

    static let large = ErasureOptions(largeAccount: 1, residue: .leave)

    @Test("PL-3 SCH-02 a row that the subject granted or approved stays and loses that value", arguments: SQLDialect.allCases)
    func handlers(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE user_roles (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people,
                granter_id integer REFERENCES people, role text);
            CREATE TABLE posts (id integer PRIMARY KEY, uploader_id integer NOT NULL REFERENCES people,
                approver_id integer REFERENCES people ON DELETE CASCADE, body text);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO user_roles VALUES (1, 2, 1, 'admin'), (2, 1, 1, 'own'), (3, 1, 2, 'mine'), (4, 2, 2, 'not mine');
            INSERT INTO posts VALUES (1, 2, 1, 'picture'), (2, 1, 2, 'mine'), (3, 2, NULL, 'not mine');
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.link(
                        "user_roles", Self.link(plan, "user_id", key: .noAction, role: .owner),
                        Self.link(plan, "granter_id", key: .noAction, role: .reference))
                    plan.link(
                        "posts", Self.link(plan, "uploader_id", key: .noAction, role: .owner),
                        Self.link(plan, "approver_id", key: .cascade, role: .reference))
                }
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.blockers.isEmpty)
                #expect(preview.erased == 4 && preview.kept == 2, "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "user_roles": 2, "posts": 1])
                #expect(receipt.anonymised == ["user_roles": 1, "posts": 1])
                #expect(try await house.rows("SELECT * FROM user_roles") == ["1 2 - admin", "4 2 2 not mine"])
                #expect(try await house.rows("SELECT * FROM posts") == ["1 2 - picture", "3 2 - not mine"])
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }

    @Test(
        "PL-9 SCH-07 two links through other tables are both cleared, each where it names the subject's row",
        arguments: SQLDialect.allCases)
    func twoThatStay(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE topics (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people);
            CREATE TABLE replies (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people);
            CREATE TABLE aliases (id integer PRIMARY KEY, creator_id integer NOT NULL REFERENCES people,
                topic_id integer REFERENCES topics, reply_id integer REFERENCES replies ON DELETE SET NULL);
            CREATE TABLE pages (id integer PRIMARY KEY, title text, creator_id integer, updated_by integer);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO topics VALUES (10, 1), (20, 2);
            INSERT INTO replies VALUES (11, 1), (21, 2);
            INSERT INTO aliases VALUES (1, 2, 10, 11), (2, 2, 10, 21), (3, 2, 20, 11), (4, 2, 20, 21), (5, 1, 10, 11);
            INSERT INTO pages VALUES (1, 'both', 1, 1), (2, 'created', 1, 2), (3, 'updated', 2, 1), (4, 'other', 2, 2);
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.link(
                        "aliases", Self.link(plan, "creator_id", key: .noAction, role: .owner),
                        Self.link(plan, "topic_id", "topics", key: .noAction, role: .reference),
                        Self.link(plan, "reply_id", "replies", key: .setNull, role: .reference))
                    plan.set("pages", .anonymise)
                    plan.link(
                        "pages", Self.link(plan, "creator_id", role: .reference),
                        Self.link(plan, "updated_by", role: .reference))
                }
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.blockers.isEmpty)
                #expect(preview.places.filter(\.isOthers).map(\.count) == [3, 3], "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "topics": 1, "replies": 1, "aliases": 1])
                #expect(receipt.anonymised == ["aliases": 3, "pages": 3])
                #expect(try await house.rows("SELECT * FROM aliases") == ["1 2 - -", "2 2 - 21", "3 2 20 -", "4 2 20 21"])
                #expect(
                    try await house.rows("SELECT * FROM pages")
                        == ["1 both - -", "2 created - 2", "3 updated 2 -", "4 other 2 2"])
            }
        }
    }

    @Test(
        "PL-3 SCH-03 a table whose key is set to null keeps its other columns; rules are for the subject's own rows",
        arguments: SQLDialect.allCases)
    func emptiedTables(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE envelopes (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE audit (id integer PRIMARY KEY, envelope_id integer REFERENCES envelopes ON DELETE SET NULL,
                user_id integer, email text, ip text);
            CREATE TABLE surveys (id integer PRIMARY KEY, name text NOT NULL,
                created_by integer REFERENCES people ON DELETE SET NULL);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO envelopes VALUES (1, 1), (2, 2);
            INSERT INTO audit VALUES (1, 1, 1, 'one', '.1'), (2, 1, 2, 'two', '.2'), (3, 2, 1, 'one', '.1'), (4, 2, 2, 'two', '.2');
            INSERT INTO surveys VALUES (1, 'Customer satisfaction', 1), (2, 'Other', 2);
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("audit", .anonymise, ["user_id": .null, "email": .null, "ip": .null])
                    plan.link(
                        "audit", Self.link(plan, "user_id", role: .owner),
                        Self.link(plan, "envelope_id", "envelopes", key: .setNull, role: .reference))
                    plan.set("surveys", .anonymise)
                    plan.link("surveys", Self.link(plan, "created_by", key: .setNull, role: .reference))
                }
                let engine = try await house.engine(plan)
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.anonymised == ["audit": 3, "surveys": 1], "two rows of their own, and one that loses a link")
                #expect(
                    try await house.rows("SELECT * FROM audit")
                        == ["1 - - - -", "2 - 2 two .2", "3 2 - - -", "4 2 2 two .2"])
                #expect(try await house.rows("SELECT * FROM surveys") == ["1 Customer satisfaction -", "2 Other 2"])
            }
        }
    }

    @Test("PL-2 SQL-08 a polymorphic link finds a row only where the row has the link's type", arguments: SQLDialect.allCases)
    func polymorphic(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE model_has_roles (role_id integer NOT NULL, model_type text NOT NULL, model_id integer NOT NULL,
                PRIMARY KEY (role_id, model_id, model_type));
            CREATE TABLE comments (id integer PRIMARY KEY, commentable_type text, commentable_id integer, body text);
            CREATE TABLE flags (id integer PRIMARY KEY, about_type text, about_id integer, why text);
            CREATE INDEX by_comment ON comments (commentable_id, commentable_type);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO posts VALUES (1, 2), (2, 1);
            INSERT INTO model_has_roles VALUES (9, 'App\\Models\\User', 1), (9, 'App\\Models\\Team', 1), (9, 'App\\Models\\User', 2);
            INSERT INTO comments VALUES (1, 'User', 1, 'on one'), (2, 'Post', 1, 'on the post of two'),
                (3, 'Post', 2, 'on the post of one'), (4, 'User', 2, 'on two'), (5, NULL, 1, 'of nothing'), (6, 'user', 1, 'low');
            INSERT INTO flags VALUES (1, 'User', 1, 'rude'), (2, 'Team', 1, 'loud'), (3, 'Admin', 1, 'old'), (4, 'User', 2, 'no');
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("model_has_roles", .erase)
                    plan.link(
                        "model_has_roles",
                        Self.link(plan, "model_id", role: .owner, where: ["model_type": ["App\\Models\\User"]]))
                    plan.set("comments", .erase)
                    plan.link(
                        "comments", Self.link(plan, "commentable_id", where: ["commentable_type": ["User"]]),
                        Self.link(plan, "commentable_id", "posts", where: ["commentable_type": ["Post"]]))
                    plan.set("flags", .anonymise)
                    plan.link(
                        "flags", Self.link(plan, "about_id", role: .reference, where: ["about_type": ["User", "Admin"]]))
                }
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.erased == 5 && preview.kept == 2, "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "posts": 1, "model_has_roles": 1, "comments": 2])
                #expect(receipt.anonymised == ["flags": 2])
                #expect(
                    try await house.rows("SELECT * FROM model_has_roles")
                        == ["9 App\\Models\\Team 1", "9 App\\Models\\User 2"])
                #expect(try await house.rows("SELECT id FROM comments") == ["2", "4", "5", "6"])
                #expect(
                    try await house.rows("SELECT id, about_type, about_id FROM flags")
                        == ["1 User -", "2 Team 1", "3 Admin -", "4 User 2"])
            }
        }
    }

    @Test("PL-2 values of numbers, enums and booleans are compared as PostgreSQL writes them")
    func writtenValues() async throws {
        let script = """
            CREATE TYPE kind AS ENUM ('user', 'team');
            CREATE TABLE people (id uuid PRIMARY KEY, email text);
            CREATE TABLE a (id integer PRIMARY KEY, kind kind, about text);
            CREATE TABLE b (id integer PRIMARY KEY, kind smallint, active boolean, about uuid);
            INSERT INTO people VALUES ('00000000-0000-4000-8000-000000000001', 'x'), ('00000000-0000-4000-8000-000000000002', 'y');
            INSERT INTO a VALUES (1, 'user', '00000000-0000-4000-8000-000000000001'), (2, 'team', '00000000-0000-4000-8000-000000000001'),
                (3, NULL, '00000000-0000-4000-8000-000000000001'), (4, 'user', '00000000-0000-4000-8000-000000000002');
            INSERT INTO b VALUES (1, 7, true, '00000000-0000-4000-8000-000000000001'),
                (2, 7, false, '00000000-0000-4000-8000-000000000001'),
                (3, 8, true, '00000000-0000-4000-8000-000000000001'),
                (4, 7, true, '00000000-0000-4000-8000-000000000002');
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let plan = try await house.plan { plan in
                plan.set("a", .erase)
                plan.link("a", Self.link(plan, "about", role: .owner, where: ["kind": ["user"]]))
                plan.set("b", .erase)
                plan.link("b", Self.link(plan, "about", role: .owner, where: ["kind": ["7"], "active": ["true"]]))
            }
            let outcome = try await house.engine(plan).erase(["00000000-0000-4000-8000-000000000001"])
            #expect(outcome.first?.receipt?.erased == ["people": 1, "a": 1, "b": 1], "\(outcome)")
            #expect(try await house.rows("SELECT id FROM a") == ["2", "3", "4"])
            #expect(try await house.rows("SELECT id FROM b") == ["2", "3", "4"])
        }
    }

    @Test("PL-3 a reference that may not be null gets the plan's value", arguments: SQLDialect.allCases)
    func replaced(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text, invited_by integer NOT NULL REFERENCES people);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people,
                editor integer NOT NULL REFERENCES people ON DELETE CASCADE);
            INSERT INTO people VALUES (0, 'deleted', 0), (1, 'one@example.org', 0), (2, 'two@example.org', 1);
            INSERT INTO posts VALUES (1, 1, 2), (2, 2, 1), (3, 2, 2);
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.link("people", Self.link(plan, "invited_by", key: .noAction, role: .reference, set: "0"))
                    plan.link(
                        "posts", Self.link(plan, "author", key: .noAction, role: .owner),
                        Self.link(plan, "editor", key: .cascade, role: .reference, set: "0"))
                }
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "posts": 1] && receipt.anonymised == ["people": 1, "posts": 1])
                #expect(try await house.rows("SELECT * FROM people") == ["0 deleted 0", "2 two@example.org 0"])
                #expect(try await house.rows("SELECT * FROM posts") == ["2 2 0", "3 2 2"])
                let engine = try await house.engine(plan)
                let refused = await #expect(throws: FarewellError.self) { _ = try await engine.erase(["0"]) }
                #expect(refused?.code == "subject.stands-in", "who stands for the deleted cannot be deleted")
            }
        }
    }

    @Test("PL-3 a missing stand-in is found before any erasure", arguments: SQLDialect.allCases)
    func missingStandIn(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, editor integer NOT NULL REFERENCES people);
            INSERT INTO people VALUES (1, 'one@example.org');
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("posts", .anonymise)
                plan.link("posts", Self.link(plan, "editor", key: .noAction, role: .reference, set: "0"))
            }
            let found = try await PlanCheck.findings(plan, try await Schema.read(from: house.database), on: house.database)
            #expect(found.filter { $0.severity == .error }.map(\.code) == ["link.set-unknown"], "\(found)")
        }
    }

    @Test("PL-3 a value of set that a check or the column's type refuses is found before any erasure", arguments: SQLDialect.allCases)
    func refusedValue(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, editor smallint NOT NULL CHECK (editor > 10));
            """
        try await EngineFixture.with(dialect, script) { house in
            // SQLite has no smaller numbers.
            for (value, isRefused) in [("5", true), ("70000", dialect == .postgresql), ("11", false)] {
                let plan = try await house.plan { plan in
                    plan.set("posts", .anonymise)
                    plan.link("posts", Self.link(plan, "editor", role: .reference, set: value))
                }
                let found = try await house.findings(of: plan).filter { $0.code == "link.set-unfit" }
                #expect(found.map(\.severity) == (isRefused ? [.error] : []), "\(value): \(found)")
            }
        }
    }

    @Test("PL-3 of a composite reference only the columns that no other key needs are set to null", arguments: SQLDialect.allCases)
    func composite(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE tenants (id integer PRIMARY KEY);
            CREATE TABLE orders (tenant integer NOT NULL, number integer NOT NULL, buyer integer NOT NULL REFERENCES people,
                PRIMARY KEY (tenant, number));
            CREATE TABLE items (id integer PRIMARY KEY, tenant integer REFERENCES tenants, like_order integer,
                FOREIGN KEY (tenant, like_order) REFERENCES orders (tenant, number));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO tenants VALUES (7), (8);
            INSERT INTO orders VALUES (7, 1, 1), (8, 1, 2);
            INSERT INTO items VALUES (1, 7, 1), (2, 8, 1), (3, 7, NULL);
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("items", .anonymise)
                    plan.link(
                        "items",
                        Link(
                            columns: ["tenant", "like_order"], target: plan.name("orders"),
                            targetColumns: ["tenant", "number"], onDelete: .noAction, role: .reference))
                }
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["items": 1], "\(outcome)")
                #expect(try await house.rows("SELECT * FROM items") == ["1 7 -", "2 8 1", "3 7 -"])
            }
        }
    }

    @Test("PL-3 the read-back finds a row that names the subject again, and the sweep empties it", arguments: SQLDialect.allCases)
    func swept(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE pages (id integer PRIMARY KEY, updated_by integer, title text);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO pages VALUES (1, 1, 'a'), (2, 2, 'b');
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("pages", .anonymise)
                plan.link("pages", Self.link(plan, "updated_by", role: .reference))
            }
            let engine = try await house.engine(plan)
            _ = try await engine.erase(["1"])
            #expect(try await engine.verify("1", extent: .none).isClean)
            try await house.run("UPDATE pages SET updated_by = 1 WHERE id = 2;")
            #expect(try await engine.verify("1", extent: .none).left.values.sorted() == [1])
            let again = try await engine.erase(["1"])
            #expect(again.first?.receipt?.anonymised == ["pages": 1], "\(again)")
            #expect(try await house.rows("SELECT * FROM pages") == ["1 - a", "2 - b"])
        }
    }

    @Test("PL-3 subjects erased together are each counted where rows name them", arguments: SQLDialect.allCases)
    func together(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people, editor integer REFERENCES people);
            INSERT INTO people VALUES (1, 'one'), (2, 'two'), (3, 'three');
            INSERT INTO posts VALUES (1, 1, 2), (2, 2, 1), (3, 3, 1), (4, 3, 2), (5, 3, 3);
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.link(
                    "posts", Self.link(plan, "author", key: .noAction, role: .owner),
                    Self.link(plan, "editor", key: .noAction, role: .reference))
            }
            let receipts = try await house.engine(plan).erase(["1", "2"]).compactMap(\.receipt)
            #expect(receipts.map { $0.erased["posts"] } == [1, 1])
            #expect(receipts.reduce(0) { $0 + ($1.anonymised["posts"] ?? 0) } >= 2)
            #expect(try await house.rows("SELECT * FROM posts") == ["3 3 -", "4 3 -", "5 3 3"])
        }
    }
}
