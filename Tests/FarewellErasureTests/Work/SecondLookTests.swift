// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The second look at the plan's systems and folders")
struct SecondLookTests {
    private static let rules = ServiceRules(secondLook: 600, poll: 1)

    /// Three people, two of them with one address, and a system that knows people by it.
    private func with(
        _ dialect: SQLDialect, _ system: ImaginedSystem, _ use: (WorkerFixture) async throws -> Void
    ) async throws {
        let people = "(1, 'a@example.org'), (2, 'both@example.org'), (3, 'both@example.org')"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, WorkerFixture.tables + "INSERT INTO people VALUES \(people);", postgresql: wide) { fixture in
            let environment = fixture.environment()
            let email = ColumnName(fixture.name("people"), "email")
            let plan = try await WorkerFixture.plan(fixture) {
                $0.subject.identifiers = [email]
                $0.systems = [SystemPlan(name: "billing", kind: "imagined", person: .column(email))]
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["billing": system],
                environment: environment)
            try await use(WorkerFixture(fixture: fixture, engine: engine))
        }
    }

    /// Looks as if it were time.
    private func look(_ place: WorkerFixture, closing: any SubjectClosing = NoSessions()) async throws {
        try await place.fixture.run(
            "UPDATE \(place.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z' WHERE look_at IS NOT NULL")
        try await Reverifier(workers: place.workers(Self.rules, closing: closing)).perform()
    }

    /// Accounts of which that of one user was made after the erasure.
    private struct MadeAgain: SubjectClosing {
        let subject: String
        func close(_ subjects: [String]) async throws {}
        func hasReturned(_ subject: String, since end: Date) async throws -> Bool { subject == self.subject }
    }

    /// Accounts that cannot be read for one user.
    private struct Unreadable: SubjectClosing {
        let subject: String
        func close(_ subjects: [String]) async throws {}
        func hasReturned(_ subject: String, since end: Date) async throws -> Bool {
            guard subject == self.subject else { return false }
            throw FarewellError("test.busy", .tryAgain, "The accounts cannot be read now.")
        }
    }

    @Test("P7 OPS-07 a second look that fails for one user keeps no other waiting", arguments: SQLDialect.allCases)
    func failing(_ dialect: SQLDialect) async throws {
        try await with(dialect, ImaginedSystem([:])) { place in
            for subject in ["1", "2"] { #expect(try await place.erased(subject, Self.rules)?.state == .done) }
            try await place.fixture.run("INSERT INTO posts (id, author, body) VALUES (901, '1', 'late'), (902, '2', 'late')")
            try await look(place, closing: Unreadable(subject: "1"))
            #expect(try await place.states().sorted() == ["done", "done", "requested"])
            #expect(place.fixture.log.lines.contains { $0.contains("second look failed") && $0.contains("test.busy") })
            try await look(place)
            #expect(try await place.states().sorted() == ["done", "done", "requested", "requested"])
        }
    }

    @Test(
        "AD-8 SB-5 the second look touches no row under a key that was given again, whatever address it has, and erases other late data",
        arguments: SQLDialect.allCases)
    func madeAgain(_ dialect: SQLDialect) async throws {
        try await with(dialect, ImaginedSystem([:])) { place in
            for subject in ["1", "2"] { #expect(try await place.erased(subject, Self.rules)?.state == .done) }
            let events = "SELECT count(*) FROM \(place.fixture.control("events")) WHERE kind = 'erasure.reappeared'"
            try await place.fixture.run(
                """
                INSERT INTO people (id, email) VALUES (1, 'a@example.org'), (2, 'both@example.org');
                INSERT INTO posts (id, author, body) VALUES (901, '1', 'new'), (902, '2', 'new');
                """)
            try await look(place, closing: MadeAgain(subject: "1"))
            #expect(try await place.states() == ["done", "done"], "a number may be given again to a person with the same address")
            #expect(try await place.fixture.rows("SELECT id FROM people WHERE id < 3 ORDER BY id") == ["1", "2"])
            #expect(try await place.fixture.rows("SELECT id FROM posts WHERE id > 900 ORDER BY id") == ["901", "902"])
            #expect(try await place.fixture.rows(events) == ["1"], "an operator decides about the number given again")
        }
    }

    @Test("SB-5 the second look erases late rows of a user whose own row is gone", arguments: SQLDialect.allCases)
    func late(_ dialect: SQLDialect) async throws {
        try await with(dialect, ImaginedSystem([:])) { place in
            #expect(try await place.erased("1", Self.rules)?.state == .done)
            try await place.fixture.run("INSERT INTO posts (id, author, body) VALUES (901, '1', 'late')")
            try await look(place)
            #expect(try await place.states() == ["done", "requested"])
            try await place.working { try await eventually { try await place.states().allSatisfy { $0 == "done" } } }
            #expect(try await place.fixture.rows("SELECT id FROM posts WHERE id > 900").isEmpty)
            try await look(place)
            #expect(try await place.states().count == 2, "looked at once")
        }
    }

    @Test(
        "BX-5 F16 the second look finds and erases data that comes back in a system without a row; a shared name stays",
        arguments: SQLDialect.allCases)
    func systems(_ dialect: SQLDialect) async throws {
        let system = ImaginedSystem(["a@example.org": 2, "both@example.org": 1])
        try await with(dialect, system) { place in
            for subject in ["1", "2"] { #expect(try await place.erased(subject, Self.rules)?.state == .done) }
            await system.put("a@example.org")
            try await look(place)
            #expect(try await place.states() == ["done", "done", "requested"])
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(await system.entries == ["both@example.org": 1])
            var erased: [[String: Int]] = []
            for status in try await place.engine.statuses() {
                erased.append(try await place.engine.openReceipt(of: status.erasure.id).erased)
            }
            #expect(Set(erased) == [["billing": 2, "people": 1], ["people": 1], ["billing": 1]])
            let kinds = try await place.fixture.rows(
                "SELECT kind FROM \(place.fixture.control("events")) WHERE kind = 'erasure.reappeared'")
            #expect(kinds == ["erasure.reappeared"])
            try await look(place)
            #expect(try await place.states() == ["done", "done", "done"], "looked at once")
        }
    }

    private static let locations = ["{subject}/", nil] as [String?]

    @Test(
        "BX-5 F16 the second look finds and erases files that come back without a row; a file that another user's row names stays",
        arguments: SQLDialect.allCases, locations)
    func folders(_ dialect: SQLDialect, _ template: String?) async throws {
        try await WorkerFixture.with(
            dialect,
            { plan in
                let body = ColumnName(plan.tables.first { $0.table.name == "posts" }?.table ?? plan.subject.table, "body")
                let location = template.map { FolderPlan.Location.folder(template: $0) } ?? .column(body)
                plan.folders = [FolderPlan(name: "pictures", root: ".", location: location)]
            }
        ) { place in
            let folder = place.fixture.folder
            func put(_ names: String...) throws {
                for name in names {
                    let file = URL(fileURLWithPath: folder + "/" + name)
                    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data("picture".utf8).write(to: file)
                }
            }
            func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder + "/" + name) }
            try await place.fixture.run("UPDATE posts SET body = CASE WHEN id % 10 = 0 THEN '1/both.jpg' ELSE author || '/own.jpg' END")
            try put("1/own.jpg", "1/both.jpg", "2/own.jpg")
            #expect(try await place.erased("1", Self.rules)?.state == .done)
            // By column the other file is the others' as well; by folder it is the person's.
            #expect(!isThere("1/own.jpg") && isThere("1/both.jpg") == (template == nil))
            try await look(place)
            #expect(try await place.states() == ["done"], "nothing has come back")
            try await place.fixture.run(
                "UPDATE \(place.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z'")
            try put("1/own.jpg")
            try await look(place)
            #expect(try await place.states() == ["done", "requested"], "\(place.fixture.log.lines)")
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(!isThere("1/own.jpg") && isThere("1/both.jpg") == (template == nil) && isThere("2/own.jpg"))
        }
    }

    @Test(
        "BX-5 a path that stays because it is no user's file does not count as returned: the second look skips it",
        arguments: SQLDialect.allCases)
    func noFiles(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(
            dialect,
            { plan in
                let body = ColumnName(plan.tables.first { $0.table.name == "posts" }?.table ?? plan.subject.table, "body")
                plan.folders = [FolderPlan(name: "pictures", root: ".", location: .column(body))]
            }
        ) { place in
            let folder = place.fixture.folder
            try FileManager.default.createDirectory(atPath: folder + "/albums", withIntermediateDirectories: true)
            try Data("picture".utf8).write(to: URL(fileURLWithPath: folder + "/albums/a.jpg"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/albums")
            try await place.fixture.run("UPDATE posts SET body = CASE WHEN id % 10 = 0 THEN 'albums' ELSE 'link/a.jpg' END")
            for subject in ["1", "2", "3"] { #expect(try await place.erased(subject, Self.rules)?.state == .done) }
            try await look(place)
            #expect(try await place.states() == ["done", "done", "done"], "\(place.fixture.log.lines)")
            #expect(FileManager.default.fileExists(atPath: folder + "/albums/a.jpg"))
        }
    }

    @Test(
        "BX-5 a system that does not answer the second look is called again later, and never counts as clean",
        arguments: SQLDialect.allCases)
    func silent(_ dialect: SQLDialect) async throws {
        let system = ImaginedSystem(["a@example.org": 1])
        try await with(dialect, system) { place in
            #expect(try await place.erased("1", Self.rules)?.state == .done)
            await system.put("a@example.org")
            await system.hide(behind: .credentials("billing", needs: "customers: read"))
            let waiting = "SELECT count(*) FROM \(place.fixture.control("keepsakes")) WHERE look_at IS NOT NULL"
            for _ in 1...2 {
                try await look(place)
                #expect(try await place.states() == ["done"])
                #expect(try await place.fixture.rows(waiting) == ["1"])
            }
            #expect(place.fixture.log.lines.contains { $0.contains("read a second time") && $0.contains("billing") })
            await system.hide(behind: nil)
            try await look(place)
            #expect(try await place.states() == ["done", "requested"])
            #expect(try await place.fixture.rows(waiting) == ["0"])
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(await system.entries.isEmpty)
        }
    }

    @Test(
        "BX-5 the second look finds a row that references a remaining row by its whole key, and does not touch the remaining row",
        arguments: SQLDialect.allCases)
    func children(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE memberships (tenant integer NOT NULL, id integer NOT NULL, user_id integer REFERENCES people (id),
                nick text, PRIMARY KEY (tenant, id));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer NOT NULL, member integer NOT NULL, body text,
                FOREIGN KEY (tenant, member) REFERENCES memberships (tenant, id));
            CREATE INDEX by_user ON memberships (user_id);
            CREATE INDEX by_member ON notes (tenant, member);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO memberships VALUES (7, 1, 1, 'one'), (7, 2, 2, 'two');
            INSERT INTO notes VALUES (1, 7, 1, 'mine'), (2, 7, 2, 'theirs');
            """
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("memberships", .anonymise, ["user_id": .null, "nick": .null])
                plan.set("notes", .erase)
            }
            let place = WorkerFixture(fixture: fixture, engine: try await fixture.engine(plan))
            let events = "SELECT kind FROM \(fixture.control("events")) WHERE kind = 'erasure.reappeared'"
            #expect(try await place.erased("1", Self.rules)?.state == .done)
            #expect(try await fixture.rows("SELECT id FROM notes") == ["2"])
            try await fixture.run("UPDATE memberships SET nick = '[removed]' WHERE id = 1")
            try await look(place)
            #expect(try await fixture.rows(events).isEmpty, "what others wrote into the row that stays is theirs")

            try await fixture.run(
                "UPDATE \(fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z'")
            try await fixture.run("INSERT INTO notes VALUES (3, 7, 1, 'late')")
            try await look(place)
            #expect(try await fixture.rows(events) == ["erasure.reappeared"], "\(fixture.log.lines.suffix(5))")
        }
    }
}
