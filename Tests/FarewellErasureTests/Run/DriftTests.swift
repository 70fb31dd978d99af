// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A schema that changes under a run")
struct DriftTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
        """

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sqlite: [String]
        let postgresql: [String]
        /// The words that the cause must contain.
        let words: String

        func statements(_ dialect: SQLDialect) -> [String] { dialect == .sqlite ? sqlite : postgresql }
    }

    static let changes = [
        Change(
            testDescription: "a column is added", sqlite: ["ALTER TABLE posts ADD COLUMN reader integer"],
            postgresql: ["ALTER TABLE posts ADD COLUMN reader integer"], words: "reader"),
        Change(
            testDescription: "a table is added", sqlite: ["CREATE TABLE likes (who integer REFERENCES people (id))"],
            postgresql: ["CREATE TABLE public.likes (who integer REFERENCES people (id))"], words: "likes"),
        Change(
            testDescription: "a key is added", sqlite: ["ALTER TABLE posts ADD COLUMN boss integer REFERENCES people (id)"],
            postgresql: ["ALTER TABLE posts ADD CONSTRAINT extra FOREIGN KEY (id) REFERENCES people (id) NOT VALID"], words: "oreign key"),
        Change(
            testDescription: "a trigger is added",
            sqlite: ["CREATE TRIGGER copier AFTER DELETE ON posts BEGIN SELECT 1; END"],
            postgresql: [
                "CREATE FUNCTION copier() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "CREATE TRIGGER copier AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION copier()",
            ], words: "copier"),
        Change(
            testDescription: "a column is renamed", sqlite: ["ALTER TABLE posts RENAME COLUMN author TO writer"],
            postgresql: ["ALTER TABLE posts RENAME COLUMN author TO writer"], words: "writer"),
        Change(
            testDescription: "a table is dropped", sqlite: ["DROP TABLE posts"], postgresql: ["DROP TABLE posts"], words: "posts"),
    ]

    @Test(
        "BX-1 a change after the plan's check parks the run with the difference, and nothing is deleted",
        arguments: SQLDialect.allCases, changes)
    func parks(_ dialect: SQLDialect, _ change: Change) async throws {
        for large in [1, 20_000] { try await park(dialect, change, large) }
    }

    private func park(_ dialect: SQLDialect, _ change: Change, _ large: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(largeAccount: large, deepScan: .complete)) { progress in
                    guard progress.event == .accepted else { return }
                    for statement in change.statements(dialect) {
                        do {
                            _ = try await fixture.database.withConnection { try await $0.run(SQLStatement(statement)) }
                        } catch {
                            Issue.record("\(error)")
                        }
                    }
                }.first)
            let cause = try #require(outcome.cause, "\(outcome)")
            #expect(cause.contains(change.words), "\(cause)")
            #expect(try await fixture.count("people") == 2)
            if !change.words.hasPrefix("posts") { #expect(try await fixture.count("posts") == 3) }
            let id = try #require(try await engine.statuses(ofSubject: "1").first).erasure.id
            let stale = await code { _ = try await engine.release(id) }
            #expect(stale == "run.schema-changed", "the plan is still the old one")
            #expect(try await engine.status(of: id)?.erasure.state == .needsAttention)
            let derived = try await fixture.plan()
            #expect(try await fixture.engine(derived).release(id).map(\.word) == ["done"], "with a plan of today it goes on")
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
        }
    }

    static let steps = ["system: billing", "files: pictures", "rows", "system: pool"]

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            plan.systems = [
                SystemPlan(name: "billing", kind: "imagined"), SystemPlan(name: "pool", kind: "imagined", stage: .identity),
            ]
            plan.folders = [FolderPlan(name: "pictures", root: "photos", location: .folder(template: "{subject}/"))]
        }
    }

    @Test(
        "after a schema change an erasure calls no system, deletes no file or row and reports none as gone, whichever steps are done",
        arguments: SQLDialect.allCases, 0...steps.count)
    func everyStep(_ dialect: SQLDialect, _ done: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let photo = fixture.folder + "/photos/1/a.jpg"
            try FileManager.default.createDirectory(atPath: fixture.folder + "/photos/1", withIntermediateDirectories: true)
            try Data("photo".utf8).write(to: URL(fileURLWithPath: photo))
            let (billing, pool) = (ImaginedSystem(["1": 2]), ImaginedSystem(["1": 1]))
            let connectors: [String: any Connector] = ["billing": billing, "pool": pool]
            let last: ErasureProgress.Event = done == 0 ? .accepted : .finished(step: Self.steps[done - 1])
            let engine = try await fixture.engine(try await plan(fixture), connectors: connectors)
            let outcome = try #require(
                try await engine.erase(["1"]) { progress in
                    guard progress.event == last else { return }
                    do {
                        try await fixture.run("ALTER TABLE posts ADD COLUMN mood text")
                    } catch {
                        Issue.record("\(error)")
                    }
                }.first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("mood"), "\(cause)")
            let (billed, pooled): ([String: Int], [String: Int]) = (done > 0 ? [:] : ["1": 2], done > 3 ? [:] : ["1": 1])
            #expect(await billing.entries == billed)
            #expect(FileManager.default.fileExists(atPath: photo) == (done < 2))
            #expect(try await fixture.count("people") == (done > 2 ? 1 : 2))
            #expect(await pool.entries == pooled)
            let later = try await fixture.engine(try await plan(fixture), connectors: connectors)
            #expect(try await later.release(id).map(\.word) == ["done"], "with a plan of today it goes on")
            #expect(await billing.entries.isEmpty)
            #expect(await pool.entries.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: photo))
        }
    }

    @Test("a change between two pieces of a large account leaves the rest of it unchanged", arguments: SQLDialect.allCases)
    func pieces(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(largeAccount: 1)) { progress in
                    guard case .advanced(step: "rows", _, _) = progress.event else { return }
                    // Done once; a second time the column is there.
                    try? await fixture.run("ALTER TABLE posts ADD COLUMN mood text")
                }.first)
            #expect(outcome.cause?.contains("mood") == true, "\(outcome)")
            #expect(try await fixture.count("people") == 2)
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
        }
    }

    @Test("a schema that only seems changed stops no step, not even one that another worker took over during verification")
    func looksChangedUnderSteps() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            // The folder of another person shows that the place is right.
            try FileManager.default.createDirectory(atPath: fixture.folder + "/photos/9", withIntermediateDirectories: true)
            let connectors: [String: any Connector] = ["billing": ImaginedSystem(["1": 1]), "pool": ImaginedSystem(["2": 1])]
            let plan = try await plan(fixture)
            let fill = Guarded(50)
            let engine = try await fixture.engine(plan, connectors: connectors)
            let later = try await fixture.engine(plan, owner: "here:2:b", dead: ["gone:1:a"], connectors: connectors)
            let outcomes = try await engine.erase(["1"]) { progress in
                guard case .finished = progress.event else { return }
                let next = fill.withLock { fill in
                    fill += 1
                    return fill
                }
                try? await fixture.run("ALTER TABLE posts SET (fillfactor = \(next))")
            }
            #expect(outcomes.map(\.word) == ["done"], "\(outcomes)")
            #expect(fill.withLock { $0 } == 50 + Self.steps.count)
            let taken = try await engine.erase(["2"]) { progress in
                guard progress.event == .verified else { return }
                let theirs = "SET owner = 'gone:1:a', epoch = epoch + 1 WHERE state = 'verifying'"
                try? await fixture.run("UPDATE \(fixture.control("erasures")) \(theirs)")
            }
            #expect(taken.map { $0.error?.code } == ["run.lease-lost"], "\(taken)")
            #expect(try await later.resume().map(\.word) == ["done"])
        }
    }

    @Test("a run begun before a change and resumed after it is parked", arguments: SQLDialect.allCases)
    func resumed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await Acceptance(context: engine.context(ErasureOptions())).accept([.integer(1)])
            try await fixture.run("ALTER TABLE posts ADD COLUMN mood text")
            let later = try await fixture.engine(try await fixture.plan(), owner: "here:2:b", dead: ["here:1:a"])
            let outcome = try #require(try await later.resume().first)
            #expect(outcome.cause?.contains("mood") == true, "\(outcome)")
            #expect(try await fixture.count("posts") == 3)
        }
    }

    @Test("a plan other than the one at the run's start parks the run until a release", arguments: SQLDialect.allCases)
    func otherPlan(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            _ = try await Acceptance(context: engine.context(ErasureOptions())).accept([.integer(1)])
            let improved = try await fixture.plan(identifiers: [])
            let later = try await fixture.engine(improved, owner: "here:2:b", dead: ["here:1:a"])
            let outcome = try #require(try await later.resume().first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("plan"))
            #expect(try await later.release(id).map(\.word) == ["done"])
        }
    }

    @Test("analysing, vacuuming and erasing do not count as changes of the schema", arguments: SQLDialect.allCases)
    func looksChanged(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let stamp = SchemaStamp(dialect: dialect)
            let before = try await fixture.database.withConnection { try await $0.run(stamp.read).scalar }
            #expect(before == engine.prepared.stamp)
            for statement in ["ANALYZE", "VACUUM"] { try await fixture.run(statement) }
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            let after = try await fixture.database.withConnection { try await $0.run(stamp.read).scalar }
            if dialect == .sqlite { #expect(after == before) }
            #expect(try await engine.erase(["2"]).map(\.word) == ["done"], "one after the other")
        }
    }

    @Test("DDL in another schema counts, since a subject's rows may lie there; in a system schema it does not")
    func otherSchema() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let engine = try await fixture.engine()
            try await fixture.run("CREATE TEMP TABLE scratch (n integer)")
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            try await fixture.run("CREATE SCHEMA elsewhere; CREATE TABLE elsewhere.copies (n integer);")
            let outcome = try #require(try await engine.erase(["2"]).first)
            #expect(outcome.cause?.contains("elsewhere.copies") == true, "\(outcome)")
            // A role that may not use a schema reads the same stamp.
            let role = "no-usage-\(UInt64.random(in: .min ... .max))"
            try await fixture.run("CREATE SCHEMA auth; CREATE ROLE \"\(role)\"")
            let stamp = SchemaStamp(dialect: .postgresql).read
            try await fixture.database.withConnection { connection in
                let before = try await connection.run(stamp).scalar
                _ = try await connection.run(SQLStatement("SET ROLE \"\(role)\""))
                let seen = try await connection.run(stamp).scalar
                _ = try await connection.run(SQLStatement("RESET ROLE"))
                #expect(before != nil && seen == before)
            }
            try await fixture.run("DROP ROLE \"\(role)\"")
        }
    }
}
