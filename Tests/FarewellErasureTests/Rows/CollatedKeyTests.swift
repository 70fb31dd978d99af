// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// PostgreSQL compares two texts of different collations only if the statement says in which one.
@Suite("Keys of texts in several collations")
struct CollatedKeyTests {
    private static let script = """
        CREATE TABLE people (id text COLLATE "C" PRIMARY KEY, email text);
        CREATE TABLE teams (id text COLLATE ucs_basic PRIMARY KEY,
            owner_id text COLLATE "POSIX" NOT NULL REFERENCES people ON DELETE CASCADE);
        CREATE TABLE posts (id integer PRIMARY KEY, team_id text COLLATE "POSIX" NOT NULL REFERENCES teams ON DELETE CASCADE,
            editor_id text COLLATE "POSIX" REFERENCES people ON DELETE SET NULL);
        CREATE TABLE tags (id integer PRIMARY KEY, team text COLLATE "C");
        CREATE TABLE folders (id text COLLATE "C" PRIMARY KEY, owner_id text REFERENCES people ON DELETE CASCADE,
            top text COLLATE "POSIX");
        CREATE TABLE files (id text COLLATE ucs_basic PRIMARY KEY,
            folder_id text COLLATE "POSIX" NOT NULL REFERENCES folders ON DELETE CASCADE);
        ALTER TABLE folders ADD FOREIGN KEY (top) REFERENCES files ON DELETE CASCADE;
        INSERT INTO people VALUES ('a', 'one@example.org'), ('b', 'two@example.org'), ('c', 'three@example.org');
        INSERT INTO teams VALUES ('ta', 'a'), ('tb', 'b'), ('tc', 'c');
        INSERT INTO posts VALUES (1, 'ta', 'b'), (2, 'tb', 'a'), (3, 'tc', 'a'), (4, 'tc', NULL);
        INSERT INTO tags VALUES (1, 'ta'), (2, 'tb'), (3, 'tc');
        INSERT INTO folders VALUES ('fa', 'a', NULL), ('fb', 'b', NULL), ('fc', 'c', NULL), ('under', NULL, NULL);
        INSERT INTO files VALUES ('da', 'fa'), ('db', 'fb'), ('dc', 'fc');
        UPDATE folders SET top = 'da' WHERE id = 'under';
        INSERT INTO files VALUES ('du', 'under');
        """

    @Test("PL-4 SQL-15 keys of texts in other collations are followed by every way of erasing, for one and several subjects")
    func followed() async throws {
        let large = ErasureOptions(largeAccount: 1, residue: .leave)
        for (options, subjects) in [(ErasureOptions(), ["a"]), (ErasureOptions(), ["a", "b"]), (large, ["a"])] {
            try await EngineFixture.with(.postgresql, Self.script) { fixture in
                let plan = try await fixture.plan { plan in
                    let teams = plan.name("teams")
                    plan.set("tags", .erase)
                    plan.link("tags", Link(columns: ["team"], target: teams, targetColumns: ["id"], role: .owner))
                    plan.at("posts") { entry in
                        for place in entry.links.indices where entry.links[place].columns == ["editor_id"] {
                            (entry.links[place].role, entry.links[place].shared) = (.reference, nil)
                        }
                    }
                }
                let errors = try await fixture.findings(of: plan).filter { $0.severity == .error }
                #expect(errors.isEmpty, "\(errors)")
                let engine = try await fixture.engine(plan)
                #expect(try await engine.rehearse(subjects).allSatisfy(\.fits))
                let outcomes = try await engine.erase(subjects, options: options)
                #expect(outcomes.allSatisfy { $0.receipt?.isComplete == true }, "\(outcomes)")
                let others = ["b", "c"].filter { !subjects.contains($0) }
                for (table, kept) in [
                    ("people", others), ("teams", others.map { "t\($0)" }), ("folders", others.map { "f\($0)" }),
                    ("files", others.map { "d\($0)" }),
                ] {
                    #expect(try await fixture.rows("SELECT id FROM \(table) ORDER BY id") == kept, "\(table)")
                }
                let kept = subjects.count == 1 ? ["2 tb -", "3 tc -", "4 tc -"] : ["3 tc -", "4 tc -"]
                #expect(try await fixture.rows("SELECT * FROM posts ORDER BY id") == kept)
                #expect(try await fixture.rows("SELECT team FROM tags ORDER BY id") == others.map { "t\($0)" })
                for subject in subjects { #expect(try await engine.verify(subject, extent: .none).isClean) }
            }
        }
    }
}
