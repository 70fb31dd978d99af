// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The start of a retention")
struct RetentionStartTests {
    private static func tables(_ type: String, _ value: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
        CREATE TABLE invoices (id integer PRIMARY KEY, customer integer NOT NULL, booked \(type));
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
        INSERT INTO invoices VALUES (1, 1, \(value)), (2, 2, \(value));
        """
    }

    private static func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            let retention = Retention(reason: "tax law", period: Period(10, .year), start: "booked", then: .erase)
            plan.set("invoices", .retain(retention), ["customer": .retain])
            plan.link("invoices", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
        }
    }

    private static let fromToday = CalendarDay(year: 2035, month: 11, day: 21)

    @Test(
        "PL-9 OP-3 in SQLite a year, a day or text that is not a date starts no period: the rows stay, and every report says so",
        arguments: [
            ("integer", "2025"), ("integer", "20251103"), ("integer", "0"), ("integer", "-1"), ("real", "2459000.5"),
            ("integer", "9223372036854775807"), ("text", "'31.01.2010'"), ("text", "'20100101'"), ("text", "'2010-1-1'"),
            ("text", "' 2010-01-01'"), ("text", "'2010-01-01x'"), ("text", "''"), ("text", "'2010-02-30'"), ("integer", "x'00'"),
        ])
    func noDate(_ type: String, _ value: String) async throws {
        try await EngineFixture.with(.sqlite, Self.tables(type, value)) { fixture in
            let plan = try await Self.plan(fixture)
            let engine = try await fixture.engine(plan)
            let sampled = try await PlanSampling().findings(plan, engine.prepared.schema, fixture.database)
            #expect(sampled.contains { $0.code == "retain.start-values" && $0.severity == .error }, "\(sampled)")
            let place = try #require(try await engine.preview("1").places.first { $0.place.hasSuffix("invoices") })
            #expect(place.until == Self.fromToday && !place.isOver && place.unreadStart == "booked", "\(place)")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.retained.map(\.until) == [Self.fromToday])
            #expect(receipt.notVerifiable.contains { $0.note.contains("invoices (booked)") }, "\(receipt.notVerifiable)")
            try await Retainer(workers: ErasureWorkers(engine)).perform()
            #expect(try await fixture.rows("SELECT id FROM invoices ORDER BY id") == ["1", "2"])
        }
    }

    @Test("PL-9 OP-3 in SQLite one row without a readable date keeps all rows from the day of the erasure")
    func someDates() async throws {
        try await EngineFixture.with(.sqlite, Self.tables("text", "'2010-01-01'")) { fixture in
            try await fixture.run("INSERT INTO invoices VALUES (3, 1, 2025), (4, 1, '2011-01-01 10:00:00')")
            let engine = try await fixture.engine(try await Self.plan(fixture))
            let preview = try await engine.preview("1").places.first { $0.place.hasSuffix("invoices") }
            #expect(preview?.until == Self.fromToday && preview?.count == 3)
            let other = try await engine.preview("2").places.first { $0.place.hasSuffix("invoices") }
            #expect(other?.until == CalendarDay(year: 2020, month: 1, day: 1) && other?.unreadStart == nil)
        }
    }

    @Test(
        "PL-9 SQL-13 in PostgreSQL infinity and days that no timestamp can hold keep the rows, and a preview shows them",
        arguments: [
            ("date", "'5874897-12-31'"), ("date", "'infinity'"), ("timestamp", "'infinity'"), ("timestamptz", "'infinity'"),
            ("timestamp(3) with time zone", "'9999-12-31 23:59:59+00'"),
        ])
    func farDays(_ type: String, _ value: String) async throws {
        try await EngineFixture.with(.postgresql, Self.tables(type, value)) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture))
            let place = try await engine.preview("1").places.first { $0.place.hasSuffix("invoices") }
            #expect(try #require(place?.until).year >= 9000, "\(String(describing: place))")
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.retained.first?.until == place?.until)
        }
    }

    @Test(
        "PL-9 OP-3 one row without a start keeps all rows of the subject from the day of the erasure", arguments: SQLDialect.allCases)
    func undated(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables("date", "'2010-01-01'")) { fixture in
            try await fixture.run("INSERT INTO invoices VALUES (3, 1, NULL)")
            let engine = try await fixture.engine(try await Self.plan(fixture))
            for (subject, until) in [("1", Self.fromToday), ("2", CalendarDay(year: 2020, month: 1, day: 1))] {
                let receipt = try #require(try await engine.erase([subject]).first?.receipt)
                #expect(receipt.retained.map(\.until) == [until], "\(subject)")
            }
            try await Retainer(workers: ErasureWorkers(engine)).perform()
            #expect(try await fixture.rows("SELECT id FROM invoices ORDER BY id") == ["1", "3"])
        }
    }

    @Test(
        "PL-9 rows without any start are kept from the day of the erasure, not forever", arguments: SQLDialect.allCases,
        ["date", "timestamp"])
    func noStart(_ dialect: SQLDialect, _ type: String) async throws {
        try await EngineFixture.with(dialect, Self.tables(type, "NULL")) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture))
            let place = try await engine.preview("1").places.first { $0.place.hasSuffix("invoices") }
            #expect(place?.until == Self.fromToday && place?.unreadStart == "booked")
            #expect(try await engine.erase(["1"]).first?.receipt?.retained.map(\.until) == [Self.fromToday])
        }
    }

    @Test("PL-9 in PostgreSQL a period starts only from a date or a timestamp", arguments: ["interval", "inet", "bigint", "text"])
    func otherTypes(_ type: String) async throws {
        try await EngineFixture.with(.postgresql, Self.tables(type, "NULL")) { fixture in
            let plan = try await Self.plan(fixture)
            let schema = try await Schema.read(from: fixture.database)
            let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(errors.contains { $0.code == "retain.start-type" }, "\(errors)")
        }
    }
}
