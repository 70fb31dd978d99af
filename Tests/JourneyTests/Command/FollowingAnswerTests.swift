// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation
import Testing

@Suite("The same command asks the questions that answers lead to")
struct FollowingAnswerTests {
    /// Rows that an answer may keep, with the name of a user.
    private static func prepare(_ place: CommandPlace, _ isNullable: Bool = true) async throws {
        let key = place.dialect == .sqlite ? "text" : "uuid"
        _ = try await place.query(
            "CREATE TABLE tickets (id integer PRIMARY KEY, user_id \(key)\(isNullable ? "" : " NOT NULL"), full_name text)")
        let merged = try await place.farewell("init", "--merge")
        try #require(merged.status == 0, "\(merged)")
    }

    private static func questions(_ place: CommandPlace) throws -> [PlanQuestion] {
        try PlanFile.load(path: place.plan.path).questions.filter { $0.table.name == "tickets" }
    }

    @Test(
        "PL-1 PL-8 decide adds the questions that its answers lead to, and check passes once they are answered",
        arguments: SQLDialect.allCases)
    func bulk(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 1) { place in
            try await Self.prepare(place)
            let kept = try await place.farewell("decide", "--table", "tickets", "--answer", "reference")
            #expect(kept.status == 0 && kept.output.contains("added 1 question"), "\(kept)")
            #expect(kept.output.contains("1 is open") && !kept.output.contains("the check finds"), "\(kept)")
            #expect(try Self.questions(place).filter(\.isOpen).map(\.columns) == [["full_name"]])
            let again = try await place.farewell("decide", "--table", "tickets", "--answer", "reference", "--json")
            #expect(again.objects.first?["added"] as? Int == 0 && again.objects.first?["errors"] as? Int == 0, "\(again)")
            let rest = try await place.farewell("decide", "--not-personal", "tickets")
            #expect(rest.status == 0 && rest.output.contains("None is open"), "\(rest)")
            #expect(try await place.farewell("check", "--accept").status == 0)
        }
    }

    @Test("PL-1 PL-8 without a database decide names the tables, and explains why a named database was not read")
    func unnamed() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            try await Self.prepare(place)
            let answer = ["decide", "--table", "tickets", "--answer", "reference", "--again"]
            let kept = try await place.end(of: place.configuration(answer, ["FAREWELL_DATABASE_URL": ""]))
            #expect(kept.status == 0 && kept.output.contains("tickets. Name the database"), "\(kept)")
            let gone = ["FAREWELL_DATABASE_URL": "sqlite:\(place.folder.path)/nowhere.sqlite"]
            let missed = try await place.end(of: place.configuration(answer, gone))
            #expect(missed.status == 0 && missed.output.contains("No further question was looked for"), "\(missed)")
            #expect(missed.output.contains("tickets. Name the database"), "\(missed)")
            #expect(try Self.questions(place).allSatisfy { $0.columns != ["full_name"] })
            let named = try await place.farewell("decide")
            #expect(named.status == 1 && named.output.contains("tickets.full_name"), "\(named)")
        }
    }

    @Test("PL-1 PL-8 at a terminal decide continues with the questions that the answers lead to")
    func walk() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            try await Self.prepare(place)
            let ended = try await place.onTerminal(["decide"], typing: "r\nn\n", environment: ["TERM": "xterm"])
            #expect(ended.status == 0 && ended.output.contains("these columns may describe"), "\(ended)")
            #expect(ended.output.contains("No question is open") && !ended.output.contains("the check finds"), "\(ended)")
            #expect(try Self.questions(place).map(\.answer) == [.reference, .unrelated])
            #expect(try await place.farewell("check", "--accept").status == 0)
        }
    }

    @Test("PL-1 PL-3 decide names the errors that answers lead to: a reference in a column that may not be null")
    func errors() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            try await Self.prepare(place, false)
            // Without a database nothing shows that the column may not be null.
            let answer = ["decide", "--table", "tickets", "--answer", "reference"]
            let blind = try await place.end(of: place.configuration(answer, ["FAREWELL_DATABASE_URL": ""]))
            #expect(blind.status == 0, "\(blind)")
            let ended = try await place.farewell("decide", "--not-personal", "tickets")
            #expect(ended.output.contains("the check finds 1 error"), "\(ended)")
            #expect(ended.output.contains("✗ tickets.user_id"), "\(ended)")
            let checked = try await place.farewell("check", "--accept")
            #expect(checked.status == 1 && checked.output.contains("user_id"), "\(checked)")
        }
    }

    @Test("PL-1 PL-3 decide asks for the value of a reference in a column that may not be null, or takes that of --set")
    func values() async throws {
        try await CommandPlace.with(.sqlite, people: 1) { place in
            try await Self.prepare(place, false)
            let bare = try await place.farewell("decide", "--table", "tickets", "--answer", "reference")
            #expect(bare.status == 1 && bare.output.contains("may not be null: add --set"), "\(bare)")
            #expect(try Self.questions(place).map(\.answer) == [nil])
            // An empty line asks the question again.
            let ended = try await place.onTerminal(["decide"], typing: "r\n\nr\ndeleted\nn\n", environment: ["TERM": "xterm"])
            #expect(ended.status == 0 && !ended.output.contains("the check finds"), "\(ended)")
            #expect(try Self.questions(place).map { $0.link?.replacement } == ["deleted", nil])
            _ = try await place.query("CREATE TABLE bills (id integer PRIMARY KEY, user_id text NOT NULL)")
            _ = try await place.query("CREATE TABLE loans (id integer PRIMARY KEY, closed_by text)")
            _ = try await place.farewell("init", "--merge")
            let two = ["decide", "--table", "bills", "--table", "loans", "--answer", "reference", "--set", "gone"]
            let many = try await place.end(of: place.configuration(two, [:]))
            #expect(many.status == 0 && !many.output.contains("the check finds"), "\(many)")
            // A column that may be null takes no value, and the command says so.
            #expect(many.output.contains("without the reference: loans.closed_by. If you"), "\(many)")
            let bills = try PlanFile.load(path: place.plan.path).questions.filter { $0.table.name == "bills" }
            #expect(bills.first?.link?.replacement == "gone" && bills.first?.answer == .reference)
            let other = ["decide", "--table", "bills", "--answer", "reference", "--set", "deleted", "--again"]
            #expect(try await place.end(of: place.configuration(other, [:])).status == 0)
            let changed = try PlanFile.load(path: place.plan.path).questions.filter { $0.table.name == "bills" }
            #expect(changed.map { $0.link?.replacement } == ["deleted"])
            #expect(try await place.farewell("check", "--accept").status == 0)
        }
    }

    @Test(
        "PL-1 PL-3 decide asks for the value of a reference that a check keeps from null, whether the schema or the database says so",
        arguments: SQLDialect.allCases)
    func checked(_ dialect: SQLDialect) async throws {
        try await CommandPlace.with(dialect, people: 1) { place in
            let key = dialect == .sqlite ? "text" : "uuid"
            for statement in [
                "CREATE TABLE alerts (id integer PRIMARY KEY, acked_by \(key), acked_at text, "
                    + "CONSTRAINT acked CHECK ((acked_by IS NULL) = (acked_at IS NULL)))",
                "CREATE TABLE doors (id integer PRIMARY KEY, closed_by \(key), "
                    + "CONSTRAINT closed CHECK (coalesce(CAST(closed_by AS text), '') <> ''))",
            ] { _ = try await place.query(statement) }
            _ = try await place.farewell("init", "--merge")
            let answer = ["decide", "--column", "acked_by", "--column", "closed_by", "--answer", "reference"]
            func answers() throws -> [PlanQuestion.Answer?] {
                try PlanFile.load(path: place.plan.path).questions.filter { ["alerts", "doors"].contains($0.table.name) }.map(\.answer)
            }
            let bare = try await place.end(of: place.configuration(answer, [:]))
            // For a UUID that only a check about null keeps, the draft has a value: no row has the zeros as its key.
            let asked = dialect == .sqlite ? 2 : 1
            #expect(bare.output.components(separatedBy: "refuses that: add --set").count == asked + 1, "\(bare)")
            #expect(bare.status == (dialect == .sqlite ? 1 : 0), "\(bare)")
            #expect(try answers() == [dialect == .sqlite ? nil : .reference, nil])
            let value = "00000000-0000-0000-0000-000000000000"
            // Without a database nothing shows that a value is missing: it can still be added.
            let blind = try await place.end(of: place.configuration(answer, ["FAREWELL_DATABASE_URL": ""]))
            let answered = "Answered \(asked) question"
            #expect(blind.status == 0 && blind.output.contains(answered), "\(blind)")
            let given = try await place.end(of: place.configuration(answer + ["--set", value], [:]))
            #expect(given.status == 0 && given.output.contains(answered), "\(given)")
            #expect(try answers() == [.reference, .reference])
            #expect(try await place.farewell("check", "--accept").status == 0)
        }
    }

    @Test("PL-1 PL-8 rows whose answer followed before a later answer gave the rows above them to a user are asked about again")
    func contradicted() async throws {
        try await CommandPlace.with(.sqlite, people: 1, isPlanned: false) { place in
            for statement in [
                "CREATE TABLE media (id integer PRIMARY KEY, uploader_id text, file_name text)",
                "CREATE TABLE covers (id integer PRIMARY KEY, user_id text NOT NULL REFERENCES auth_users(id) ON DELETE CASCADE, "
                    + "media_id integer REFERENCES media(id))",
                "CREATE TABLE captions (id integer PRIMARY KEY, media_id integer NOT NULL REFERENCES media(id), body text)",
            ] { _ = try await place.query(statement) }
            let drafted = try await place.farewell("init", "--subject", "auth_users.id")
            try #require(drafted.status == 0, "\(drafted)")
            func state() throws -> [PlanQuestion.Answer?] {
                try PlanFile.load(path: place.plan.path).questions.filter { $0.table.name == "captions" }.map(\.answer)
            }
            let first = ["decide", "--column", "uploader_id", "--answer", "not personal"]
            let alone = try await place.end(of: place.configuration(first, ["FAREWELL_DATABASE_URL": ""]))
            #expect(alone.status == 0 && alone.output.contains("2 more follow from it"), "\(alone)")
            #expect(try state() == [.unrelated])
            let asked = try await place.farewell("decide", "--table", "media", "--answer", "owner")
            #expect(asked.status == 1 && asked.output.contains("added 1 question"), "\(asked)")
            let owned = try await place.farewell("decide", "--table", "media", "--table", "captions", "--answer", "owner")
            #expect(owned.status == 0 && owned.output.contains("Open again"), "\(owned)")
            // It is open, so it keeps no answer.
            #expect(owned.output.components(separatedBy: "captions.media_id").count == 2, "\(owned)")
            #expect(owned.output.contains("1 question keeps its answer: media.uploader_id"), "\(owned)")
            #expect(try state() == [nil])
        }
    }
}
