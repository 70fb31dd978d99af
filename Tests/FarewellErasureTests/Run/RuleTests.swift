// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The result of each rule for rows")
struct RuleTests {
    private static let orders = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE orders (id integer PRIMARY KEY, customer integer REFERENCES people (id), city text,
            name varchar(40) NOT NULL, phone varchar(20) UNIQUE, postcode text, born date, total numeric(10, 2), code text);
        CREATE INDEX by_customer ON orders (customer);
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
        INSERT INTO orders VALUES (10, 1, 'Bath', 'Ada L', '+44 123', 'AB1 2CD', '1990-05-06', 1234.56, 'x'),
            (11, 1, NULL, 'Ada L', '+44 124', NULL, NULL, NULL, NULL), (12, 2, 'Rome', 'Bob', '0999', 'ZZ', '1980-01-02', 9.99, 'y');
        """

    @Test(
        "BX-1 anonymised rows stay and hold no data of the subject; the neighbour's stay unchanged",
        arguments: SQLDialect.allCases)
    func anonymise(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.orders) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set(
                    "orders", .anonymise,
                    [
                        "customer": .null, "city": .constant("gone"), "name": .keyedHash, "phone": .keyedHash,
                        "postcode": .expression(.call(.left, [.column("postcode"), .integer(2)])),
                        "born": .null, "total": .expression(.call(.round, [.column("total"), .integer(-2)])),
                        "code": .expression(
                            .call(.concat, [.text("born "), .call(.year, [.column("born")]), .text("!")])),
                    ])
            }
            let neighbour = try await fixture.rows("SELECT * FROM orders WHERE id = 12")
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.anonymised == ["orders": 2])
            #expect(receipt.erased == ["people": 1])
            #expect(try await fixture.rows("SELECT * FROM orders WHERE id = 12") == neighbour)
            let kept = try await fixture.rows(
                "SELECT id, customer, city, postcode, born, CAST(total AS integer), code FROM orders WHERE id < 12")
            #expect(kept == ["10 - gone AB - 1200 born 1990!", "11 - gone - - - born !"])
            let hashes = try await fixture.rows("SELECT name, phone FROM orders WHERE id < 12")
            #expect(!hashes.joined().contains("Ada") && !hashes.joined().contains("+44"), "no hexadecimal digit stands in either")
            #expect(
                try await fixture.rows("SELECT DISTINCT length(name), length(phone) FROM orders WHERE id < 12") == [
                    "40 20"
                ])
            #expect(
                try await fixture.rows("SELECT DISTINCT name FROM orders WHERE id < 12").count == 1,
                "equal values stay equal")
            #expect(try await fixture.rows("SELECT DISTINCT phone FROM orders WHERE id < 12").count == 2)
        }
    }

    @Test("a hash in a uuid column is a uuid, and null stays null")
    func hashedUUID() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE visits (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL, device uuid);
            INSERT INTO people VALUES (1, 'a@example.org');
            INSERT INTO visits VALUES (1, 1, '5f0c8a4e-0000-4000-8000-000000000001'), (2, 1, NULL);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("visits", .anonymise, ["person": .null, "device": .keyedHash]) }
            #expect(try await fixture.engine(plan).erase(["1"]).first?.word == "done")
            let left = try await fixture.rows("SELECT id, device::text FROM visits")
            #expect(left.count == 2 && left[1] == "2 -")
            #expect(!left[0].contains("5f0c8a4e"))
        }
    }

    @Test("an enum accepts its labels and expressions over them; a rule that would fail in the run is refused before it")
    func enums() async throws {
        let script = """
            CREATE TYPE mood AS ENUM ('sad', 'glad', 'so-so');
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE visits (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL, now_is mood,
                was mood NOT NULL, note text);
            CREATE INDEX by_person ON visits (person);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO visits VALUES (10, 1, 'sad', 'glad', 'x'), (11, 1, NULL, 'glad', 'y'), (20, 2, 'sad', 'sad', 'z');
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let unfit: [ColumnRule] = [.keyedHash, .constant("gone"), .expression(.call(.upper, [.column("now_is")]))]
            for rule in unfit {
                let plan = try await fixture.plan { $0.set("visits", .anonymise, ["person": .null, "was": rule]) }
                #expect(await code { _ = try await fixture.engine(plan) } == "plan.unaccounted", "\(rule)")
            }
            let plan = try await fixture.plan { plan in
                plan.set(
                    "visits", .anonymise,
                    [
                        "person": .null, "now_is": .constant("so-so"),
                        "was": .expression(.call(.coalesce, [.column("now_is"), .text("sad")])),
                        "note": .expression(.call(.concat, [.call(.upper, [.column("was")]), .text("!")])),
                    ])
            }
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            let rows = try await fixture.rows("SELECT id, person, now_is::text, was::text, note FROM visits")
            #expect(rows == ["10 - so-so sad GLAD!", "11 - so-so sad GLAD!", "20 2 sad sad z"])
        }
    }

    @Test("rows distinct by a domain over an enum stay, and hold the rules' values, also in pieces")
    func enumDomains() async throws {
        let script = """
            CREATE TYPE mood AS ENUM ('sad', 'glad', 'so-so');
            CREATE DOMAIN moods AS mood;
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE visits (id moods PRIMARY KEY, person integer REFERENCES people (id), now_is moods, note text);
            CREATE INDEX by_person ON visits (person);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO visits VALUES ('sad', 1, 'sad', 'x'), ('glad', 2, 'glad', 'y');
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("visits", .anonymise, ["person": .null, "now_is": .constant("so-so"), "note": .keyedHash])
            }
            let engine = try await fixture.engine(plan)
            for (subject, large) in [("1", 20_000), ("2", 1)] {
                let outcome = try #require(try await engine.erase([subject], options: ErasureOptions(largeAccount: large)).first)
                #expect(outcome.word == "done", "\(outcome)")
            }
            let rows = try await fixture.rows("SELECT id::text, person, now_is::text, length(note) FROM visits")
            #expect(Set(rows) == ["sad - so-so 64", "glad - so-so 64"])
        }
    }

    /// Each function with what both databases must make of the row.
    private static let functions: [(ColumnExpression, String)] = [
        (.call(.left, [.column("a"), .integer(3)]), "Äbc"),
        (.call(.upper, [.text("mix")]), "MIX"),
        (.call(.lower, [.text("MIX")]), "mix"),
        (.call(.length, [.column("a")]), "6"),
        (.call(.coalesce, [.column("b"), .text("none")]), "none"),
        (.call(.concat, [.column("a"), .text("-"), .column("b"), .column("n")]), "Äbcdef-7"),
        (.call(.year, [.column("d")]), "2001"),
        (.text("it's \"quoted\" $1"), "it's \"quoted\" $1"),
        (.column("a"), "Äbcdef"),
    ]

    @Test("every function of an expression gives the same value on both databases", arguments: SQLDialect.allCases)
    func expressions(_ dialect: SQLDialect) async throws {
        let columns = Self.functions.indices.map { "r\($0) text" }.joined(separator: ", ")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people (id), a text, b text, n integer,
                d timestamp, \(columns));
            INSERT INTO people VALUES (1, 'a@example.org');
            INSERT INTO notes (id, person, a, n, d) VALUES (1, 1, 'Äbcdef', 7, '2001-12-31 23:59:59');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                var rules: [String: ColumnRule] = ["person": .null]
                for (place, function) in Self.functions.enumerated() { rules["r\(place)"] = .expression(function.0) }
                plan.set("notes", .anonymise, rules)
            }
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            for (place, function) in Self.functions.enumerated() {
                #expect(try await fixture.rows("SELECT r\(place) FROM notes") == [function.1], "\(function.0)")
            }
        }
    }

    private static let invoices = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE invoices (id integer PRIMARY KEY, customer integer NOT NULL, issued {time}, address text);
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
        INSERT INTO invoices VALUES (1, 1, '2020-02-29 10:00:00', 'Here 1'), (2, 1, '2019-01-01 00:00:00', 'Here 2'),
            (3, 2, '2024-01-01 00:00:00', 'There');
        """

    @Test(
        "BX-1 retained rows stay with reason and end, counted from today or from their own date",
        arguments: SQLDialect.allCases, [false, true])
    func retain(_ dialect: SQLDialect, isFromColumn: Bool) async throws {
        try await EngineFixture.with(dialect, Self.invoices.replacing("{time}", with: "timestamp")) { fixture in
            let plan = try await fixture.plan { plan in
                let retention = Retention(
                    reason: "tax law", period: Period(10, .year), start: isFromColumn ? "issued" : nil, then: .erase)
                plan.set("invoices", .retain(retention), ["customer": .retain, "address": .constant("removed")])
                plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            }
            let engine = try await fixture.engine(plan)
            let until =
                isFromColumn ? CalendarDay(year: 2030, month: 2, day: 28) : CalendarDay(year: 2035, month: 11, day: 21)
            let place = try await engine.preview("1").places.first { $0.place.hasSuffix("invoices") }
            #expect(place?.until == until)
            #expect(place?.count == 2)
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.retained.map(\.rows) == [2])
            #expect(receipt.retained.first?.reason == "tax law")
            #expect(receipt.retained.first?.until == until)
            #expect(
                try await fixture.rows("SELECT id, customer, address FROM invoices") == [
                    "1 1 removed", "2 1 removed", "3 2 There",
                ])
        }
    }

    @Test(
        "the end of a retention is right for every form of date in SQLite",
        arguments: [
            ("text", "'2020-02-29'"), ("text", "'2020-02-29T10:00:00Z'"), ("text", "'2020-02-29 10:00:00.123'"),
            ("integer", "1582970400"), ("integer", "1582970400000"), ("real", "1582970400.5"),
        ])
    func dates(_ type: String, _ value: String) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE invoices (id integer PRIMARY KEY, customer integer NOT NULL, issued \(type));
            INSERT INTO people VALUES (1, 'ada@example.org');
            INSERT INTO invoices VALUES (1, 1, \(value));
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set(
                    "invoices", .retain(Retention(reason: "law", period: Period(1, .day), start: "issued")),
                    ["customer": .retain])
                plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            }
            let receipt = try #require(try await fixture.engine(plan).erase(["1"]).first?.receipt)
            #expect(receipt.retained.first?.until == CalendarDay(year: 2020, month: 3, day: 1))
        }
    }

    @Test("a date without a zone keeps its day, whatever zone the session has")
    func zone() async throws {
        try await EngineFixture.with(.postgresql, Self.invoices.replacing("{time}", with: "date")) { fixture in
            let name = try await fixture.rows("SELECT current_database()")[0]
            try await fixture.run("ALTER DATABASE \(name) SET timezone = 'Pacific/Auckland'")
            let plan = try await fixture.plan { plan in
                plan.set(
                    "invoices", .retain(Retention(reason: "law", period: Period(1, .day), start: "issued")),
                    ["customer": .retain])
                plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            }
            let other = try PostgreSQLDatabase(url: fixture.address)
            let engine = try await fixture.engine(plan, on: other)
            let until = try await engine.preview("1").places.first { $0.until != nil }?.until
            await other.close()
            #expect(until == CalendarDay(year: 2020, month: 3, day: 1))
        }
    }
}
