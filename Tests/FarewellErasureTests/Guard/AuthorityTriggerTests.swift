// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The session authority's own trigger is known, and any other is not")
struct AuthorityTriggerTests {
    /// Notes may belong to two users; nothing belongs to any of them in `others`.
    private static let notes = """
        CREATE TABLE notes (id integer PRIMARY KEY, author uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
            reader uuid REFERENCES auth.users (id) ON DELETE CASCADE);
        CREATE INDEX notes_author ON notes (author);
        CREATE INDEX notes_reader ON notes (reader);
        CREATE TABLE others (id integer PRIMARY KEY);
        INSERT INTO others VALUES (1), (2), (3);
        """

    private static let users = TableName(schema: "auth", "users")
    private static let feed = TableName(schema: "auth", "revocations")

    /// Lends a server's database with users, each with two notes and one entry in the feed.
    private static func with(
        _ script: String = "", people: Int = 1,
        _ use: (_ fixture: EngineFixture, _ engine: ErasureEngine, _ users: [String]) async throws -> Void
    ) async throws {
        try await AuthorityFixture.with(.postgresql) { house in
            for number in 0..<people { try await house.person("p\(number)") }
            let fixture = house.fixture
            let ids = try await fixture.rows("SELECT id FROM auth.users")
            var rows: [String] = []
            for (number, id) in ids.enumerated() {
                rows += [
                    "INSERT INTO notes VALUES (\(number)0, '\(id)', NULL), (\(number)1, '\(id)', '\(ids[0])')",
                    "INSERT INTO auth.revocations (session_id, subject, reason, revoked_at) "
                        + "VALUES (gen_random_uuid(), '\(id)', 'signed-out', now())",
                ]
            }
            try await fixture.run(notes + rows.joined(separator: ";\n") + ";\n" + script)
            var plan = try PlanDerivation.draft(
                from: try await Schema.read(from: fixture.database), subject: ColumnName(users, "id")
            ).plan.answeringAll(.owner)
            plan.set("others", .notPersonal)
            for table in plan.tables.indices {
                for link in plan.tables[table].links.indices where !plan.tables[table].links[link].isReference {
                    plan.tables[table].links[link].shared = plan.tables[table].links[link].shared ?? .erase
                }
            }
            try await use(fixture, try await fixture.engine(plan), ids)
        }
    }

    private static func entries(of user: String, in fixture: EngineFixture) async throws -> [String] {
        try await fixture.rows("SELECT reason FROM auth.revocations WHERE subject = '\(user)'")
    }

    @Test("PL-5 BX-4 with the authority's own trigger each erasure counts its own deletes, beside other erasures, and the feed is kept")
    func known() async throws {
        try await Self.with(people: 4) { fixture, engine, ids in
            let prepared = engine.prepared
            #expect(prepared.hasSharedRows && prepared.publishedTable == Self.users)
            #expect(prepared.programForOne.rowCounters != nil && prepared.programForOne.singleTransaction != nil)
            #expect(!prepared.programForOne.mayBeResisted && !prepared.program.mayBeResisted)
            // Another transaction erases meanwhile: an erasure that must be alone would wait for it in vain.
            try await fixture.database.withConnection { other in
                _ = try await other.pipeline([engine.control.begin, engine.control.beside])
                for some in [[ids[3]], [ids[1], ids[2]]] {
                    for outcome in try await engine.erase(some) {
                        let receipt = try #require(outcome.receipt, "\(outcome)")
                        #expect(receipt.erased["users"] == 1 && receipt.erased["notes"] == 2, "\(receipt.erased)")
                        #expect(receipt.retained.map(\.place) == ["auth.revocations"], "\(receipt.retained)")
                        #expect(receipt.retained.map(\.rows) == [1])
                    }
                }
                try await other.run(engine.control.rollback)
            }
            for id in ids.dropFirst() {
                #expect(try await Self.entries(of: id, in: fixture) == ["signed-out", "user-deleted"])
            }
            #expect(try await Self.entries(of: ids[0], in: fixture) == ["signed-out"])
            #expect(try await fixture.rows("SELECT id FROM auth.users") == [ids[0]])
            #expect(try await fixture.rows("SELECT id FROM notes") == ["0", "1"])
            // The end of their retention knows the kept rows again.
            let kept = try await fixture.rows("SELECT sum(kept) FROM farewell.retentions")
            #expect(kept == ["3"])
        }
    }

    private static let again = "CREATE OR REPLACE FUNCTION auth.publish_deletion() RETURNS trigger LANGUAGE plpgsql "

    /// Changes that make the trigger, or the function that it fires, another one.
    private static let changes = [
        again + "SECURITY DEFINER SET search_path = '' AS 'BEGIN RETURN NULL; END'",
        "ALTER FUNCTION auth.publish_deletion() RESET search_path",
        "ALTER FUNCTION auth.publish_deletion() SECURITY INVOKER",
        """
        DROP TRIGGER users_publish_deletion ON auth.users; CREATE TRIGGER users_publish_deletion AFTER DELETE ON auth.users
        FOR EACH ROW WHEN (OLD.email IS NOT NULL) EXECUTE FUNCTION auth.publish_deletion()
        """,
        """
        DROP TRIGGER users_publish_deletion ON auth.users; CREATE TRIGGER users_publish_deletion BEFORE DELETE ON auth.users
        FOR EACH ROW EXECUTE FUNCTION auth.publish_deletion()
        """,
        "CREATE TRIGGER second AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION auth.publish_deletion()",
        "CREATE RULE copies AS ON INSERT TO auth.revocations DO ALSO INSERT INTO public.others VALUES (4)",
    ]

    @Test("PL-5 a trigger that differs in one word from the authority's has an unknown effect", arguments: changes)
    func unknown(_ change: String) async throws {
        try await AuthorityFixture.with(.postgresql) { house in
            try await house.fixture.run(Self.notes + change)
            let schema = try await Schema.read(from: house.fixture.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(Self.users, "id")).plan
                .answeringAll(.owner)
            let prepared = try PreparedPlan(
                plan: plan, schema: schema, planFingerprint: "", schemaFingerprint: "", stamp: .null)
            #expect(prepared.programForOne.rowCounters == nil && prepared.programForOne.singleTransaction == nil)
            #expect(prepared.program.countingDeletes == nil && prepared.programForOne.mayBeResisted)
        }
    }

    @Test("PL-5 a changed function of the authority that deletes another row stops the erasure, and the account stays")
    func otherRows() async throws {
        let body = "BEGIN DELETE FROM public.others WHERE id = 1; RETURN NULL; END"
        try await Self.with(Self.again + "SECURITY DEFINER SET search_path = '' AS '\(body)'") { fixture, engine, ids in
            #expect(engine.prepared.publishedTable == nil)
            let outcome = try #require(try await engine.erase(ids).first)
            #expect(outcome.cause?.contains("others") == true, "\(outcome)")
            #expect(try await fixture.count("others") == 3)
            #expect(try await fixture.rows("SELECT id FROM auth.users") == ids)
        }
    }

    @Test("PL-5 the authority's function, changed after the plan was prepared, deletes no row of another user", arguments: [1, 2])
    func changedLater(members: Int) async throws {
        try await Self.with(people: 3) { fixture, engine, ids in
            #expect(engine.prepared.publishedTable == Self.users)
            let body = "BEGIN DELETE FROM public.notes WHERE author <> OLD.id; RETURN NULL; END"
            try await fixture.run(Self.again + "SECURITY DEFINER SET search_path = '' AS '\(body)'")
            let outcomes = try? await engine.erase(Array(ids.suffix(members)))
            #expect(outcomes?.contains { $0.receipt != nil } != true, "\(String(describing: outcomes))")
            #expect(try await fixture.count("notes") == 6)
            #expect(try await fixture.rows("SELECT count(*) FROM auth.users") == ["3"])
        }
    }

    @Test("PL-5 more entries in the feed than deleted users stop the erasure, and the account stays")
    func otherEntries() async throws {
        let script = """
            CREATE FUNCTION notes_end() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO auth.revocations (session_id,
            subject, reason, revoked_at) VALUES (gen_random_uuid(), OLD.author, ''signed-out'', now()); RETURN NULL; END';
            CREATE TRIGGER notes_end AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION notes_end();
            """
        try await Self.with(script) { fixture, engine, ids in
            let outcome = try #require(try await engine.erase(ids).first)
            #expect(outcome.cause?.contains("auth.revocations: 3 rows inserted, 0 to 1 predicted") == true, "\(outcome)")
            #expect(try await Self.entries(of: ids[0], in: fixture) == ["signed-out"])
            #expect(try await fixture.rows("SELECT id FROM auth.users") == ids)
        }
    }
}
