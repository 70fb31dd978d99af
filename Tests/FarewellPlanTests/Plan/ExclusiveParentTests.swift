// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Checks that a row has one of two parents")
struct ExclusiveParentTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
        CREATE TABLE posts (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people (id));
        CREATE TABLE comments (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people (id));
        CREATE TABLE flags (id integer PRIMARY KEY, flagger_id integer NOT NULL REFERENCES people (id),
          post_id integer REFERENCES posts (id), comment_id integer REFERENCES comments (id), note_id integer REFERENCES posts (id),
          CONSTRAINT one_parent CHECK ((post_id IS NOT NULL) <> (comment_id IS NOT NULL)));
        CREATE TABLE feed (id integer PRIMARY KEY, post_id integer REFERENCES posts (id) ON DELETE SET NULL,
          comment_id integer REFERENCES comments (id) ON DELETE SET NULL, note_id integer REFERENCES posts (id) ON DELETE SET NULL,
          CHECK ((post_id IS NULL) = (comment_id IS NOT NULL)));
        CREATE INDEX feed_post ON feed (post_id); CREATE INDEX feed_comment ON feed (comment_id);
        CREATE INDEX feed_note ON feed (note_id);
        CREATE INDEX of_user ON posts (user_id); CREATE INDEX of_user2 ON comments (user_id);
        CREATE INDEX of_flagger ON flags (flagger_id); CREATE INDEX of_post ON flags (post_id);
        CREATE INDEX of_comment ON flags (comment_id); CREATE INDEX of_note ON flags (note_id);
        """

    @Test(
        "PL-1 PL-3 SQL-21 rows that a check keeps from losing their parent are asked about, first as deleted with it",
        arguments: SQLDialect.allCases)
    func drafted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("people"), "id")).plan
            for table in ["flags", "feed"] {
                let asked = plan.questions.filter { $0.table.name == table }
                #expect(Set(asked.flatMap(\.columns)) == ["post_id", "comment_id"], "\(asked)")
                #expect(asked.allSatisfy { $0.answers.first == .owner }, "\(asked)")
            }
            let links = try #require(plan[fixture.name("flags")]).links
            #expect(links.filter(\.isReference).map(\.columns) == [["note_id"]], "\(links)")
        }
    }

    @Test(
        "PL-2 SQL-21 a reference that a check always refuses is an error of check, with what to do instead",
        arguments: SQLDialect.allCases)
    func checked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.at("flags") { flags in
                    for place in flags.links.indices where flags.links[place].columns != ["flagger_id"] {
                        flags.links[place].role = .reference
                        flags.links[place].shared = nil
                    }
                }
            }
            let found = try await fixture.findings(of: plan).filter { $0.code == "check.refuses-null" }
            #expect(found.filter { $0.table?.name == "flags" }.compactMap(\.column).sorted() == ["comment_id", "post_id"], "\(found)")
            #expect(found.allSatisfy { $0.severity == .error && $0.message.contains("“one_parent”") }, "\(found)")
            #expect(found.allSatisfy { $0.remedy?.contains("role: owner") == true }, "\(found)")
        }
    }
}
