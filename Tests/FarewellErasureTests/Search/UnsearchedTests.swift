// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Every column is searched, or named as not searched")
struct UnsearchedTests {
    private static let mail = "person.one@example.org"

    @Test(
        "PL-6 SQL-25 an address is found in a column of any type of PostgreSQL",
        arguments: [
            ("hstore", "'mail=>\(mail)'"), ("tsvector", "to_tsvector('simple', 'write to \(mail)')"), ("address", "ROW('x', '\(mail)')"),
            ("address[]", "ARRAY[ROW('x \"y\"', '\(mail)')::address]"), ("textrange", "textrange('\(mail)', 'z')"),
            ("mail", "'\(mail)'"), ("mail[]", "ARRAY['\(mail)']"), ("xml", "'<m>\(mail)</m>'"), ("bytea", "'\(mail)'"),
            ("citext", "'Person.One@example.org'"), ("text[][]", "ARRAY[['a'], ['\(mail)']]"), ("name", "'\(mail)'"),
            ("json", "'[\"\(mail)\"]'"),
            ("jsonpath", "'$.\"\(mail)\"'"), ("character(40)", "'\(mail)'"), ("tsquery", "'''\(mail)'' & b'"),
            ("text COLLATE loose", "'\(mail)'"), ("textmultirange", "textmultirange(textrange('\(mail)', 'z'))"),
        ])
    func types(_ type: String, _ value: String) async throws {
        let script = """
            CREATE EXTENSION hstore; CREATE EXTENSION citext;
            CREATE TYPE address AS (street text, mail text); CREATE DOMAIN mail AS text;
            CREATE TYPE textrange AS RANGE (subtype = text, multirange_type_name = textmultirange);
            CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL);
            CREATE TABLE others (n bigint PRIMARY KEY, v \(type));
            INSERT INTO people VALUES (1, '\(Self.mail)'); INSERT INTO others VALUES (1, \(value));
            """
        let (receipt, again) = try await SearchPlace.scans(.postgresql, script)
        let scan = receipt.verification.deepScan
        #expect(scan.leftIn == ["public.others.v"] && scan.left == 1, "\(scan)")
        #expect(scan.notSearched.map(\.place) == (["bytea", "tsvector"].contains(type) ? ["public.others.v"] : []))
        #expect(again.deepScan.left == 1 && !again.isClean)
    }

    @Test("PL-6 SQL-11 a full-text index that keeps only the words of other tables is named as not searched")
    func words() async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL);
            CREATE TABLE notes (id integer PRIMARY KEY, author bigint NOT NULL REFERENCES people (id) ON DELETE CASCADE, body text);
            CREATE VIRTUAL TABLE words USING fts5 (body, content='notes', content_rowid='id');
            CREATE VIRTUAL TABLE texts USING fts5 (content, body);
            INSERT INTO people VALUES (1, '\(Self.mail)');
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan(identifiers: [("people", "email")]))
            let places = try await engine.preview("1").notSearched.map(\.place)
            #expect(places.contains("words") && !places.contains("texts"), "\(places)")
        }
    }

    @Test("PL-6 SQL-25 unsearched places are named with their reason, in receipt, preview and verification, and change no status")
    func named() async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL, name text);
            CREATE TABLE files (n bigint PRIMARY KEY, content bytea, parts bytea[], whole oid, words tsvector);
            INSERT INTO people VALUES (1, '\(Self.mail)', 'Person the One');
            INSERT INTO files VALUES (1, 'a long file of \(Self.mail)', ARRAY['\(Self.mail)'::bytea], lo_from_bytea(0, '\(Self.mail)'), \
            to_tsvector('Person the One'));
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email"), ("people", "name")]) { $0.set("files", .notPersonal) }
            let engine = try await fixture.engine(plan)
            let expected = ["content", "parts", "whole", "words"].map { "public.files.\($0)" }
            #expect(try await engine.preview("1").notSearched.map(\.place) == expected)
            let outcome = try #require(try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.isComplete && receipt.verification.deepScan.notSearched.map(\.place) == expected)
            let text = ReceiptText.text(receipt)
            #expect(text.contains("Not searched: public.files.content (bytes: only whole values were compared), "), "\(text)")
            #expect(ReceiptPage.html(receipt, jws: "").contains("Not searched: public.files.content"))
            let again = try await engine.verify("1", identifiers: [Self.mail, "Person the One"], extent: .complete)
            #expect(again.isClean && again.deepScan.notSearched.map(\.place) == expected)
            #expect(again.deepScan.extent == .complete)
        }
    }

    @Test("PL-6 texts whose names say that they are encoded are named as not searched in full, and plain text in them is found")
    func encoded() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE django_session (session_key text PRIMARY KEY, session_data text, expire_date timestamp);
            CREATE TABLE sessions (id integer PRIMARY KEY, payload text, data text, agent text);
            CREATE TABLE notes (id integer PRIMARY KEY, data text, "encryptedBody" text, payload text);
            INSERT INTO people VALUES (1, '\(Self.mail)');
            INSERT INTO sessions VALUES (1, 'x', '\(Self.mail)', 'y');
            """
        let (receipt, again) = try await SearchPlace.scans(.sqlite, script)
        let places = ["django_session.session_data", "notes.encryptedBody", "sessions.data", "sessions.payload"]
        for scan in [receipt.verification.deepScan, again.deepScan] {
            #expect(scan.notSearched.map(\.place) == places && scan.leftIn == ["sessions.data"], "\(scan)")
            #expect(scan.notSearched.allSatisfy { $0.reason.hasPrefix("perhaps encoded") })
        }
    }

    @Test("PL-6 SCH-05 a materialised view that was never filled is named as not searched, and stops no erasure")
    func unfilledView() async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL);
            CREATE TABLE codes (n bigint PRIMARY KEY, code text);
            CREATE MATERIALIZED VIEW recent AS SELECT n, code FROM codes WITH NO DATA;
            CREATE MATERIALIZED VIEW filled AS SELECT n, code FROM codes;
            INSERT INTO people VALUES (1, '\(Self.mail)');
            """
        let (receipt, again) = try await SearchPlace.scans(.postgresql, script)
        let place = UnsearchedPlace(place: "public.recent", reason: "it has not been populated yet")
        for scan in [receipt.verification.deepScan, again.deepScan] {
            #expect(scan.notSearched == [place] && scan.extent == .bounded && scan.left == 0)
        }
        #expect(receipt.isComplete && again.isClean)
    }

    @Test("PL-6 SCH-05 a materialised view is named as not searched in preview, receipt and verification without a deep scan")
    func copyingView() async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL);
            CREATE MATERIALIZED VIEW top AS SELECT id, email FROM people;
            INSERT INTO people VALUES (1, '\(Self.mail)');
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { $0.set("top", .notPersonal) }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.preview("1").copyingViews.map(\.place) == ["public.top"])
            let outcome = try #require(try await engine.erase(["1"], options: ErasureOptions()).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.notVerifiable.map(\.about).contains("public.top"))
            #expect(ReceiptText.text(receipt).contains("Not searched: it is a materialised view"))
            let again = try await engine.verify("1", extent: .none)
            #expect(again.copyingViews.map(\.place) == ["public.top"] && again.isClean)
            #expect(try await engine.verify("1", identifiers: [Self.mail], extent: .complete).copyingViews.isEmpty)
        }
    }

    @Test("PL-6 a table that the database refuses to read is named, and the others are searched")
    func refused() async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, email text NOT NULL);
            CREATE TABLE secrets (n bigint PRIMARY KEY, body text);
            CREATE MATERIALIZED VIEW bad AS SELECT n, body FROM secrets;
            INSERT INTO people VALUES (1, '\(Self.mail)'); INSERT INTO secrets VALUES (1, 'x');
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                for table in ["secrets", "bad"] { plan.set(table, .notPersonal) }
            }
            let schema = try await Schema.read(from: fixture.database)
            try await fixture.run("DROP MATERIALIZED VIEW bad")
            let outcome = try await DeepScan(schema: schema, plan: plan).run(
                for: [SearchedSubject(key: "1", identifiers: [Self.mail])], extent: .complete, on: fixture.database)[0]
            #expect(outcome.notSearched == ["public.bad": "the database refuses to read it: sql.42P01"])
            #expect(!outcome.isComplete && outcome.left == ["public.people.email": 1, "public.people.id": 1])
        }
    }

    @Test("PL-6 values that are too many or too long to compare are named as not searched", arguments: SQLDialect.allCases)
    func limits(_ dialect: SQLDialect) async throws {
        let counted = "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 10050)"
        let long = dialect == .postgresql ? "repeat('x', 9000000)" : "replace(hex(zeroblob(4500000)), '0', 'x')"
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE much (n integer, body text); CREATE TABLE long (n integer, body text);
            INSERT INTO people VALUES (1, 'ann@example.org');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            try await fixture.database.withConnection { connection in
                _ = try await connection.run(SQLStatement("\(counted) INSERT INTO much SELECT n, 'joann@example.org ' || n FROM s"))
                _ = try await connection.run(SQLStatement("INSERT INTO long SELECT 1, \(long) || ' ann@example.org'"))
            }
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                for table in ["much", "long"] { plan.set(table, .notPersonal) }
            }
            let found = try await fixture.engine(plan).verify("1", extent: .complete).deepScan
            let places = ["long.body", "much.body"].map { SearchPlace.place(dialect, $0) }
            #expect(found.notSearched.map(\.place) == places && found.extent == .bounded, "\(found)")
            #expect(
                found.notSearched.map(\.reason) == [
                    "values that may hold an identifier are too long to compare: 1",
                    "more values may hold an identifier than are compared: 10050",
                ])
            #expect(found.leftIn == ["people.email", "people.id"].map { SearchPlace.place(dialect, $0) })
        }
    }

    @Test("PL-6 SQLite: columns of any declared type are searched, and bytes as whole values")
    func anyType() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE others (n integer PRIMARY KEY, a integer, b real, c, d blob, e datetime, f boolean, g blob, h blob);
            INSERT INTO people VALUES (1, '\(Self.mail)');
            INSERT INTO others VALUES (1, '\(Self.mail)', '\(Self.mail)', '\(Self.mail)', '\(Self.mail)', '\(Self.mail)', '\(Self.mail)',
                CAST('\(Self.mail)' AS blob), CAST('x \(Self.mail)' AS blob));
            """
        let (receipt, _) = try await SearchPlace.scans(.sqlite, script)
        let scan = receipt.verification.deepScan
        #expect(scan.leftIn == ["a", "b", "c", "d", "e", "f", "g"].map { "others.\($0)" }, "\(scan)")
        #expect(scan.notSearched.map(\.place) == ["others.d", "others.g", "others.h"])
    }

    @Test("PL-6 an identifier that is too short counts as not searched", arguments: SQLDialect.allCases)
    func short(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text, nick text);
            INSERT INTO people VALUES (1, '\(Self.mail)', 'neo');
            """
        let (receipt, _) = try await SearchPlace.scans(dialect, script, identifiers: ["email", "nick"])
        #expect(receipt.verification.deepScan.notSearched.map(\.place) == ["identifiers"])
        #expect(!"\(receipt)".contains("neo") && receipt.isComplete)
    }
}
