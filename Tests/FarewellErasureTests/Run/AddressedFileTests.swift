// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Files in a column of addresses")
struct AddressedFileTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, avatar text);
        INSERT INTO people VALUES (1, 'one@example.org', 'avatars/my%20photo.png'), (2, 'two@example.org', 'avatars/two.png?v=2'),
          (3, 'three@example.org', '/media/avatars/three.png'),
          (4, 'four@example.org', 'https://cdn.example.org/media/avatars/four.png'),
          (5, 'five@example.org', 'https://cdn.example.org/elsewhere/five.png'), (6, 'six@example.org', NULL),
          (7, 'seven@example.org', 'https://cdn.example.org/media/avatars/gone.png'),
          (8, 'eight@example.org', 'avatars/gone.png');
        """

    private static let files = ["my photo", "two", "three", "four", "five"]

    private func with(_ dialect: SQLDialect, _ use: (EngineFixture, ErasureEngine) async throws -> Void) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let folder = fixture.folder + "/media/avatars"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in Self.files { try Data("photo".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).png")) }
            let plan = try await fixture.plan { plan in
                plan.folders = [
                    FolderPlan(name: "avatars", root: "media", location: .column(ColumnName(plan.name("people"), "avatar")))
                ]
            }
            try await use(fixture, try await fixture.engine(plan))
        }
    }

    private func left(_ fixture: EngineFixture) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: fixture.folder + "/media/avatars"))
    }

    @Test(
        "SQL-30 preview, receipt and files agree: a path to a file is erased, a path to no file is reported",
        arguments: SQLDialect.allCases)
    func agreed(_ dialect: SQLDialect) async throws {
        try await with(dialect) { fixture, engine in
            let resolved = [1: "my photo", 2: "two", 3: "three", 4: "four"]
            for subject in 1...8 {
                let preview = try await engine.preview("\(subject)")
                let before = try left(fixture)
                let receipt = try #require(try await engine.erase(["\(subject)"]).first?.receipt)
                let gone = before.subtracting(try left(fixture))
                #expect(gone == Set(resolved[subject].map { ["\($0).png"] } ?? []), "\(subject)")
                #expect(preview.places.first { $0.place == "avatars" }?.count == gone.count, "\(subject)")
                let isReported = subject == 5 || subject == 7
                #expect(preview.unresolved == (isReported ? ["avatars": 1] : [:]), "\(subject)")
                #expect(receipt.isComplete == !isReported, "\(subject)")
                let step = try #require(receipt.steps.first { $0.store == "avatars" })
                #expect(step.outcome == (isReported ? .failed : gone.isEmpty ? .nothingThere : .erased), "\(subject): \(step)")
                #expect(receipt.notVerifiable.contains { $0.about.contains("files") } == isReported, "\(subject)")
            }
            #expect(try left(fixture) == ["five.png"])
        }
    }

    @Test(
        "SQL-30 a list or a document with names of files is reported; a name with the same characters but no file is not",
        arguments: SQLDialect.allCases,
        [
            (#"["avatars/five.png","avatars/none.png"]"#, true), (#"{"url": "avatars/five.png"}"#, true),
            ("avatars/none.png, avatars/five.png", true), ("avatars/none.png;avatars/five.png", true),
            ("avatars/none.png\navatars/five.png", true), ("avatars/a, b.png", false), ("[none]", false), (",;", false),
        ])
    func listed(_ dialect: SQLDialect, _ value: (text: String, isReported: Bool)) async throws {
        try await with(dialect) { fixture, engine in
            try await fixture.run("UPDATE people SET avatar = '\(value.text)' WHERE id = 6")
            let before = try left(fixture)
            #expect(try await engine.preview("6").unresolved == (value.isReported ? ["avatars": 1] : [:]))
            let receipt = try #require(try await engine.erase(["6"]).first?.receipt)
            #expect(receipt.isComplete == !value.isReported)
            #expect(try left(fixture) == before)
        }
    }

    @Test(
        "SQL-30 a file that another user's row names in another notation stays", arguments: SQLDialect.allCases,
        [
            "avatars/two.png", "avatars/two.png?v=7", "/media/avatars/two.png", "https://cdn.example.org/media/avatars/two.png",
            "media/avatars/two.png#x", "avatars/tw%6f.png", "avatars//two.png", "avatars/./two.png",
            "https://cdn.example.org/media//avatars/tw%6F%2Epng?v=2", #"avatars\two.png"#, "  avatars/two.png ",
            #"D:\media\avatars\two.png"#,
        ])
    func shared(_ dialect: SQLDialect, _ other: String) async throws {
        try await with(dialect) { fixture, engine in
            try await fixture.run("UPDATE people SET avatar = '\(other)' WHERE id = 6")
            #expect(try await engine.preview("2").places.first { $0.place == "avatars" }?.count == 0)
            let receipt = try #require(try await engine.erase(["2"]).first?.receipt)
            #expect(try left(fixture).contains("two.png"))
            #expect(receipt.isComplete, "the file is not the person's alone")
            let last = try #require(try await engine.erase(["6"]).first?.receipt)
            let files = try left(fixture)
            #expect(last.isComplete && !files.contains("two.png"))
        }
    }

    @Test(
        "SQL-30 a file is erased although a thousand other users' paths have the same suffix, and an index hides no other notation",
        arguments: SQLDialect.allCases)
    func namesOfOthers(_ dialect: SQLDialect) async throws {
        try await with(dialect) { fixture, engine in
            try await fixture.run(
                """
                CREATE INDEX by_avatar ON people (avatar);
                UPDATE people SET avatar = 'avatars/tw%6f.png' WHERE id = 6;
                UPDATE people SET avatar = '%61VATARS/../avatars/my%20%70hoto.png' WHERE id = 5;
                UPDATE people SET avatar = 'avatars/two.png' WHERE id = 2;
                UPDATE people SET avatar = 'avatars/three.png' WHERE id = 3;
                WITH RECURSIVE n (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
                INSERT INTO people SELECT n, 'p' || n || '@example.org', 'avatars/' || n || 'three.png' FROM n;
                """)
            _ = try await engine.erase(["1", "2", "3"])
            let files = try left(fixture)
            #expect(files.contains("two.png") && files.contains("my photo.png") && !files.contains("three.png"))
        }
    }

    @Test("SQL-30 users erased together take the file that only they name", arguments: SQLDialect.allCases)
    func together(_ dialect: SQLDialect) async throws {
        try await with(dialect) { fixture, engine in
            try await fixture.run("UPDATE people SET avatar = '/media/avatars/two.png' WHERE id = 6")
            let outcomes = try await engine.erase(["2", "6"])
            #expect(outcomes.allSatisfy { $0.receipt?.isComplete == true })
            let files = try left(fixture)
            #expect(!files.contains("two.png"))
        }
    }
}
