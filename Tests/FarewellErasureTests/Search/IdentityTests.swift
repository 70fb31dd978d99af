// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The search finds identities, not parts of words")
struct IdentityTests {
    @Test(
        "PL-6 SQL-18 ann@ is not found inside joann@, in rows or in the bytes of the file, and the receipt is complete",
        arguments: SQLDialect.allCases)
    func address(_ dialect: SQLDialect) async throws {
        let others = [
            "joann@example.org", "mary.ann@example.org", "mary-ann@example.org", "mary+ann@example.org", "x_ann@example.org",
            "éann@example.org", "e\u{301}ann@example.org", "ann@example.org.uk", "ann@example.organic", "ann@example.org-x.net",
            "ann@example.orgé",
        ]
        let values = others.enumerated().map { "(\($0 + 2), '\($1)')" }.joined(separator: ", ")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
            CREATE INDEX lowered ON people (lower(email));
            CREATE TABLE notes (n integer PRIMARY KEY, body text);
            INSERT INTO people VALUES (1, 'ann@example.org'), \(values);
            INSERT INTO notes SELECT id, 'to ' || email FROM people WHERE id > 1;
            """
        let (receipt, again) = try await SearchPlace.scans(dialect, script)
        #expect(receipt.verification.deepScan.places == ["left": [], "similar": [], "not searched": []])
        #expect(receipt.isComplete && receipt.verification.residue.occurrences == 0)
        #expect(again.deepScan.left == 0 && again.isClean)
    }

    @Test("PL-6 SQL-18 an address is found wherever it is the whole word, however it is quoted or escaped", arguments: SQLDialect.allCases)
    func quoted(_ dialect: SQLDialect) async throws {
        let texts = [
            "ann@example.org", "<ann@example.org>", "mailto:ann@example.org?subject=x", "''ann@example.org''", "Write to ANN@Example.Org.",
            "user=ann@example.org&x=1", "?to=ann%40example.org&x=1", "/people/ann@example.org/photo.jpg", "_ann@example.org_",
            "a,ann@example.org,b", "(ann@example.org)", "ann@example.org''s", "- ann@example.org", "{\"mail\":\"ann@example.org\"}",
            "{\"a\":\"\\\\/ann\\u0040example.org\"}", "«ann@example.org»", "ann@example.org\n", "https://ann%40example.org@host/",
        ]
        let values = texts.enumerated().map { "(\($0), '\($1)')" }.joined(separator: ", ")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE notes (n integer PRIMARY KEY, body text);
            INSERT INTO people VALUES (1, 'ann@example.org');
            INSERT INTO notes VALUES \(values);
            """
        let (receipt, again) = try await SearchPlace.scans(dialect, script)
        // A writer of JSON that escapes letters and signs of ASCII is not read.
        let written = texts.count { !$0.contains("\\u0040") }
        #expect(receipt.verification.deepScan.left == written)
        #expect(receipt.verification.deepScan.places["left"] == ["notes.body"])
        #expect(!receipt.isComplete && !again.isClean && again.deepScan.left == written)
    }

    @Test(
        "PL-6 SCH-09 Martin is not found in Martina or Martinez; the word alone counts as similar, and nothing is left",
        arguments: SQLDialect.allCases)
    func firstName(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text, name text);
            CREATE TABLE issues (id integer PRIMARY KEY, body text);
            CREATE TABLE thanks (id integer PRIMARY KEY, body text);
            INSERT INTO people VALUES (1000001, 'u1@example.org', 'Martin'), (1000002, 'u2@example.org', 'Eva Martinez');
            INSERT INTO issues VALUES (1, 'Thanks to Martina for the patch'), (2, 'martín, St_Martin, Martin\u{301}a');
            INSERT INTO thanks VALUES (1, 'Thanks to MARTIN''s patch'), (2, 'Jean-Martin'), (3, 'Martina');
            """
        let (receipt, again) = try await SearchPlace.scans(dialect, script, subject: "1000001", identifiers: ["email", "name"])
        let scan = receipt.verification.deepScan
        #expect(scan.places == ["left": [], "similar": ["thanks.body"], "not searched": []])
        #expect(scan.similar == 2 && receipt.isComplete)
        #expect(again.isClean && again.deepScan.similar == 2)
    }

    @Test("PL-6 SQL-18 handles, telephone numbers, however written, and UUIDs match only as a whole", arguments: SQLDialect.allCases)
    func forms(_ dialect: SQLDialect) async throws {
        let id = "5f0c8a4e-abcd-4000-8000-000000000001"
        let left = [
            "see one-of-a-kind.", "@one-of-a-kind!", "Call +49 30 123456 now", "+4930123456", "tel:004930123456", "avatars/\(id)_small.png",
            "tel:+49-30-123456", "(+49 30) 12.34/56!", "1 49-30 123456 2", "{\(id.uppercased())}",
            id.replacing("-", with: ""), "Zoë Müller-Lüdenscheidt wrote",
        ]
        let similar = ["one-of-a-kind-2", "one-of-a-kind.jpg"]
        let nothing = [
            "none-of-a-kind", "one-of-a-kinds", "+49 30 1234567", "14930123456", "49301234567", "49-30-1234567", "149-30 123456",
            "4930:123456", "49    30    123456", "\(id)a", "f\(id)", "Zoë Müller-Lüdenscheidts", "Zoe Müller-Lüdenscheidt",
        ]
        func values(_ texts: [String]) -> String { texts.enumerated().map { "(\($0), '\($1)')" }.joined(separator: ", ") }
        let script = """
            CREATE TABLE people (id uuid PRIMARY KEY, nick text, phone text, name text);
            CREATE TABLE one (n integer, body text); CREATE TABLE two (n integer, body text); CREATE TABLE three (n integer, body text);
            INSERT INTO people VALUES ('\(id)', 'one-of-a-kind', '+49 30 123456', 'Zoë Müller-Lüdenscheidt');
            INSERT INTO one VALUES \(values(left)); INSERT INTO two VALUES \(values(similar)); INSERT INTO three VALUES \(values(nothing));
            """
        let (receipt, _) = try await SearchPlace.scans(dialect, script, subject: id, identifiers: ["nick", "phone", "name"])
        let scan = receipt.verification.deepScan
        #expect(scan.places == ["left": ["one.body"], "similar": ["two.body"], "not searched": []])
        #expect(scan.left == left.count && scan.similar == similar.count)
    }

    @Test(
        "PL-6 SQL-18 a key that a program made up ends at any sign, and is left; a handle with digits there is similar",
        arguments: SQLDialect.allCases)
    func tokens(_ dialect: SQLDialect) async throws {
        let key = "clz8r4t1w0001wxyz5678ijkl"
        let clerk = "user_2NNEqL2nrIRdJ194ndJqAHwEfxC"
        let left = [
            "avatars/user_\(key)_64.png", "profile_\(key)", "\(key)_thumb.jpg", "{\"room\":\"dm_\(key)_cly0other\"}", "u-\(key)-x.png",
            "avatars/\(key).png", "cache.\(key.uppercased())@eu", "old_\(clerk)", "\(clerk)-2",
        ]
        let similar = ["avatar_ben_baker77.png"]
        let nothing = ["\(key)a", "x\(key)", "é\(key)", "\(key.dropLast())_x", "\(clerk)D", "order_baker", "ben_baker770"]
        func values(_ texts: [String]) -> String { texts.enumerated().map { "(\($0), '\($1)')" }.joined(separator: ", ") }
        let script = """
            CREATE TABLE people (id varchar(30) PRIMARY KEY, clerk_id text, nick text, name text);
            CREATE TABLE one (n integer, body text); CREATE TABLE two (n integer, body text); CREATE TABLE three (n integer, body text);
            INSERT INTO people VALUES ('\(key)', '\(clerk)', 'ben_baker77', 'baker ');
            INSERT INTO one VALUES \(values(left)); INSERT INTO two VALUES \(values(similar)); INSERT INTO three VALUES \(values(nothing));
            """
        let (receipt, _) = try await SearchPlace.scans(dialect, script, subject: key, identifiers: ["clerk_id", "nick", "name"])
        let scan = receipt.verification.deepScan
        #expect(scan.places == ["left": ["one.body"], "similar": ["two.body"], "not searched": []])
        #expect(scan.left == left.count && scan.similar == similar.count)
    }

    @Test("PL-6 a name in a script without spaces counts as similar where other letters surround it", arguments: SQLDialect.allCases)
    func together(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, name text);
            CREATE TABLE notes (n integer PRIMARY KEY, body text);
            INSERT INTO people VALUES (1, '田中太郎一二三四五六七八九十');
            INSERT INTO notes VALUES (1, 'また田中太郎一二三四五六七八九十さん'), (2, '「田中太郎一二三四五六七八九十」');
            """
        let (receipt, _) = try await SearchPlace.scans(dialect, script, identifiers: ["name"])
        #expect(receipt.verification.deepScan.left == 1 && receipt.verification.deepScan.similar == 1)
    }

    @Test("PL-6 each receipt of subjects erased together has its own subject's findings", arguments: SQLDialect.allCases)
    func group(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE notes (n integer PRIMARY KEY, body text);
            INSERT INTO people VALUES (1, 'ann@example.org'), (2, 'joann@example.org'), (3, 'zoe@example.org');
            INSERT INTO notes VALUES (1, 'to joann@example.org');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { $0.set("notes", .notPersonal) }
            let engine = try await fixture.engine(plan)
            let outcomes = try await engine.erase(
                ["1", "2", "3"], options: ErasureOptions(groupSize: 3, deepScan: .complete, residue: .leave))
            let left = outcomes.compactMap(\.receipt).map(\.verification.deepScan.left)
            #expect(left == [0, 1, 0], "\(outcomes)")
        }
    }
}
