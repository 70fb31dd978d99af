// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns that name a user under no name for a user's key: each is a question with its reason, and no link.
struct GuessedMeaningTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique", "name text")

    private static func plan(_ subject: String = "users.id", _ tables: SchemaTable...) throws -> Plan {
        let schema = Schema(dialect: .sqlite, tables: tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: subject)).plan
    }

    /// `table.column -> target.column first answer`.
    private static func asked(_ plan: Plan) -> [String] {
        plan.questions.compactMap { question in
            question.link.map { link in
                "\(question.table).\(question.columns[0]) -> \(link.target).\(link.targetColumns[0]) "
                    + question.answers[0].rawValue
            }
        }
    }

    @Test("PL-1 PL-7 the users' own key in a table that keeps their earlier rows is a question")
    func history() throws {
        let plan = try Self.plan(
            "users.id", Self.users,
            SchemaSketch.table("users_history", "id int not-null", "email text", "name text", "changed_by_id text"),
            SchemaSketch.table("user_versions", "version_id int pk", "id int not-null", "name text"),
            SchemaSketch.table("users_archive", "id int pk", "name text"),
            SchemaSketch.table("deleted_users", "old_id int pk", "reason text"),
            SchemaSketch.table("user_log", "id int pk", "user_id int not-null", "action text"),
            SchemaSketch.table("products_history", "id int not-null", "name text"),
            SchemaSketch.table("user_settings", "id int pk", "theme text"))
        let asked = Set(Self.asked(plan))
        let expected: Set = [
            "users_history.id -> users.id owner", "user_versions.id -> users.id owner",
            "users_archive.id -> users.id not personal", "deleted_users.old_id -> users.id not personal",
            "user_log.user_id -> users.id owner",
        ]
        #expect(expected.isSubset(of: asked), "\(asked)")
        let others = asked.filter { asked in
            ["user_log.id", "products_history", "user_settings"].contains { asked.hasPrefix($0) }
        }
        #expect(others.isEmpty, "\(others)")
        #expect(plan.tables.flatMap(\.links).isEmpty, "a guess is no link")
        let question = plan.questions.first { $0.table.name == "user_versions" }
        #expect(question?.reason.contains("keeps earlier rows of users") == true, "\(String(describing: question))")
    }

    @Test("PL-1 PL-7 the key of a user's rows in a table that keeps their versions is a question")
    func versions() throws {
        let user = "user_id int not-null -> users.id"
        let plan = try Self.plan(
            "users.id", Self.users, SchemaSketch.table("articles", "id int pk", user, "body text"),
            SchemaSketch.table("article_version", "id int pk", "transaction_id int pk", "body text"),
            SchemaSketch.table("blog_post", "id int pk", user, "body text"),
            SchemaSketch.table("blog_historicalpost", "history_id int pk", "id int not-null", "body text"),
            SchemaSketch.table(
                "historicaluser", "history_id int pk", "history_date date not-null", "history_user_id int -> users.id",
                "id int not-null"),
            SchemaSketch.table("products", "id int pk", "title text"),
            SchemaSketch.table("products_history", "id int not-null", "title text"),
            SchemaSketch.table("articles_log", "id int pk", "action text"))
        let asked = Set(Self.asked(plan))
        #expect(asked.isSuperset(of: ["article_version.id -> articles.id owner", "blog_historicalpost.id -> blog_post.id owner"]))
        let places = Set(plan.questions.map { "\($0.table).\($0.columns[0])" })
        #expect(
            places == ["article_version.id", "blog_historicalpost.id", "historicaluser.id", "historicaluser.history_user_id"],
            "\(asked)")
    }

    @Test(
        "PL-1 PL-7 a whole key with the name of the users' own key is a question, unless most tables call their keys so",
        arguments: ["uid", "username"])
    func wholeKeys(_ key: String) throws {
        let people = SchemaSketch.table("users", "\(key) text pk", "displayname text")
        let accounts = SchemaSketch.table("preferences", "\(key) text pk", "data text")
        let plan = try Self.plan("users.\(key)", people, accounts)
        #expect(Self.asked(plan) == ["preferences.\(key) -> users.\(key) owner"])
        // A literal is no key that the database makes.
        for (standard, isAsked) in [("''", true), ("''::character varying", true), ("(gen_random_uuid())::text", false)] {
            var filled = accounts
            filled.columns[0].defaultExpression = standard
            #expect(try Self.asked(Self.plan("users.\(key)", people, filled)).isEmpty != isAsked, "\(standard)")
        }
        let owned = SchemaSketch.table("things", "\(key) text pk", "owner_id text")
        #expect(try Self.asked(Self.plan("users.\(key)", people, owned)) == ["things.owner_id -> users.\(key) owner"])
        let convention = try Self.plan(
            "users.\(key)", people, accounts, SchemaSketch.table("pages", "\(key) text pk"),
            SchemaSketch.table("files", "\(key) text pk"), SchemaSketch.table("logs", "\(key) text pk"))
        #expect(Self.asked(convention).isEmpty)
    }

    @Test("PL-1 PL-7 a whole key called uid beside users with another key is asked about, if both are of one form")
    func uid() throws {
        let plan = try Self.plan(
            "users.id", SchemaSketch.table("users", "id text pk", "displayname text"),
            SchemaSketch.table("accounts", "uid text pk", "data text"), SchemaSketch.table("events", "uid int pk", "data text"))
        #expect(Self.asked(plan) == ["accounts.uid -> users.id owner"], "a number is no text")
    }

    @Test("PL-1 PL-7 both ends of a connection are asked about, whether or not they end like keys", arguments: ["", "_id"])
    func ends(_ ending: String) throws {
        let plan = try Self.plan(
            "users.id", Self.users,
            SchemaSketch.table("edges", "source\(ending) int pk", "target\(ending) int pk"),
            SchemaSketch.table("campaigns", "id int pk", "source\(ending) int", "title text"),
            SchemaSketch.table("translations", "id int pk", "source text", "target text"))
        #expect(
            Self.asked(plan) == [
                "edges.source\(ending) -> users.id not personal", "edges.target\(ending) -> users.id not personal",
            ])
    }

    @Test("PL-1 PL-7 a source beside a destination is a user in a table named after users, and none elsewhere")
    func routes() throws {
        let plan = try Self.plan(
            "users.id", Self.users,
            SchemaSketch.table("user_edges", "source_id int pk", "destination_id int pk", "state int"),
            SchemaSketch.table("routes", "id int pk", "source_id int", "destination_id int"),
            SchemaSketch.table("user_imports", "id int pk", "source_id int", "title text"))
        #expect(
            Set(Self.asked(plan)) == [
                "user_edges.source_id -> users.id not personal", "user_edges.destination_id -> users.id not personal",
            ])
    }

    @Test("PL-1 PL-7 beside a user, the table's own name means another user in a row between two, and no row of its own kind")
    func namesakes() throws {
        let plan = try Self.plan(
            "users.id", Self.users,
            SchemaSketch.table("follow", "id int pk", "user_id int not-null", "follow_id int not-null"),
            SchemaSketch.table("app_zebra", "user_id int pk", "zebra_id int pk", "friend_flag bool"),
            SchemaSketch.table("comments", "id int pk", "user_id int not-null", "comment_id int", "body text"),
            SchemaSketch.table("orders", "id int pk", "user_id int not-null", "order_id int", "title text"),
            SchemaSketch.table("block", "id int pk", "block_id int", "kind text"))
        #expect(
            Self.asked(plan) == [
                "app_zebra.user_id -> users.id owner", "app_zebra.zebra_id -> users.id not personal",
                "comments.user_id -> users.id owner", "follow.user_id -> users.id owner",
                "follow.follow_id -> users.id owner", "orders.user_id -> users.id owner",
            ])
    }

    @Test(
        "PL-1 PL-7 names that end in a noun for a user are asked about, with the deed before it where there is one",
        arguments: [
            ("create_user", "owner"), ("update_user", "reference"), ("modified_user", "reference"),
            ("message_edit_user", "reference"), ("owner_user", "owner"), ("last_login_user", "reference"),
            ("create_by", "owner"), ("update_by", "reference"), ("usr_id", "owner"), ("usr", "owner"),
            ("affecteduser", "owner"), ("createuser", "owner"), ("backup_user", "not personal"), ("share_with", "owner"),
            ("known_to", "owner"),
        ])
    func nouns(_ column: String, _ first: String) throws {
        let table = SchemaSketch.table("things", "id int pk", "\(column) int", "body text")
        #expect(try Self.asked(Self.plan("users.id", Self.users, table)) == ["things.\(column) -> users.id \(first)"])
        // SQLite: a column without a type.
        let untyped = SchemaSketch.table("things", "id int pk", "\(column) none", "body text")
        #expect(try Self.plan("users.id", Self.users, untyped).questions.map(\.columns) == [[column]])
        #expect(try Self.plan("users.id", Self.users, SchemaSketch.table("things", "id int pk", "\(column) bool")).questions.isEmpty)
    }

    @Test(
        "PL-1 PL-7 counts, limits and flags of users are none, and a text says more than a name",
        arguments: [
            "max_user int", "super_user int", "count_user int", "is_user int", "superuser int", "sort_by int", "order_by int",
            "backup_user text", "smtp_user text", "submit_by int", "create_user text",
        ])
    func others(_ column: String) throws {
        let table = SchemaSketch.table("things", "id int pk", column, "body text")
        let asked = try Self.asked(Self.plan("users.id", Self.users, table))
        #expect(asked.isEmpty, "\(asked)")
    }

    @Test(
        "PL-1 PL-7 the first letter of the users' noun, a side of a pair of people, and what was done for a person are asked about",
        arguments: [
            ("u_id", "owner"), ("captain_a", "owner"), ("captain_id", "reference"), ("mvp", "owner"), ("coauthor_id", "owner"),
            ("verified_for", "not personal"), ("billed_to", "not personal"), ("booked_for_id", "not personal"),
        ])
    func letters(_ column: String, _ first: String) throws {
        let table = SchemaSketch.table("things", "id int pk", "\(column) int", "body text")
        #expect(try Self.asked(Self.plan("users.id", Self.users, table)) == ["things.\(column) -> users.id \(first)"])
        let flag = SchemaSketch.table("things", "id int pk", "\(column) bool")
        #expect(try Self.plan("users.id", Self.users, flag).questions.isEmpty)
    }

    @Test("PL-1 PL-7 a letter of two tables is doubtful; scores of two sides, durations and texts are no users")
    func doubtful() throws {
        let uploads = SchemaSketch.table("uploads", "id int pk", "u_id int", "title text")
        #expect(try Self.asked(Self.plan("users.id", Self.users, uploads)) == ["uploads.u_id -> users.id not personal"])
        let edges = SchemaSketch.table("edges", "id int pk", "a_id int", "b_id int")
        #expect(try Self.asked(Self.plan("accounts.id", SchemaSketch.table("accounts", "id int pk"), edges)).isEmpty)
        let table = SchemaSketch.table(
            "games", "id int pk", "score_a int", "x_id text", "banned_for int", "limited_to int", "made_for text", "billed_to text")
        #expect(try Self.asked(Self.plan("users.id", Self.users, table)).isEmpty)
        #expect(StayingColumns.soundsPersonal("billed_to") && StayingColumns.soundsPersonal("shipTo"))
        #expect(!StayingColumns.soundsPersonal("made_for") && !StayingColumns.soundsPersonal("linked_to"))
    }

    @Test("PL-1 PL-7 a text that names a user by a deed leads to the unique name by which users sign in, where keys are numbers")
    func signIn() throws {
        let people = SchemaSketch.table("sys_user", "user_id int pk", "user_name text unique", "email text unique")
        let plan = try Self.plan("sys_user.user_id", people, SchemaSketch.table("notes", "id int pk", "create_user text"))
        #expect(Self.asked(plan).map { $0.split(separator: " ")[2] } == ["sys_user.user_name"], "\(plan.questions)")
    }

    @Test("PL-1 check warns about a column whose name is only a guess, and reports an error for a plain name")
    func check() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                Self.users, SchemaSketch.table("edges", "source int pk", "target int pk"),
                SchemaSketch.table("notes", "id int pk", "create_user int", "user_id int"),
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        plan.questions = []
        let found = PlanCheck.findings(plan, schema).filter { $0.code == "link.suspected" }
        func columns(_ severity: Finding.Severity) -> [String] {
            found.filter { $0.severity == severity }.compactMap(\.column).sorted()
        }
        #expect(columns(.error) == ["target", "user_id"], "\(found)")
        #expect(columns(.warning) == ["create_user", "source"], "\(found)")
    }
}
