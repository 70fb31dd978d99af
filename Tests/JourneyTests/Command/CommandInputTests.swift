// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Testing

@Suite("Bad input and its errors")
struct CommandInputTests {
    @Test("an unknown subject gives an error, and nothing is written", arguments: SQLDialect.allCases)
    func unknownSubject(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let before = try await place.rows()
            let nobody = "00000000-0000-4000-8000-000000000000"
            for verb in ["preview", "erase"] {
                let arguments = verb == "erase" ? ["--yes"] : []
                let end = try await place.farewell(verb, "--subject", nobody, arguments.first ?? "--verbose")
                #expect(end.status == 3, "\(end)")
                #expect(!end.description.contains(nobody), "\(end)")
            }
            #expect(try await place.rows() == before)
            #expect(try await place.farewell("status", "--json").output == "[]\n")
        }
    }

    /// SQLite holds the people's UUIDs as text: only what is too long for any key cannot be one there.
    static let wrongKeys: [(dialect: SQLDialect, holds: String, keys: [String])] = [
        (.postgresql, "uuid", ["4711", "x' OR '1'='1", " "]), (.sqlite, "TEXT", [String(repeating: "4711", count: 1_025)]),
    ]

    @Test("a key of the wrong type is refused before any work", arguments: wrongKeys)
    func wrongKeyType(_ wrong: (dialect: SQLDialect, holds: String, keys: [String])) async throws {
        try await CommandPlace.with(wrong.dialect) { place in
            let before = try await place.rows()
            for key in wrong.keys {
                let end = try await place.farewell("erase", "--subject=\(key)", "--yes")
                #expect(end.status == 2 && end.errors.contains("a column of type \(wrong.holds)"), "\(end)")
                #expect(key == " " || !end.description.contains(key))
            }
            #expect(try await place.rows() == before)
            // With the keys of an erasure, status looks for those of a subject.
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            for key in wrong.keys {
                let end = try await place.farewell("status", "--subject=\(key)")
                #expect(end.status == 2 && end.errors.contains("a column of type \(wrong.holds)"), "\(end)")
            }
            let unknown = try await place.farewell("status", "--subject", UUID().uuidString)
            #expect(unknown.status == 0 && unknown.output.contains("No erasures."), "\(unknown)")
        }
    }

    @Test("a file that is no receipt is a finding: an empty one, text, and bytes that are no text")
    func noReceipts() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 0)
            let file = place.folder.appendingPathComponent("some.jws")
            for bytes in [[], Array("text".utf8), [0xFF, 0xFE, 0x00]] as [[UInt8]] {
                try Data(bytes).write(to: file)
                let end = try await place.farewell("receipt", "verify", file.path)
                #expect(end.status == 1 && end.output.isEmpty && !end.errors.isEmpty, "\(bytes): \(end)")
            }
        }
    }

    @Test("without systems doctor --permissions writes no sentence where a policy belongs")
    func noPermissions() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.farewell("doctor", "--permissions")
            #expect(end.status == 0 && end.output.isEmpty && end.errors.contains("names no systems"), "\(end)")
        }
    }

    static let hostilePlans: [(name: String, bytes: Data)] = [
        ("empty", Data()),
        ("no YAML", Data("farewell: [1\n".utf8)),
        ("another type", Data("farewell: 1\nsubject: 7\ntables: []\n".utf8)),
        ("no text", Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 11) })),
        ("huge", Data(repeating: UInt8(ascii: "a"), count: 5 << 20)),
        ("deep", Data(String(repeating: "[", count: 100_000).utf8)),
        ("a bomb", Data("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nfarewell: *c\n".utf8)),
        ("an unknown key", Data("farewell: 1\nsubject: {table: auth_users, key: id}\ntables: {}\nrun: rm\n".utf8)),
    ]

    @Test("a malformed, huge or hostile plan is refused with its line and column", arguments: hostilePlans)
    func hostilePlan(_ which: (name: String, bytes: Data)) async throws {
        try await CommandPlace.with(.sqlite, people: 3, isPlanned: false) { place in
            try which.bytes.write(to: place.plan)
            for verb in ["check", "preview", "erase"] {
                let rest = verb == "check" ? ["--ci", "--json"] : ["--subject", place.person]
                let end = try await place.farewell(verb, rest[0], rest[1])
                #expect(end.status == 2, "\(which.name): \(end)")
                #expect(end.errors.contains(#/farewell\.yaml:[0-9]+:[0-9]+: /#), "\(which.name): \(end)")
            }
        }
    }

    @Test("a plan's names are looked up and never executed", arguments: SQLDialect.allCases)
    func hostileNames(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            let before = try await place.rows()
            let names = [
                "\"users\\\"; DROP TABLE users; --\"", "'x\"\"y'", "\"ü\\u202e\"", String(repeating: "n", count: 70),
            ]
            let text = try String(contentsOf: place.plan, encoding: .utf8)
            for name in names {
                try Data((text + "  \(name):\n    rule: erase\n    columns: [id]\n").utf8).write(to: place.plan)
                let end = try await place.farewell("check")
                #expect(end.status == 1 || end.status == 2, "\(end)")
                let refused = try await place.farewell("erase", "--subject", place.person, "--yes")
                #expect(refused.status == 2, "\(refused)")
                #expect(!end.output.unicodeScalars.contains("\u{202E}"))
            }
            #expect(try await place.rows() == before)
        }
    }

    @Test("a table with a hostile name is planned, counted and erased like any other", arguments: SQLDialect.allCases)
    func hostileTable(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 5, isPlanned: false) { place in
            let name = dialect.quoted("x\"; DROP TABLE users; --'ü")
            let column = dialect.quoted("who \"is\" it")
            let type = dialect == .postgresql ? "uuid" : "text"
            let target = "\(place.table("auth_users")) (id)"
            _ = try await place.query(
                "CREATE TABLE \(name) (\(column) \(type) REFERENCES \(target) ON DELETE CASCADE)")
            _ = try await place.query("INSERT INTO \(name) SELECT id FROM \(place.table("auth_users"))")
            try await place.writePlan()
            #expect(try await place.farewell("check").status == 0)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes", "--deep").status == 0)
            #expect(try await place.query("SELECT count(*) FROM \(name)") == [[.integer(4)]])
        }
    }

    @Test("the error about a plan for another database differs from that about an outdated plan")
    func planOfAnother() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { sqlite in
            try await CommandPlace.with(.postgresql, people: 3) { place in
                try Data(contentsOf: sqlite.plan).write(to: place.plan)
                let check = try await place.farewell("check")
                #expect(check.status == 1 && check.output.contains("another"), "\(check)")
                let erase = try await place.farewell("erase", "--subject", place.person, "--yes")
                #expect(erase.status == 2, "\(erase)")
            }
        }
    }

    @Test("a missing table is named, and nothing is erased", arguments: SQLDialect.allCases)
    func vanishedTable(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect) { place in
            _ = try await place.query("DROP TABLE \(place.table("usage_logs"))")
            let before = try await place.rows()
            let check = try await place.farewell("check")
            #expect(check.status == 1 && check.output.contains("usage_logs"), "\(check)")
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 2)
            #expect(try await place.rows() == before)
        }
    }

    @Test(
        "with empty tables preview, erase and verify report the unknown subject, and other commands succeed",
        arguments: SQLDialect.allCases)
    func emptyTables(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 3) { place in
            _ = try await place.query("DELETE FROM \(place.table("auth_users"))")
            #expect(try await place.farewell("check", "--sample").status == 0)
            #expect(try await place.farewell("preview", "--subject", place.person).status == 3)
            #expect(try await place.farewell("erase", "--subject", place.person, "--yes").status == 3)
            #expect(try await place.farewell("verify", "--subject", place.person, "--deep").status == 3)
            #expect(try await place.farewell("verify", "--audit").status == 0)
            #expect(try await place.farewell("reerase", "--yes").status == 0)
            #expect(try await place.farewell("status").status == 0)
        }
    }

    @Test("the fence's trigger is printed for PostgreSQL; for SQLite the answer says that there is none", arguments: SQLDialect.allCases)
    func fence(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 1) { place in
            let places = try await place.farewell("fence")
            #expect(places.status == 0 && places.output.contains("conversations.user_id\n"), "\(places)")
            let script = try await place.farewell("fence", "--sql")
            if dialect == .postgresql {
                #expect(script.status == 0 && script.output.contains("CREATE TRIGGER"), "\(script)")
            } else {
                #expect(script.status == 2 && script.output.isEmpty, "\(script)")
                #expect(script.errors.contains("SQLite") && script.errors.contains("deletes rows written meanwhile"), "\(script)")
            }
        }
    }

    @Test("no subject is erased without a confirmation")
    func unconfirmed() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            let before = try await place.rows()
            let end = try await place.farewell("erase", "--subject", place.person)
            #expect(end.status == 2 && end.errors.contains("--yes"), "\(end)")
            #expect(try await place.rows() == before)
        }
    }

    @Test(
        "invalid arguments are refused with 2 and a hint",
        arguments: [
            ["erase"], ["erase", "--resume", "--subject", "x"], ["erase", "--take-over", "--subject", "x"],
            ["erase", "--release", "x"], ["verify"], ["verify", "--audit", "--subject", "x"], ["nonsense"],
            ["status", "nonsense"], ["preview"], ["keys", "remove"], ["erase", "--subject", "x", "--concurrency", "0"],
            ["erase", "--subject", "x", "--deep-rows", "5"], ["erase", "--subject", "x", "--deep", "--deep-rows", "0"],
            ["verify", "--subject", "x", "--deep-rows", "5"], ["verify", "--subject", "x", "--deep", "--deep-rows=-1"],
        ])
    func misuse(_ arguments: [String]) async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.call(arguments)
            #expect(end.status == 2 && end.errors.contains("Error: ") && end.output.isEmpty, "\(end)")
            let json = try await place.call(arguments + ["--json"])
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: [String: String]]
            #expect(json.status == 2 && object?["error"]?["code"] == "command.misuse", "\(json)")
        }
    }

    @Test("SY-2 the first subject of a list with a byte-order mark is read too")
    func mark() async throws {
        try await CommandPlace.with(.sqlite, people: 3) { place in
            let subjects = (0..<2).map { place.people.subjectKey(at: $0) }
            let list = place.folder.appendingPathComponent("list.txt")
            try Data([0xEF, 0xBB, 0xBF] + "\(subjects[0])\r\n\(subjects[1])\r\n".utf8).write(to: list)
            let erased = try await place.farewell("erase", "--subjects-file", list.path, "--yes")
            #expect(erased.status == 0, "\(erased)")
            let rows = try await place.rows()
            for subject in subjects { #expect(!rows.contains { $0.contains(subject) }) }
        }
    }

    @Test("SY-2 a comment of a list that is also a subject's key is refused with its line, before anything happens")
    func commentedKey() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let file = place.folder.appendingPathComponent("own.sqlite").path
            let names = SQLStatement("SELECT group_concat(name) FROM (SELECT name FROM people ORDER BY name)")
            let database = try openDatabase("sqlite:\(file)", sqlite: SQLiteConfiguration(access: .createIfMissing))
            for statement in ["CREATE TABLE people (name text PRIMARY KEY)", "INSERT INTO people VALUES ('#bob'), ('ann#1'), ('eve')"] {
                _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
            }
            func call(_ arguments: String...) async throws -> CommandEnd {
                try await place.call(arguments + ["--database", "sqlite:\(file)", "--plan", "own.yaml"])
            }
            #expect(try await call("init", "--subject", "people.name").status == 0)
            let list = place.folder.appendingPathComponent("list.txt")
            try Data("ann#1\n# leavers\n#bob\n".utf8).write(to: list)
            for verb in [["erase", "--yes"], ["rehearse"]] {
                let refused = try await place.call(
                    verb + ["--subjects-file", list.path, "--database", "sqlite:\(file)", "--plan", "own.yaml"])
                #expect(refused.status == 2 && refused.errors.contains("Line 3 of the list"), "\(refused)")
                #expect(refused.errors.contains("--subject"), "\(refused)")
            }
            #expect(try await database.withConnection { try await $0.run(names) }.scalar == .text("#bob,ann#1,eve"))
            try Data("ann#1\n# leavers\n".utf8).write(to: list)
            let erased = try await call("erase", "--subjects-file", list.path, "--subject", "#bob", "--yes")
            #expect(erased.status == 0, "\(erased)")
            #expect(try await database.withConnection { try await $0.run(names) }.scalar == .text("eve"))
            await database.close()
        }
    }

    @Test("SY-2 a key of a list that cannot be one is refused with its line, before anything happens")
    func malformedKey() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            let file = place.folder.appendingPathComponent("own.sqlite").path
            let database = try openDatabase("sqlite:\(file)", sqlite: SQLiteConfiguration(access: .createIfMissing))
            for statement in ["CREATE TABLE people (id integer PRIMARY KEY)", "INSERT INTO people VALUES (1), (2)"] {
                _ = try await database.withConnection { try await $0.run(SQLStatement(statement)) }
            }
            let own = ["--database", "sqlite:\(file)", "--plan", "own.yaml"]
            #expect(try await place.call(["init", "--subject", "people.id"] + own).status == 0)
            let list = place.folder.appendingPathComponent("list.txt")
            try Data("# leavers\n1\n\nkim-7\n2\n".utf8).write(to: list)
            for verb in [["erase", "--yes"], ["rehearse"]] {
                let refused = try await place.call(verb + ["--subjects-file", list.path] + own)
                #expect(refused.status == 2 && refused.errors.contains("Line 4 of the list"), "\(refused)")
                #expect(!refused.errors.contains("kim-7"), "\(refused)")
            }
            let left = try await database.withConnection { try await $0.run("SELECT count(*) FROM people") }
            #expect(left.scalar == .integer(2))
            await database.close()
        }
    }

    @Test(
        "an empty, unreadable, blank or too short list of subjects is refused, and the error names the list",
        arguments: [
            (["erase", "--subject", "", "--yes"], "--subject is empty"),
            (["erase", "--subjects-file", "/nowhere", "--yes"], "list of subjects cannot be read"),
            (["erase", "--subjects-file", "/dev/null", "--yes"], "list of subjects is empty"),
            (["verify", "--subject", "x", "--deep", "--identifier-file", "/nowhere"], "list of identifiers cannot be read"),
            (["verify", "--subject", "x", "--deep", "--identifier", ""], "--identifier is empty"),
            (["verify", "--subject", "x", "--deep", "--identifier", "short"], "too short to search for"),
        ])
    func namesOfNobody(_ arguments: [String], _ words: String) async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            let end = try await place.call(arguments)
            #expect(end.status == 2 && end.errors.contains(words) && end.output.isEmpty, "\(end)")
        }
    }
}
