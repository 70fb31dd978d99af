// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

struct PlanDerivationTests {
    private func draft(_ schema: Schema, subject: String? = nil) throws -> PlanDraft {
        try PlanDerivation.draft(from: schema, subject: subject.flatMap(ColumnName.init(parsing:)))
    }

    private func table(_ plan: Plan, _ name: String) throws -> TablePlan {
        let name = try #require(TableName(parsing: name))
        return try #require(plan[name])
    }

    @Test("BX-1 a cascading schema becomes a plan that names every table and every column")
    func coachme() throws {
        let draft = try draft(SchemaSketch.coachme)
        #expect(draft.plan.subject.table == TableName(schema: "auth", "users"))
        #expect(draft.plan.subject.key == "id")
        #expect(
            draft.plan.subject.identifiers.map(\.description) == [
                "auth.users.email", "auth.users.phone", "public.users.display_name",
            ])
        #expect(draft.plan.tables.map(\.table) == SchemaSketch.coachme.tables.map(\.name))
        for table in SchemaSketch.coachme.tables {
            #expect(draft.plan[table.name]?.columns.map(\.name) == table.columns.map(\.name))
        }
        #expect(draft.plan.tables.filter { $0.rule == .erase }.count == 5)
        #expect(try self.table(draft.plan, "public.models").rule == .notPersonal)
        #expect(
            try self.table(draft.plan, "public.messages").links == [
                Link(
                    columns: ["conversation_id"], target: TableName(schema: "public", "conversations"),
                    targetColumns: ["id"], onDelete: .cascade)
            ])
    }

    @Test("PL-3 a set-null key keeps the rows, which lose only their link")
    func setNull() throws {
        let plan = try draft(
            SchemaSketch.schema(
                .sqlite, SchemaSketch.table("users", "id int pk", "email text"),
                SchemaSketch.table(
                    "posts", "id int pk", "author_id int -> users.id set null", "title text", "author_name text"),
                SchemaSketch.table("votes", "id int pk", "post_id int -> posts.id cascade"))
        ).plan
        let posts = try table(plan, "posts")
        #expect(posts.rule == .anonymise)
        #expect(
            posts.columns == [
                .init("id", .notPersonal), .init("author_id", .notPersonal), .init("title", .notPersonal),
                .init("author_name", .notPersonal),
            ])
        #expect(posts.links.map(\.role) == [.reference])
        #expect(try table(plan, "votes").rule == .notPersonal)
    }

    @Test("PL-1 columns named like links become questions, whatever the spelling, and links only after an answer")
    func suspected() throws {
        let plan = try draft(
            SchemaSketch.schema(
                .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text"),
                SchemaSketch.table("public.events", "id uuid pk", "userId uuid"),
                SchemaSketch.table("public.notes", "id uuid pk", "created_by uuid"),
                SchemaSketch.table("public.notes_archive", "id uuid pk", "note_id uuid"),
                SchemaSketch.table("public.prices", "id uuid pk", "updated_by uuid", "amount numeric"),
                SchemaSketch.table("public.books", "id uuid pk", "author text"),
                SchemaSketch.table("public.countries", "code text pk", "name text"))
        ).plan
        #expect(plan.tables.filter { $0.rule.isPersonal }.map(\.table.name) == ["users"])
        #expect(
            plan.questions.map { "\($0.table.name).\($0.columns[0]) \($0.link?.target.name ?? "")" } == [
                "events.userId users", "notes.created_by users", "notes_archive.note_id notes", "prices.updated_by users",
            ])
        let owned = plan.answeringAll(.owner)
        for name in ["events", "notes", "notes_archive", "prices"] {
            #expect(try table(owned, "public.\(name)").rule == .erase, "\(name)")
            #expect(try table(owned, "public.\(name)").links.map(\.onDelete) == [nil], "\(name)")
        }
        #expect(try table(plan.answeringAll(.reference), "public.prices").rule == .anonymise)
        #expect(try table(plan, "public.books").rule == .notPersonal)
        #expect(try table(plan, "public.countries").rule == .notPersonal)
    }

    @Test("PL-3 the draft asks which of two keys owns a row where the schema does not say")
    func paths() throws {
        let draft = try draft(
            SchemaSketch.schema(
                .postgresql, SchemaSketch.table("users", "id uuid pk", "email text"),
                SchemaSketch.table("profiles", "id uuid pk -> users.id cascade", "name text"),
                SchemaSketch.table(
                    "matches", "id uuid pk", "user1_id uuid -> profiles.id cascade",
                    "user2_id uuid -> profiles.id cascade"),
                SchemaSketch.table("posts", "id uuid pk", "author_id uuid -> users.id cascade"),
                SchemaSketch.table(
                    "comments", "id uuid pk", "author_id uuid -> users.id cascade",
                    "post_id uuid -> posts.id cascade")))
        let asked = draft.plan.questions.filter { $0.table.name == "comments" }
        #expect(asked.map(\.columns) == [["post_id"]])
        // The names differ only in their number: neither side can own the match without the other.
        #expect(try table(draft.plan, "matches").links.map(\.role) == [.owner, .owner])
    }

    @Test("a parent accounts for its partitions, which have no entries")
    func partitions() throws {
        var january = SchemaSketch.table(
            "public.logs_jan", kind: .partition, "id uuid pk", "user_id uuid -> public.users.id cascade")
        january.parents = [TableName(schema: "public", "logs")]
        let plan = try draft(
            SchemaSketch.schema(
                .postgresql, SchemaSketch.table("public.users", "id uuid pk", "email text"),
                SchemaSketch.table(
                    "public.logs", kind: .partitioned, "id uuid pk", "user_id uuid -> public.users.id cascade"),
                january)
        ).plan
        #expect(plan.tables.map(\.table.name) == ["logs", "users"])
        #expect(try table(plan, "public.logs").rule == .erase)
    }

    @Test("an unknown or ambiguous subject is refused with candidates")
    func subject() throws {
        let two = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("customers", "id int pk", "email text"),
            SchemaSketch.table("accounts", "id int pk", "email text"))
        let ambiguous = #expect(throws: FarewellError.self) { try PlanDerivation.draft(from: two) }
        #expect(ambiguous?.code == "plan.subject-ambiguous")
        #expect(ambiguous?.message.contains("accounts") == true && ambiguous?.message.contains("customers") == true)
        let none = SchemaSketch.schema(.sqlite, SchemaSketch.table("things", "id int pk"))
        let unknown = #expect(throws: FarewellError.self) { try PlanDerivation.draft(from: none) }
        #expect(unknown?.remedy?.contains("--subject") == true)
        let empty = #expect(throws: FarewellError.self) { try PlanDerivation.draft(from: SchemaSketch.schema(.sqlite)) }
        #expect(empty?.code == "plan.subject-unknown" && empty?.message == "This database has no tables.")
        #expect(empty?.remedy?.contains("address") == true)
        let misspelt = #expect(throws: FarewellError.self) { try self.draft(two, subject: "custmers.id") }
        #expect(misspelt?.message.contains("customers") == true)
    }

    @Test("a key that names no key of its target does not become a link, and the note says so")
    func unpairedKey() throws {
        var posts = SchemaSketch.table("posts", "id int pk", "user_id int", "text text")
        posts.foreignKeys = [
            ForeignKey(columns: ["user_id"], target: TableName("users"), targetColumns: [], onDelete: .cascade)
        ]
        let schema = SchemaSketch.schema(.sqlite, SchemaSketch.table("users", "id int unique", "email text"), posts)
        let draft = try draft(schema, subject: "users.id")
        let entry = try table(draft.plan, "posts")
        #expect(entry.rule == .erase)
        #expect(entry.links == [])
        #expect(draft.notes.contains { $0.table == posts.name && $0.column == "user_id" && $0.text.contains("not used as a link") })
        let text = PlanFile.text(for: draft.plan, notes: draft.notes)
        #expect(try PlanFile.read(Array(text.utf8), path: "farewell.yaml") == draft.plan)
        #expect(PlanCheck.findings(draft.plan, schema).contains { $0.severity == .error })
    }

    @Test("the written plan reads back as the derived one")
    func writtenAndRead() throws {
        let draft = try draft(SchemaSketch.coachme)
        let text = PlanFile.text(for: draft.plan, notes: draft.notes)
        #expect(try PlanFile.read(Array(text.utf8), path: "farewell.yaml") == draft.plan)
    }
}
