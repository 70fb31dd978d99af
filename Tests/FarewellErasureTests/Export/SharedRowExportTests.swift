// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An export of rows that two users share")
struct SharedRowExportTests {
    private static let (ann, bob) = ("7301", "9402")
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, name text, email text);
        CREATE TABLE reported_users (id integer PRIMARY KEY, reporter_id integer NOT NULL REFERENCES people (id), \
        reported_id integer NOT NULL REFERENCES people (id), reason text);
        CREATE TABLE swipes (swiper_id integer NOT NULL REFERENCES people (id), swiped_id integer NOT NULL REFERENCES people (id), \
        direction text, PRIMARY KEY (swiper_id, swiped_id));
        CREATE TABLE matches (id integer PRIMARY KEY, user1_id integer NOT NULL REFERENCES people (id), \
        user2_id integer NOT NULL REFERENCES people (id), day text);
        CREATE TABLE messages (id integer PRIMARY KEY, sender_id integer NOT NULL REFERENCES people (id), \
        receiver_id integer NOT NULL REFERENCES people (id), body text, mood text);
        CREATE TABLE posts (id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES people (id), body text);
        CREATE TABLE comments (id integer PRIMARY KEY, post_id integer NOT NULL REFERENCES posts (id), \
        author_id integer REFERENCES people (id), body text);
        INSERT INTO people VALUES (7301, 'Ann', 'ann@example.org'), (9402, 'Bob', 'bob@example.org');
        INSERT INTO reported_users VALUES (1, 9402, 7301, 'of Bob'), (2, 7301, 9402, 'of Ann'), (3, 7301, 7301, 'of herself');
        INSERT INTO swipes VALUES (9402, 7301, 'of Bob'), (7301, 9402, 'of Ann');
        INSERT INTO matches VALUES (1, 7301, 9402, 'Monday');
        INSERT INTO messages VALUES (1, 9402, 7301, 'to Ann', 'of Bob'), (2, 7301, 9402, 'to Bob', 'of Ann');
        INSERT INTO posts VALUES (1, 7301, 'of Ann'), (2, 9402, 'of Bob');
        INSERT INTO comments VALUES (1, 1, 9402, 'of Bob'), (2, 2, 7301, 'of Ann'), (3, 1, NULL, 'of a guest');
        """

    private static let ofAnn = [
        "reported_users": ["1 - 7301 -", "2 7301 - of Ann", "3 7301 7301 of herself"],
        "swipes": ["- 7301 -", "7301 - of Ann"],
        "matches": ["1 7301 - Monday"],
        "messages": ["1 - 7301 to Ann -", "2 7301 - to Bob of Ann"],
        "posts": ["1 7301 of Ann"],
        "comments": ["1 1 - -", "2 2 7301 of Ann", "3 1 - of a guest"],
    ]
    private static let ofBob = [
        "reported_users": ["1 9402 - of Bob", "2 - 9402 -"],
        "swipes": ["- 9402 -", "9402 - of Bob"],
        "matches": ["1 - 9402 Monday"],
        "messages": ["1 9402 - to Ann of Bob", "2 - 9402 to Bob -"],
        "posts": ["2 9402 of Bob"],
        "comments": ["1 1 9402 of Bob", "2 2 - -"],
    ]

    @Test(
        "EX-2 of a shared row the author gets all but the other user's key, and the other user only what the plan says",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.at("messages") { $0.columns[3].export = true }
            }
            let engine = try await fixture.engine(plan)
            for (key, other, expected) in [(Self.ann, Self.bob, Self.ofAnn), (Self.bob, Self.ann, Self.ofBob)] {
                let output = fixture.folder + "/\(key)"
                let manifest = try await engine.export(key, to: output)
                for (table, lines) in expected {
                    #expect(try Self.lines(of: fixture.name(table), manifest, output) == lines, "\(table) of \(key)")
                }
                let files = ["index.html"] + manifest.tables.flatMap { [$0.csv, $0.json] }
                for file in files {
                    let text = try String(contentsOfFile: "\(output)/\(file)", encoding: .utf8)
                    let words = key == Self.ann ? ["of Bob", "bob@", other] : ["of Ann", "ann@", other]
                    #expect(!words.contains { text.contains($0) }, "\(file) of \(key)")
                }
                let counted = try await engine.preview(key).places.filter { $0.count > 0 }.map { "\($0.place) \($0.count)" }
                #expect(counted.sorted() == manifest.tables.filter { $0.rows > 0 }.map { "\($0.place) \($0.rows)" }.sorted())
            }
            let manifest = try await engine.export(Self.ann, to: fixture.folder + "/again")
            let reports = try #require(manifest.tables.first { $0.place == "\(fixture.name("reported_users"))" })
            #expect(reports.columns == ["id", "reporter_id", "reported_id", "reason"])
            #expect(reports.omittedNames.whole == [] && reports.omittedNames.inPart == ["reporter_id", "reported_id", "reason"])
            let reasons = Dictionary(reports.omitted.map { ($0.about, $0.reason) }, uniquingKeysWith: { $1 })
            #expect(reasons["reporter_id"] == reasons["reported_id"] && reasons["reason"]?.contains("another user wrote") == true)
            #expect(manifest.tables.first { $0.place == "\(fixture.name("posts"))" }?.omitted == [])
            let page = try String(contentsOfFile: fixture.folder + "/again/index.html", encoding: .utf8)
            #expect(page.contains("another user's: reporter_id, reported_id, reason.") && !page.contains("Left out: "))
            let receipt = try #require(try await engine.erase([Self.ann]).first?.receipt)
            let told = receipt.steps.flatMap(\.places).map { "\($0.place) \($0.erased)" }
            #expect(told.sorted() == manifest.tables.filter { $0.rows > 0 }.map { "\($0.place) \($0.rows)" }.sorted())
        }
    }

    private static func lines(of table: TableName, _ manifest: ExportManifest, _ folder: String) throws -> [String] {
        let found = try #require(manifest.tables.first { $0.place == "\(table)" })
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(found.json)"))
        let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return rows.map { row in
            found.columns.map { column in
                let value = row[column]
                return (value as? NSNumber)?.stringValue ?? value as? String ?? "-"
            }.joined(separator: " ")
        }.sorted()
    }
}
