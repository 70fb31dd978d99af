// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Questions about rows that lead to rows which an answer gives to the subject.
struct SettledRowTests {
    /// The way in which rows of messages are the subject's.
    private enum Key: String, CaseIterable {
        case undeclared = "owner_id integer NOT NULL"
        case unclear = "creator_id integer NOT NULL REFERENCES users(id)"
        case declared = "user_id integer NOT NULL REFERENCES users(id) ON DELETE CASCADE"
    }

    private static func script(_ key: Key) -> String {
        """
        CREATE TABLE users (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE messages (id integer PRIMARY KEY, \(key.rawValue), room text, part integer NOT NULL, UNIQUE (id, part));
        CREATE TABLE rich_texts (id integer PRIMARY KEY, body text, record_type text NOT NULL, record_id integer NOT NULL,
            UNIQUE (record_type, record_id));
        CREATE TABLE pins (id integer PRIMARY KEY, message_id integer, part integer,
            FOREIGN KEY (message_id, part) REFERENCES messages(id, part) ON DELETE CASCADE);
        CREATE TABLE readers (id integer PRIMARY KEY, message_ids text DEFAULT '[]', label text);
        """
    }

    /// The links that the questions are about, without the key of messages: `table columns target`.
    private static func places(_ plan: Plan) -> Set<String> {
        var found: Set<String> = []
        for question in plan.questions where question.table.name != "messages" {
            let place = "\(question.table.name) \(question.columns.joined(separator: ","))"
            found.formUnion(question.links.map { "\(place) \($0.target.name)" } + (question.links.isEmpty ? [place] : []))
        }
        return found
    }

    /// The plan with the questions that follow from `owner` for the key of messages, and for the key that leads there.
    private static func followed(_ draft: Plan, _ schema: Schema) throws -> Plan {
        var plan = draft
        for number in plan.questions.indices {
            let question = plan.questions[number]
            let isKey = question.table.name == "messages" || question.table.name == "pins" && question.columns.count == 2
            if isKey { plan.questions[number].answer = .owner }
        }
        let following = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
        return try PlanFile.read(Array(following.text.utf8), path: "p")
    }

    @Test(
        "PL-1 SCH-08 a key that an answer declares leads to the questions that a declared key leads to",
        arguments: SQLDialect.allCases)
    func property(_ dialect: SQLDialect) async throws {
        var asked: [Key: Set<String>] = [:]
        for key in Key.allCases {
            try await EngineFixture.with(dialect, Self.script(key)) { house in
                let schema = try await Schema.read(from: house.database)
                let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("users"), "id")).plan
                let plan = key == .declared ? draft : try Self.followed(draft, schema)
                asked[key] = Self.places(plan)
                guard key != .declared else { return }
                let answered = plan.questions.filter { !$0.isOpen }
                #expect(answered.map(\.table.name).sorted() == ["messages", "pins"], "\(answered)")
                // A plan that was answered before fails the check until the question is there.
                var before = plan
                before.questions.removeAll { $0.links.contains { $0.target.name != "users" && !$0.condition.isEmpty } }
                let findings = PlanCheck.findings(before, schema).filter { $0.code == "column.unasked" }
                #expect(findings.map { $0.table?.name } == ["rich_texts"], "\(findings)")
                #expect(!PlanCheck.findings(plan, schema).contains { $0.code == "column.unasked" })
                let again = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema)
                #expect(again.count == 0, "nothing is asked twice")
            }
        }
        let declared = try #require(asked[.declared])
        #expect(declared.contains("rich_texts record_type,record_id messages"), "\(declared)")
        #expect(declared.isSubset(of: asked[.unclear] ?? []), "\(asked)")
        #expect(declared.isSubset(of: asked[.undeclared] ?? []), "\(asked)")
    }

    @Test("PL-1 SCH-08 the rows of a pair go with the rows that an answer gives to the subject, and stay with those it keeps")
    func pairs() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk"),
                SchemaSketch.table("notes", "id int pk", "creator_id int not-null -> users.id"),
                SchemaSketch.table("texts", "id int pk", "body text", "record_type text", "record_id int"),
            ])
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        for answer in [PlanQuestion.Answer.owner, .reference] {
            var plan = draft
            for number in plan.questions.indices where plan.questions[number].table.name == "notes" {
                plan.questions[number].answer = answer
            }
            let text = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema).text
            let followed = try PlanFile.read(Array(text.utf8), path: "p")
            let asked = followed.questions.contains { $0.links.contains { $0.target.name == "notes" } }
            #expect(asked == (answer == .owner), "\(answer)")
            guard asked else { continue }
            let decided = followed.answeringAll(.owner)
            #expect(decided[TableName("texts")]?.links.map(\.target.name).sorted() == ["notes", "users"])
            #expect(PlanCheck.findings(decided, schema).filter { $0.severity == .error && $0.code != "column.unasked" }.isEmpty)
        }
        // No question repeats what the rows showed.
        var sampled = draft
        for number in sampled.questions.indices {
            if sampled.questions[number].table.name == "notes" { sampled.questions[number].answer = .owner }
            if sampled.questions[number].columns.count == 2 {
                sampled.questions[number].add("no sampled value names a table with rows of people")
            }
        }
        #expect(try FollowingQuestions(PlanFile.text(for: sampled), path: "p", schema).count == 0)
    }

    @Test("PL-1 PL-8 a pair that may lead to very many tables is one question without links, asked once", arguments: [64, 65])
    func many(_ count: Int) throws {
        let letters = Array("abcdefghij")
        let notes = (0..<count).map { number in
            SchemaSketch.table(
                "note\(letters[number / 10])\(letters[number % 10])s", "id int pk", "creator_id int not-null -> users.id")
        }
        let text = SchemaSketch.table("texts", "id int pk", "body text", "record_type text", "record_id int")
        let schema = Schema(dialect: .sqlite, tables: [SchemaSketch.table("users", "id int pk")] + notes + [text])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
            .answeringAll(.owner)
        let asked = FollowingQuestions.of(plan, schema)
        #expect(asked.map(\.table.name) == ["texts"] && asked[0].columns == ["record_type", "record_id"], "\(asked)")
        #expect(asked.first?.links.count == (count == 64 ? 64 : 0))
        plan.questions += asked
        #expect(FollowingQuestions.of(plan, schema).isEmpty)
        #expect(FollowingQuestions.of(plan.answeringAll(.unrelated), schema).isEmpty)
    }

    @Test("PL-1 PL-2 PL-8 answers given one after another lead to one question about a pair, once all its tables are known")
    func once() throws {
        let names = ["notes", "drafts", "letters", "parcels"]
        let tables = names.map { SchemaSketch.table($0, "id int pk", "creator_id int not-null -> users.id") }
        let pair = SchemaSketch.table("texts", "id int pk", "body text", "record_type text", "record_id int")
        let schema = Schema(dialect: .sqlite, tables: [SchemaSketch.table("users", "id int pk")] + tables + [pair])
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        var text = PlanFile.text(for: draft)
        var asked: [Int] = []
        for name in ["texts"] + names {
            let plan = try PlanFile.read(Array(text.utf8), path: "p")
            let number = try #require(plan.questions.firstIndex { $0.table.name == name && $0.isOpen })
            let answered = try AnswerEditor(text, path: "p").answering([number: .owner])
            let found = try AnswerConsequences(answered, path: "p", schema)
            text = found.text
            asked.append(found.added.count)
        }
        #expect(asked == [0, 0, 0, 0, 1])
        let plan = try PlanFile.read(Array(text.utf8), path: "p")
        let question = try #require(plan.questions.last)
        #expect(question.isOpen && Set(question.links.map(\.target.name)) == Set(names), "\(question)")
        var other = draft
        for place in other.questions.indices where other.questions[place].table.name == "texts" {
            other.questions[place].answer = .unrelated
        }
        other = other.answeringAll(.owner)
        // The author's answers about other tables of the pair come first.
        #expect(FollowingQuestions.of(other, schema).map(\.answers) == [[.unrelated, .owner, .reference]])
        #expect(question.answers == [.owner, .reference, .unrelated])
    }

    @Test("PL-1 SCH-08 a pair whose column cannot hold the subject's key is asked about for the subject's rows")
    func otherKeys() throws {
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id uuid pk"),
                SchemaSketch.table("posts", "id int pk", "user_id uuid not-null -> users.id cascade"),
                SchemaSketch.table("comments", "id int pk", "body text", "commentable_type text", "commentable_id int"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let question = try #require(plan.questions.first { $0.table.name == "comments" })
        #expect(question.links.map(\.target.name) == ["posts"], "\(plan.questions)")
        #expect(PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }.isEmpty)
    }

    @Test("PL-1 PL-2 PL-3 what rows of a pair own is not offered as a table to which the same pair leads")
    func owned() throws {
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id int pk"),
                SchemaSketch.table("files", "id int pk", "data text"),
                SchemaSketch.table("notes", "id int pk", "creator_id int not-null -> users.id"),
                SchemaSketch.table("uses", "id int pk", "file_id int -> files.id cascade", "related_type text", "related_id int"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        for _ in 0..<3 {
            plan = plan.answeringAll(.owner)
            plan.questions += FollowingQuestions.of(plan, schema)
        }
        plan = plan.answeringAll(.owner)
        #expect(plan[TableName("files")]?.links.map(\.isOwnedParent) == [true], "\(plan.questions)")
        // Nor do sampled names of the pair's table make it one.
        let context = CheckContext(plan, schema)
        #expect(context.isOnlyOwned(TableName("files"), through: TableName("uses")))
        #expect(!context.isOnlyOwned(TableName("notes"), through: TableName("uses")))
        // Other rows to which the pair leads are asked about as before.
        #expect(plan[TableName("uses")]?.links.map(\.target.name).sorted() == ["notes", "users"], "\(plan.questions)")
        let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error && $0.code != "column.unasked" }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("PL-1 PL-2 parts of a file that a plan deletes with it are no rows to which the file's pair is asked to lead")
    func parts() throws {
        let (files, copies) = (TableName("files"), TableName("copies"))
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id int pk"),
                SchemaSketch.table("files", "id int pk", "data text"),
                SchemaSketch.table("copies", "id int pk", "file_id int not-null -> files.id", "digest text"),
                SchemaSketch.table("uses", "id int pk", "file_id int not-null -> files.id", "related_type text", "related_id int"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        for _ in 0..<3 {
            plan = plan.answeringAll(.owner)
            plan.questions += FollowingQuestions.of(plan, schema)
        }
        plan = plan.answeringAll(.owner)
        #expect(plan[files]?.links.map(\.isOwnedParent) == [true], "\(plan.questions)")
        let place = try #require(plan.tables.firstIndex { $0.table == copies })
        plan.tables[place].rule = .erase
        plan.tables[place].links = [Link(columns: ["file_id"], target: files, targetColumns: ["id"], onDelete: .noAction)]
        let asked = FollowingQuestions.of(plan, schema).filter { $0.links.contains { $0.target == copies } }
        #expect(asked.isEmpty, "\(asked)")
    }

    @Test("PL-2 SCH-09 files of attachments and comments that may lead anywhere make no circle: the first answers pass the check")
    func attachments() throws {
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("posts", "id int pk", "user_id int not-null", "body text"),
                SchemaSketch.table("comments", "id int pk", "commentable_type text", "commentable_id int", "user_id int", "body text"),
                SchemaSketch.table("blobs", "id int pk", "filename text"),
                SchemaSketch.table("attachments", "id int pk", "record_type text", "record_id int", "blob_id int not-null -> blobs.id"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        var rounds = 0
        while plan.questions.contains(where: \.isOpen), rounds < 6 {
            for number in plan.questions.indices where plan.questions[number].isOpen {
                plan.questions[number].answer = plan.questions[number].answers[0]
            }
            let text = try FollowingQuestions(PlanFile.text(for: plan), path: "p", schema).text
            plan = try PlanFile.read(Array(text.utf8), path: "p")
            rounds += 1
        }
        #expect(PlanCheck.findings(plan.completed(in: schema), schema).filter { $0.severity == .error }.isEmpty)
        let links = plan.completed(in: schema).tables.first { $0.table.name == "blobs" }?.links ?? []
        #expect(links.map(\.isOwnedParent) == [true], "the files of the subject's attachments are deleted")
    }

    @Test("PL-1 PL-8 a pair is asked about once: rows that only other pairs give to the subject take the same answer")
    func repeated() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk"),
                SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade"),
                SchemaSketch.table("taggings", "id int pk", "label text", "taggable_type text", "taggable_id int"),
                SchemaSketch.table("addresses", "id int pk", "place text", "addressable_type text", "addressable_id int"),
            ])
        let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        func followed(_ answers: [String: PlanQuestion.Answer]) throws -> AnswerConsequences {
            var plan = draft
            for number in plan.questions.indices { plan.questions[number].answer = answers[plan.questions[number].table.name] }
            return try AnswerConsequences(PlanFile.text(for: plan.answered()), path: "p", schema)
        }
        func links(_ table: String, _ plan: Plan) -> [String] {
            (plan[TableName(table)]?.links ?? []).map { "\($0.target.name) \($0.isReference)" }
        }
        #expect(try followed(["taggings": .owner]).added.isEmpty, "the other pair is still open")
        for (answer, expected) in [(PlanQuestion.Answer.owner, false), (.reference, true)] {
            let found = try followed(["taggings": .owner, "addresses": answer])
            #expect(!found.plan.questions.contains { $0.isOpen }, "\(found.plan.questions)")
            #expect(found.added.allSatisfy { found.implied[$0] != nil } && found.added.count == (expected ? 1 : 2))
            let plan = try PlanFile.read(Array(found.text.utf8), path: "p")
            #expect(links("addresses", plan) == ["users \(expected)", "posts \(expected)", "taggings \(expected)"])
            #expect(links("taggings", plan).contains("addresses false") == !expected)
            #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error }.isEmpty)
            #expect(try FollowingQuestions(found.text, path: "p", schema).count == 0)
        }
        #expect(try followed(["taggings": .owner, "addresses": .unrelated]).added.isEmpty)
    }
}
