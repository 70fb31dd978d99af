// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The end of a retention")
struct RetentionTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, address text, total text);
        CREATE TABLE lines (id integer PRIMARY KEY, invoice integer NOT NULL REFERENCES invoices (id), what text);
        CREATE TABLE notes (invoice integer REFERENCES invoices (id));
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org'), (3, 'cyd@example.org');
        INSERT INTO invoices VALUES (101, 1, 'Here 1', '7.00'), (102, 1, 'Here 2', '8.00'), (201, 2, 'There', '9.00'),
            (301, 3, 'Elsewhere', '4.00');
        INSERT INTO lines VALUES (1, 101, 'book'), (2, 102, 'pen'), (3, 201, 'ink'), (4, 301, 'cap');
        """

    private static func plan(
        _ fixture: EngineFixture, then: Retention.Ending = .erase, _ customer: ColumnRule = .retain
    ) async throws -> Plan {
        try await fixture.plan { plan in
            let retention = Retention(reason: "tax law", period: Period(10, .year), then: then)
            plan.set("invoices", .retain(retention), ["customer": customer, "address": .null, "total": .retain])
            plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            plan.set("lines", .retain(retention), ["what": .retain])
            plan.link("lines", Link(columns: ["invoice"], target: plan.name("invoices"), targetColumns: ["id"], onDelete: .noAction))
            plan.set("notes", .notPersonal)
            plan.link("notes")
        }
    }

    private static let lastDay = CalendarDay(year: 2035, month: 11, day: 21)

    /// Workers of several processes, each ending what is ripe at the same time.
    private func endRetentions(_ engines: [ErasureEngine]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for engine in engines {
                group.addTask { try await Retainer(workers: ErasureWorkers(engine)).perform() }
            }
            try await group.waitForAll()
        }
    }

    /// Noon of the last day is 2,079,259,200 seconds after the beginning of 1970.
    private func set(_ fixture: EngineFixture, daysAfterLast days: Int) {
        fixture.clock.now = Date(timeIntervalSince1970: 2_079_259_200 + Double(days) * 86_400)
    }

    private func kept(_ fixture: EngineFixture, _ columns: String) async throws -> [String] {
        try await fixture.rows("SELECT \(columns) FROM \(fixture.control("retentions"))")
    }

    @Test(
        "a retention that is over at the time of the erasure is reported so, and the next look ends it",
        arguments: SQLDialect.allCases)
    func overBefore(_ dialect: SQLDialect) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, issued timestamp, total text);
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO invoices VALUES (101, 1, '2014-05-01 10:00:00', '7.00'), (201, 2, '2015-11-21 10:00:00', '9.00');
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { plan in
                let retention = Retention(reason: "tax law", period: Period(10, .year), start: "issued", then: .erase)
                plan.set("invoices", .retain(retention), ["customer": .retain, "total": .retain])
                plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            }
            let engine = try await fixture.engine(plan)
            for (subject, isOver) in [("1", true), ("2", false)] {
                let place = try await engine.preview(subject).places.first { $0.place == "\(fixture.name("invoices"))" }
                #expect(place?.count == 1 && place?.isOver == isOver, "\(subject): \(String(describing: place))")
                let receipt = try #require(try await engine.erase([subject]).first?.receipt)
                #expect(receipt.retained.map(\.rows) == [1])
                #expect(ReceiptText.text(receipt).contains("processed next") == isOver, "\(receipt.retained)")
            }
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["101", "201"])
            try await endRetentions([engine])
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["201"], "its last day is today")
        }
    }

    @Test(
        "P9 without a primary key, a retained row without its link is distinguished from another user's equal row",
        arguments: SQLDialect.allCases)
    func sameRows(_ dialect: SQLDialect) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE payments (customer integer REFERENCES people (id), day text, total text);
            CREATE INDEX by_customer ON payments (customer);
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO payments VALUES (1, '2025-01-01', '7.00'), (2, '2025-01-01', '7.00'), (2, '2025-01-02', '7.00');
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan { plan in
                let retention = Retention(reason: "tax law", period: Period(10, .year), then: .erase)
                plan.set("payments", .retain(retention), ["customer": .null, "day": .retain, "total": .retain])
                plan.link("payments", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"], onDelete: .noAction))
            }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            let others = ["2 2025-01-01 7.00", "2 2025-01-02 7.00"]
            let all = "SELECT customer, day, total FROM payments ORDER BY customer, day"
            #expect(Set(try await fixture.rows(all)) == Set(others + ["- 2025-01-01 7.00"]))
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await fixture.rows(all) == others)
        }
    }

    @Test("rows that differ only by a domain over an enum are kept, and deleted after their last day")
    func enumDomains() async throws {
        let tables = """
            CREATE TYPE mood AS ENUM ('good', 'bad');
            CREATE DOMAIN moods AS mood;
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE payments (id moods PRIMARY KEY, customer integer REFERENCES people (id), total text);
            CREATE INDEX by_customer ON payments (customer);
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO payments VALUES ('good', 1, '7.00'), ('bad', 2, '7.00');
            """
        try await EngineFixture.with(.postgresql, tables) { fixture in
            let plan = try await fixture.plan { plan in
                let retention = Retention(reason: "tax law", period: Period(10, .year), then: .erase)
                plan.set("payments", .retain(retention), ["id": .retain, "customer": .null, "total": .retain])
            }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            let all = "SELECT id::text, customer, total FROM payments"
            #expect(Set(try await fixture.rows(all)) == ["good - 7.00", "bad 2 7.00"])
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await fixture.rows(all) == ["bad 2 7.00"])
        }
    }

    @Test(
        "BX-3 P9 a retained row is deleted after its last day, once, whichever worker comes first, and the audit log records it",
        arguments: SQLDialect.allCases, [ColumnRule.retain, .null])
    func ended(_ dialect: SQLDialect, customer: ColumnRule) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let plan = try await Self.plan(fixture, customer)
            let engine = try await fixture.engine(plan)
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.retained.map(\.until) == [Self.lastDay, Self.lastDay])
            let requests = ErasureRequests(engine, rules: WorkerFixture.brisk)
            let asked = try await requests.request("2")
            let batch = ErasureWorkers(engine, rules: WorkerFixture.brisk).batch { _ in }
            await batch.carryOut(try #require(await ErasureWorkers(engine, rules: WorkerFixture.brisk).claimed()))
            #expect(try await requests.erasure(asked.erasure.id)?.state == .done, "\(fixture.log.lines)")
            #expect(try await fixture.count("invoices") == 4)

            let sealed = try await fixture.database.withConnection { connection in
                try await connection.run(SQLStatement("SELECT sealed FROM \(fixture.control("retentions"))")).rows
            }
            for row in sealed {
                let text = String(decoding: try #require(row[0].bytes), as: UTF8.self)
                for clear in ["customer", "invoices", "rows", "column"] { #expect(!text.contains("\"\(clear)")) }
            }
            #expect(try await kept(fixture, "kept, until") == ["1 2035-11-21", "1 2035-11-21", "2 2035-11-21", "2 2035-11-21"])
            set(fixture, daysAfterLast: 0)
            try await endRetentions([engine])
            #expect(try await fixture.count("invoices") == 4, "the last day is not over")

            set(fixture, daysAfterLast: 1)
            var others: [ErasureEngine] = []
            for number in 2...4 { others.append(try await fixture.engine(plan, owner: "here:\(number):x")) }
            let before = try await engine.verifyAudit()
            try await endRetentions([engine] + others)
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["301"], "\(fixture.log.lines.suffix(5))")
            #expect(try await fixture.rows("SELECT id FROM lines") == ["4"])
            #expect(try await kept(fixture, "ended") == ["1", "1", "2", "2"])
            #expect(try await kept(fixture, "sealed, wrapped_key") == ["- -", "- -", "- -", "- -"])
            #expect(try await engine.verifyAudit() == before + 4)
            let entries = try await fixture.rows("SELECT entry FROM \(fixture.control("audit"))").joined()
            #expect(entries.contains("retention.ended") && entries.contains(#""rows":"2""#))
            try await endRetentions([engine] + others)
            #expect(try await engine.verifyAudit() == before + 4, "once")
        }
    }

    @Test(
        "a row that another user received meanwhile stays unchanged; a row is emptied instead of erased where the plan says so",
        arguments: SQLDialect.allCases)
    func emptied(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture, then: .anonymise))
            #expect(try await engine.erase(["1"]).first?.word == "done")
            try await fixture.run("UPDATE invoices SET customer = 3 WHERE id = 102")
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(
                try await fixture.rows("SELECT id, customer, total FROM invoices") == [
                    "101 - -", "102 3 8.00", "201 2 9.00", "301 3 4.00",
                ])
            #expect(try await fixture.rows("SELECT id, what FROM lines") == ["1 -", "2 pen", "3 ink", "4 cap"])
        }
    }

    @Test(
        "P7 OPS-07 a retention whose end is refused for a while is tried again later and keeps no other waiting",
        arguments: SQLDialect.allCases)
    func temporaryTrouble(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture))
            #expect(try await engine.erase(["1", "3"]).map(\.word) == ["done", "done"])
            let triggers =
                dialect == .sqlite
                ? ["CREATE TRIGGER busy BEFORE DELETE ON lines WHEN old.id = 1 BEGIN SELECT RAISE(ABORT, 'later'); END"]
                : [
                    "CREATE FUNCTION busy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE lock_not_available; END $$",
                    "CREATE TRIGGER busy BEFORE DELETE ON lines FOR EACH ROW WHEN (old.id = 1) EXECUTE FUNCTION busy()",
                ]
            try await fixture.database.withConnection { connection in
                for trigger in triggers { _ = try await connection.run(SQLStatement(trigger)) }
            }
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await !fixture.rows("SELECT id FROM lines").contains("4"), "another erasure's piece has ended")
            #expect(try await fixture.rows("SELECT id FROM lines").contains("1"))
            let again = "UPDATE \(fixture.control("retentions")) SET next_at = '2001-01-01T00:00:00.000Z' WHERE next_at IS NOT NULL"
            try await fixture.run(again)
            try await endRetentions([engine])
            #expect(try await kept(fixture, "trouble").filter { $0 != "-" }.isEmpty == false)
            try await fixture.run("DROP TRIGGER busy\(dialect == .postgresql ? " ON lines" : "")")
            try await fixture.run(again)
            try await endRetentions([engine])
            #expect(try await !fixture.rows("SELECT id FROM lines").contains("1"))
        }
    }

    @Test("a retention that cannot end waits with its error, is reported, and ends once it can", arguments: SQLDialect.allCases)
    func trouble(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture))
            #expect(try await engine.erase(["1"]).first?.word == "done")
            try await fixture.run("INSERT INTO notes VALUES (101)")
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["101", "102", "201", "301"], "all of a piece or nothing")
            #expect(try await fixture.rows("SELECT id FROM lines") == ["3", "4"], "what refers to them went before")
            let troubles = try await kept(fixture, "trouble").filter { $0 != "-" }
            #expect(troubles.count == 1 && troubles[0].contains("foreign key"), "\(troubles)")
            let archive = ErasureArchive(fixture.database)
            let failing = try await archive.failingRetentions()
            #expect(failing.map(\.trouble) == troubles && failing.allSatisfy { $0.place.hasSuffix("invoices") }, "\(failing)")
            #expect(try await archive.newest().map(\.failingRetentions) == [failing])
            #expect(try await ErasureRequests(engine).countFailingRetentions() == 1)
            #expect(fixture.log.lines.contains { $0.contains("could not be ended") })
            try await fixture.run("DELETE FROM notes")
            try await endRetentions([engine])
            #expect(try await fixture.count("invoices") == 4, "it rests for a day")
            try await fixture.run(
                "UPDATE \(fixture.control("retentions")) SET next_at = '2001-01-01T00:00:00.000Z' WHERE next_at IS NOT NULL")
            try await endRetentions([engine])
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["201", "301"])
            #expect(try await archive.failingRetentions().isEmpty)
            _ = try await engine.verifyAudit()
        }
    }

    /// Invoices without a key to their customers are kept, and then deleted.
    private func keyless(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            plan.questions = []
            let retention = Retention(reason: "tax law", period: Period(10, .year), then: .erase)
            plan.set("invoices", .retain(retention), ["customer": .retain, "total": .retain])
            plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
        }
    }

    @Test(
        "P9 retained rows that refer to each other are deleted after their last day, whatever their order",
        arguments: SQLDialect.allCases, ["NO ACTION", "RESTRICT"])
    func selfKeys(_ dialect: SQLDialect, _ action: String) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, total text,
                corrects integer NOT NULL REFERENCES invoices (id) ON DELETE \(action));
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO invoices VALUES (101, 1, '7.00', 102), (102, 1, '8.00', 103), (103, 1, '9.00', 101), (104, 1, '5.00', 101),
                (201, 2, '4.00', 201);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let engine = try await fixture.engine(try await keyless(fixture))
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["201"])
        }
    }

    @Test(
        "P9 retained rows that refer to rows of another piece are deleted after their last day, and others stay",
        arguments: SQLDialect.allCases, ["NO ACTION", "CASCADE"])
    func pieces(_ dialect: SQLDialect, _ action: String) async throws {
        // Rows of the first and of the last 500 refer to each other.
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, total text,
                corrects integer REFERENCES invoices (id) ON DELETE \(action));
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO invoices WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1020)
                SELECT i, 1, 'x', CASE WHEN i = 5 THEN 1010 WHEN i > 1000 THEN i - 900 END FROM n;
            INSERT INTO invoices VALUES (5000, 2, 'y', NULL);
            CREATE INDEX by_customer ON invoices (customer); CREATE INDEX by_corrected ON invoices (corrects);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let engine = try await fixture.engine(try await keyless(fixture))
            #expect(try await engine.erase(["1"], options: ErasureOptions(residue: .leave)).map(\.word) == ["done"])
            set(fixture, daysAfterLast: 1)
            try await endRetentions([engine])
            #expect(try await fixture.rows("SELECT id FROM invoices") == ["5000"], "\(fixture.log.lines.suffix(3))")
            #expect(try await kept(fixture, "ended, trouble") == ["20 -", "500 -", "500 -"])
        }
    }
}
