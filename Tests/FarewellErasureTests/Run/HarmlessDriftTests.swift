// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("A schema that changes under a run in irrelevant ways")
struct HarmlessDriftTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1), (20, 2);
        """

    @Test("OP-2 an index, a comment and statistics added under a run park nothing", arguments: SQLDialect.allCases)
    func index(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let more = dialect == .postgresql ? " COMMENT ON TABLE posts IS 'x'; CREATE STATISTICS s ON id, author FROM posts;" : ""
            let outcome = try #require(
                try await engine.erase(["1"]) { progress in
                    guard progress.event == .accepted else { return }
                    do {
                        try await fixture.run("CREATE INDEX more ON posts (author, id); DROP INDEX by_author;\(more)")
                    } catch {
                        Issue.record("\(error)")
                    }
                }.first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
        }
    }

    @Test("PK-2 an erasure that recorded the earlier form of the fingerprint continues", arguments: SQLDialect.allCases)
    func earlier(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await Acceptance(context: engine.context(ErasureOptions())).accept([.integer(1)])
            let earlier = try await Schema.read(from: fixture.database).earlierFingerprint
            try await fixture.run("UPDATE \(fixture.control("erasures")) SET schema_fingerprint = '\(earlier)'")
            let later = try await fixture.engine(try await fixture.plan(), owner: "here:2:b", dead: ["here:1:a"])
            #expect(try await later.resume().map(\.word) == ["done"])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
        }
    }
}
