// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import FarewellSample
import Foundation
import TestFixtures
import Testing

@Suite("The plan's order of rows, files and the account")
struct StageOrderTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE photos (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id), path text);
        CREATE INDEX by_owner ON photos (owner);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO photos VALUES (10, 1, '1/a.jpg'), (11, 1, '1/b.jpg'), (20, 2, '2/a.jpg');
        """

    private func files(_ fixture: EngineFixture, and shared: [String] = []) throws {
        for person in ["1", "2", "11"] {
            let folder = fixture.folder + "/photos/" + person
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in ["a.jpg", "b.jpg"] { try Data("photo".utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
        }
        for name in shared { try Data("photo".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/photos/" + name)) }
    }

    private func left(_ fixture: EngineFixture) -> [String] {
        (FileManager.default.enumerator(atPath: fixture.folder + "/photos")?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".jpg") }.sorted()
    }

    private func plan(_ fixture: EngineFixture, _ order: [Plan.Stage], byColumn: Bool = false) async throws -> Plan {
        try await fixture.plan { plan in
            plan.order = order
            let location: FolderPlan.Location =
                byColumn ? .column(ColumnName(plan.name("photos"), "path")) : .folder(template: "{subject}/")
            plan.folders = [FolderPlan(name: "pictures", root: "photos", location: location)]
        }
    }

    static let orders: [[Plan.Stage]] = [
        [.files, .rows, .identity], [.rows, .files, .identity], [.rows, .identity, .files],
    ]

    @Test("SV-5 in any order, rows, files and account are deleted, and the receipt lists all", arguments: SQLDialect.allCases, orders)
    func all(_ dialect: SQLDialect, _ order: [Plan.Stage]) async throws {
        for large in [1, 20_000] { try await all(dialect, order, large) }
    }

    private func all(_ dialect: SQLDialect, _ order: [Plan.Stage], _ large: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            for byColumn in [false, true] {
                let engine = try await fixture.engine(try await plan(fixture, order, byColumn: byColumn))
                let subject = byColumn ? "2" : "1"
                let outcome = try #require(try await engine.erase([subject], options: ErasureOptions(largeAccount: large)).first)
                let receipt = try #require(outcome.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "photos": byColumn ? 1 : 2, "pictures": byColumn ? 1 : 2])
                #expect(receipt.isComplete)
            }
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/b.jpg"])
            #expect(try await fixture.count("people") == 0)
        }
    }

    @Test("with files in between, each step counts its own rows and none of the other's", arguments: SQLDialect.allCases)
    func counted(_ dialect: SQLDialect) async throws {
        let invited =
            Self.tables + """
                ALTER TABLE people ADD COLUMN invited_by integer;
                INSERT INTO people VALUES (3, 'three@example.org', 1), (4, 'four@example.org', 2), (5, 'five@example.org', 5);
                INSERT INTO photos VALUES (50, 5, '5/a.jpg');
                """
        try await EngineFixture.with(dialect, invited) { fixture in
            try files(fixture)
            var plan = try await plan(fixture, [.rows, .files, .identity])
            let people = plan.name("people")
            plan.link("people", Link(columns: ["invited_by"], target: people, targetColumns: ["id"], shared: .unlink))
            let engine = try await fixture.engine(plan)
            let (own, links) = ("\(people)", "\(people) (link only)")
            let photos = "\(plan.name("photos"))"
            // In pieces, alone, and together.
            for (subjects, large) in [(["1"], 1), (["2"], 20_000), (["3", "5"], 20_000)] {
                let outcomes = try await engine.erase(subjects, options: ErasureOptions(largeAccount: large))
                #expect(outcomes.allSatisfy { $0.word == "done" }, "\(outcomes)")
            }
            let expected: [String: [[String: Int]]] = [
                "1": [[photos: 2], [own: 1, links: 1]], "2": [[photos: 1], [own: 1, links: 1]],
                "3": [[:], [own: 1]], "5": [[photos: 1], [own: 1]],
            ]
            for (subject, counts) in expected {
                let steps = try #require(try await engine.statuses(ofSubject: subject).first).steps
                let told = ["rows", "identity"].map { name in steps.first { $0.name == name }?.counts ?? [:] }
                #expect(told == counts, "\(subject): \(told)")
            }
        }
    }

    @Test(
        "SV-5 files that cannot be erased keep the account; once they are fixed and released, the run ends",
        arguments: SQLDialect.allCases)
    func failing(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            let engine = try await fixture.engine(try await plan(fixture, [.rows, .files, .identity]))
            let root = fixture.folder + "/photos"
            let outcomes = try await engine.erase(["1"]) { progress in
                guard progress.event == .finished(step: "rows") else { return }
                try? FileManager.default.moveItem(atPath: root, toPath: root + "-away")
            }
            let outcome = try #require(outcomes.first)
            guard case .parked(let id, let cause) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(cause.contains("folder"), "\(cause)")
            #expect(try await fixture.rows("SELECT id FROM photos") == ["20"], "the rows are gone")
            #expect(try await fixture.count("people") == 2, "the account is there: the person can sign in and try again")
            try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
            let released = try await engine.release(id)
            let receipt = try #require(released.first?.receipt, "\(released)")
            #expect(receipt.erased == ["people": 1, "photos": 2, "pictures": 2])
            #expect(receipt.steps.map(\.name) == ["rows", "files", "identity"])
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/a.jpg", "2/b.jpg"])
        }
    }

    @Test(
        "SV-5 after an interruption that follows the rows, the files that the rows named are still erased",
        arguments: SQLDialect.allCases)
    func interruptedBetween(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            let engine = try await fixture.engine(try await plan(fixture, [.rows, .files, .identity], byColumn: true))
            let work = Task {
                try await engine.erase(["1"]) { if $0.event == .finished(step: "rows") { withUnsafeCurrentTask { $0?.cancel() } } }
            }
            #expect(try await work.value.map(\.word) == ["interrupted"])
            #expect(left(fixture).contains("1/a.jpg"))
            let receipt = try #require(try await engine.resume().first?.receipt)
            #expect(receipt.erased == ["people": 1, "photos": 2, "pictures": 2])
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/a.jpg", "2/b.jpg"])
        }
    }

    @Test(
        "a file or folder that another user's row also names stays; the receipt says so, and counts the erased ones",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            try await fixture.run("INSERT INTO photos VALUES (21, 2, '1/a.jpg'), (12, 1, '11')")
            let engine = try await fixture.engine(try await plan(fixture, Plan.defaultOrder, byColumn: true))
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            let pictures = try #require(receipt.steps.flatMap(\.places).first { $0.place == "pictures" })
            #expect(pictures.erased == 1 && pictures.bytes == 5, "\(pictures)")
            #expect(receipt.notVerifiable.contains { $0.note.hasPrefix("Kept files: 2.") })
            #expect(left(fixture).contains("1/a.jpg") && !left(fixture).contains("1/b.jpg"))
        }
    }

    @Test(
        "a preview counts once each file that an erasure deletes, however many rows name it, and no file that other users also name",
        arguments: SQLDialect.allCases)
    func previewed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            try await fixture.run("INSERT INTO photos VALUES (12, 1, '1/b.jpg'), (13, 1, '1/none.jpg'), (21, 2, '1/a.jpg')")
            let engine = try await fixture.engine(try await plan(fixture, Plan.defaultOrder, byColumn: true))
            let preview = try #require(try await engine.preview("1").places.first { $0.place == "pictures" })
            #expect(preview.count == 1 && preview.bytes == 5, "\(preview)")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased["pictures"] == 1)
            #expect(left(fixture) == ["1/a.jpg", "11/a.jpg", "11/b.jpg", "2/a.jpg", "2/b.jpg"])
        }
    }

    @Test(
        "files named by an invalid path of the folder stay, and the receipt says so", arguments: SQLDialect.allCases,
        ["/1/a.jpg", "11/../1/a.jpg", "https://example.org/1/a.jpg"])
    func refused(_ dialect: SQLDialect, _ path: String) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            try await fixture.run("UPDATE photos SET path = '\(path)' WHERE owner = 1")
            let engine = try await fixture.engine(try await plan(fixture, Plan.defaultOrder, byColumn: true))
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased["photos"] == 2 && left(fixture).contains("1/a.jpg"))
            #expect(receipt.steps.first { $0.store == "pictures" }?.outcome == .failed, "\(receipt.steps)")
            #expect(receipt.notVerifiable.contains { $0.note.hasPrefix("Kept files: 1.") } && !receipt.isComplete)
            #expect(!ReceiptText.text(receipt).contains("Everything in the plan was erased"))
        }
    }

    @Test(
        "a file that a row names in another notation is erased, unless another user's row names it in any notation",
        arguments: SQLDialect.allCases)
    func spelled(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            try await fixture.run("UPDATE photos SET path = './' || path WHERE owner = 1")
            try await fixture.run("INSERT INTO photos VALUES (21, 2, '1/b.jpg')")
            let engine = try await fixture.engine(try await plan(fixture, Plan.defaultOrder, byColumn: true))
            #expect(try await engine.erase(["1"]).first?.receipt?.erased["pictures"] == 1)
            #expect(!left(fixture).contains("1/a.jpg") && left(fixture).contains("1/b.jpg"))
            try await fixture.run("INSERT INTO people VALUES (3, 'three@example.org')")
            try await fixture.run("INSERT INTO photos VALUES (30, 3, './2/a.jpg')")
            #expect(try await engine.erase(["2"]).first?.receipt?.erased["pictures"] == 1)
            #expect(left(fixture).contains("2/a.jpg") && !left(fixture).contains("1/b.jpg"))
        }
    }

    @Test(
        "the last leaving user's erasure deletes a file that only the leaving users name; a file of another user stays",
        arguments: SQLDialect.allCases)
    func together(_ dialect: SQLDialect) async throws {
        let shared =
            Self.tables + """
                INSERT INTO people VALUES (3, 'three@example.org'), (4, 'four@example.org');
                INSERT INTO photos VALUES (30, 1, 'ours.jpg'), (31, 2, 'ours.jpg'), (32, 1, 'theirs.jpg'), (33, 3, 'theirs.jpg');
                """
        try await EngineFixture.with(dialect, shared) { fixture in
            try files(fixture, and: ["ours.jpg", "theirs.jpg"])
            let engine = try await fixture.engine(try await plan(fixture, [.files, .rows, .identity], byColumn: true))
            let outcomes = try await engine.erase(["1", "2"])
            #expect(outcomes.map(\.word) == ["done", "done"], "\(outcomes)")
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/b.jpg", "theirs.jpg"], "\(outcomes.map { $0.receipt?.erased })")
            #expect(try await fixture.rows("SELECT path FROM photos") == ["theirs.jpg"])
            // Files that stayed at first, for the other subject, are counted as they are in the end.
            #expect(outcomes.compactMap { $0.receipt?.erased["pictures"] }.sorted() == [2, 3], "\(outcomes)")
            #expect(outcomes.filter { $0.receipt?.notVerifiable.contains { $0.about == "files that stay" } == true }.count == 1)
        }
    }

    @Test("a file named only by kept rows of subjects that are erased together is deleted", arguments: SQLDialect.allCases)
    func keptTogether(_ dialect: SQLDialect) async throws {
        let loose =
            Self.tables.replacing("NOT NULL REFERENCES people (id)", with: "NOT NULL")
                + """
                INSERT INTO people VALUES (3, 'three@example.org');
                INSERT INTO photos VALUES (30, 1, 'ours.jpg'), (31, 2, 'ours.jpg'), (32, 2, 'theirs.jpg'), (33, 3, 'theirs.jpg');
                """
        try await EngineFixture.with(dialect, loose) { fixture in
            try files(fixture, and: ["ours.jpg", "theirs.jpg"])
            var plan = try await plan(fixture, Plan.defaultOrder, byColumn: true)
            plan.set(
                "photos", .retain(Retention(reason: "law", period: Period(1, .year))), ["owner": .retain, "path": .retain])
            plan.link("photos", Link(columns: ["owner"], target: plan.name("people"), targetColumns: ["id"]))
            let outcomes = try await fixture.engine(plan).erase(["1", "2"])
            #expect(outcomes.map(\.word) == ["done", "done"], "\(outcomes)")
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/b.jpg", "theirs.jpg"])
        }
    }

    @Test("when two users leave together, a shared file is erased with the rows that are erased last", arguments: SQLDialect.allCases)
    func sameMoment(_ dialect: SQLDialect) async throws {
        let shared = Self.tables + "INSERT INTO photos VALUES (30, 1, 'ours.jpg'), (31, 2, 'ours.jpg');"
        try await EngineFixture.with(dialect, shared) { fixture in
            try files(fixture, and: ["ours.jpg"])
            let plan = try await plan(fixture, Plan.defaultOrder, byColumn: true)
            let other = try await fixture.engine(plan, owner: "here:2:b")
            let outcomes = try await fixture.engine(plan).erase(["1"]) { progress in
                guard progress.event == .finished(step: "files: pictures") else { return }
                do {
                    let receipt = try #require(try await other.erase(["2"]).first?.receipt)
                    #expect(receipt.erased["pictures"] == 1, "the first one's row is still there")
                    #expect(receipt.notVerifiable.contains { $0.about == "files that stay" })
                } catch {
                    Issue.record("\(error)")
                }
            }
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(receipt.erased == ["people": 1, "photos": 3, "pictures": 3])
            #expect(!receipt.notVerifiable.contains { $0.about == "files that stay" })
            #expect(left(fixture) == ["11/a.jpg", "11/b.jpg", "2/b.jpg"])
        }
    }

    @Test("a run interrupted after the rows checks again the files that other users named", arguments: SQLDialect.allCases)
    func lookedAtLater(_ dialect: SQLDialect) async throws {
        let shared = Self.tables + "INSERT INTO photos VALUES (30, 1, 'ours.jpg'), (31, 2, 'ours.jpg');"
        try await EngineFixture.with(dialect, shared) { fixture in
            try files(fixture, and: ["ours.jpg"])
            let engine = try await fixture.engine(try await plan(fixture, Plan.defaultOrder, byColumn: true))
            let work = Task {
                try await engine.erase(["1"]) { if $0.event == .finished(step: "rows") { withUnsafeCurrentTask { $0?.cancel() } } }
            }
            #expect(try await work.value.map(\.word) == ["interrupted"])
            #expect(left(fixture).contains("ours.jpg"))
            try await fixture.run("DELETE FROM photos WHERE id = 31")
            #expect(try await engine.resume().first?.receipt?.erased["pictures"] == 3)
            #expect(!left(fixture).contains("ours.jpg"))
            let steps = try #require(try await engine.statuses(ofSubject: "1").first).steps
            #expect(steps.first { $0.name == "files: pictures" }?.counts["left"] == 0)
        }
    }

    @Test("files beyond every limit of the remembered names are also deleted", arguments: SQLDialect.allCases)
    func many(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try files(fixture)
            let last = SubjectResolver.bound + 1_000
            try await fixture.run(
                """
                WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(last + 99))
                INSERT INTO photos SELECT i, 1, 'all/' || i || '.jpg' FROM n
                """)
            try FileManager.default.createDirectory(atPath: fixture.folder + "/photos/all", withIntermediateDirectories: true)
            for number in (last + 50)..<(last + 100) {
                try Data("photo".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/photos/all/\(number).jpg"))
            }
            let engine = try await fixture.engine(try await plan(fixture, [.files, .rows, .identity], byColumn: true))
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(!left(fixture).contains { $0.hasPrefix("all/") || $0.hasPrefix("1/") })
            #expect(try await fixture.rows("SELECT id FROM photos") == ["20"])
        }
    }
}
