// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Twenty marks are planted in everything that is the person's; nothing that Farewell writes may hold one.
@Suite("Farewell's own records hold no data of the subject")
struct CanaryTests {
    private static let canaries = (0..<20).map { "canary\($0)zq\($0 * 7919)x" }
    private static let id = "5f0c8a4e-abcd-4000-8000-0000000c4a7e"

    private static func tables() -> String {
        let people = (0..<8).map { "c\($0) text" }.joined(separator: ", ")
        let posts = (8..<16).map { "c\($0) text" }.joined(separator: ", ")
        func values(_ range: Range<Int>) -> String { range.map { "'\(canaries[$0])'" }.joined(separator: ", ") }
        return """
            CREATE TABLE people (id uuid PRIMARY KEY, email text UNIQUE, \(people));
            CREATE TABLE posts (id integer PRIMARY KEY, author uuid REFERENCES people (id), \(posts), data {json});
            CREATE TABLE orders (id integer PRIMARY KEY, buyer uuid REFERENCES people (id), address text, day timestamp);
            CREATE INDEX by_author ON posts (author); CREATE INDEX by_buyer ON orders (buyer);
            INSERT INTO people VALUES ('\(id)', '\(canaries[16])@example.org', \(values(0..<8)));
            INSERT INTO posts VALUES (1, '\(id)', \(values(8..<16)), '{"a": "\(canaries[17])"}');
            INSERT INTO orders VALUES (1, '\(id)', '\(canaries[18])', '2020-01-01 00:00:00');
            """
    }

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan(identifiers: [("people", "email"), ("people", "c0"), ("posts", "c8")]) { plan in
            plan.set("orders", .anonymise, ["buyer": .null, "address": .keyedHash])
        }
    }

    /// Every file below a folder, and where it lies.
    private func files(_ folder: String) throws -> [(String, Data)] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.compactMap { name in
            FileManager.default.contents(atPath: folder + "/" + name).map { (name, $0) }
        }
    }

    /// Everything of the control store, as text and as bytes: whatever tables it has, those of tomorrow as well.
    private func control(_ fixture: EngineFixture) async throws -> [(String, Data)] {
        let catalog =
            fixture.dialect == .postgresql
            ? "SELECT 'farewell.' || tablename FROM pg_catalog.pg_tables WHERE schemaname = 'farewell'"
            : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'farewell_*'"
        let tables = try await fixture.rows(catalog)
        #expect(tables.count >= ControlTables.names.count)
        var found: [(String, Data)] = []
        for table in tables {
            let rows = try await fixture.database.withConnection { try await $0.run(SQLStatement("SELECT * FROM \(table)")).rows }
            for value in rows.flatMap(\.self) {
                if case .bytes(let bytes) = value { found.append((table, Data(bytes))) }
                found.append((table, Data("\(value)".utf8)))
            }
        }
        return found
    }

    private func expectNone(_ places: [(String, Data)], _ when: String) {
        for (place, bytes) in places {
            for canary in Self.canaries + [Self.id, Self.id.uppercased()] where bytes.range(of: Data(canary.utf8)) != nil {
                Issue.record("\(place) holds \(canary), \(when)")
            }
        }
    }

    @Test(
        "BX-6 P9 Item 56: receipt, audit log, control store, state directory and log hold no canary, during the run or after",
        arguments: SQLDialect.allCases, [1, 20_000])
    func done(_ dialect: SQLDialect, large: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables()) { fixture in
            let engine = try await fixture.engine(try await plan(fixture))
            let options = ErasureOptions(largeAccount: large, deepScan: .complete)
            let outcome = try #require(
                try await engine.erase([Self.id], options: options) { progress in
                    do {
                        expectNone(try await control(fixture), "\(progress.event)")
                        expectNone(try files(fixture.state), "\(progress.event)")
                    } catch {
                        Issue.record("\(error)")
                    }
                }.first)
            guard case .done(let receipt, let signed) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            expectNone([("receipt", try receipt.canonicalJSON()), ("signed", Data(signed.utf8))], "done")
            let payload = signed.split(separator: ".")[1].replacing("-", with: "+").replacing("_", with: "/")
            let padded = payload + String(repeating: "=", count: (4 - payload.count % 4) % 4)
            expectNone([("payload", try #require(Data(base64Encoded: String(padded))))], "done")
            expectNone([("page", Data(ReceiptPage.html(receipt, jws: signed).utf8))], "done")
            expectNone(try await control(fixture), "done")
            expectNone(try files(fixture.state), "done")
            expectNone(fixture.log.lines.map { ("log", Data($0.utf8)) }, "done")
            #expect(receipt.verification.foundNothing)
            #expect(
                try await fixture.rows(
                    "SELECT count(*) FROM \(fixture.control("erasures")) WHERE sealed IS NOT NULL OR wrapped_key IS NOT NULL") == ["0"])
            #expect(!"\(outcome)".contains(Self.id))
            if dialect == .sqlite { expectNone(try files(fixture.folder), "in the bytes of the files") }
        }
    }

    @Test("BX-6 a parked run's cause holds no value of a row, whatever a trigger's error contains", arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables()) { fixture in
            let triggers =
                dialect == .sqlite
                ? ["CREATE TRIGGER no BEFORE DELETE ON people BEGIN SELECT RAISE(ABORT, 'no'); END"]
                : [
                    "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                        + "RAISE EXCEPTION 'cannot delete % %', OLD.email, OLD.c1 USING DETAIL = OLD.c2, HINT = OLD.c3; END $$",
                    "CREATE TRIGGER no BEFORE DELETE ON people FOR EACH ROW EXECUTE FUNCTION no()",
                ]
            try await fixture.database.withConnection { connection in
                for trigger in triggers { _ = try await connection.run(SQLStatement(trigger)) }
            }
            let engine = try await fixture.engine(try await plan(fixture))
            let outcome = try #require(try await engine.erase([Self.id]).first)
            let cause = try #require(outcome.cause, "\(outcome)")
            #expect(cause.contains("trigger"))
            expectNone([("cause", Data(cause.utf8))], "parked")
            expectNone(try await control(fixture), "parked")
            expectNone(try files(fixture.state), "parked")
            expectNone(fixture.log.lines.map { ("log", Data($0.utf8)) }, "parked")
        }
    }
}
