// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys of people that no key of the database declares, where two tables hold a row for each person.
struct PersonTargetTests {
    private static func schema(_ tables: [SchemaTable]) -> Schema { Schema(dialect: .sqlite, tables: tables) }

    private static func draft(_ tables: SchemaTable...) throws -> Plan {
        try PlanDerivation.draft(from: schema(tables), subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func question(_ place: String, in plan: Plan) throws -> PlanQuestion {
        try #require(plan.questions.first { "\($0.table).\($0.columns[0])" == place }, "\(place): \(plan.questions)")
    }

    /// The table that the link of a question leads to, and the first answer.
    private static func first(_ place: String, in plan: Plan) throws -> String {
        let question = try question(place, in: plan)
        return "\(question.link?.target.name ?? "") \(question.answers[0].rawValue)"
    }

    /// No key is declared, and users and profiles have numbers of their own.
    private static let network = [
        SchemaSketch.table("users", "id int pk", "profile_id int", "email text unique"),
        SchemaSketch.table("profiles", "id int pk", "user_id int", "bio text"),
        SchemaSketch.table("settings", "id int pk", "user_id int", "theme text"),
        SchemaSketch.table("statuses", "id int pk", "profile_id int", "caption text"),
        SchemaSketch.table("likes", "id int pk", "profile_id int not-null", "status_id int not-null"),
        SchemaSketch.table("followers", "id int pk", "profile_id int not-null", "following_id int not-null"),
        SchemaSketch.table("messages", "id int pk", "profile_id int", "to_id int", "from_id int", "approved_by int"),
        SchemaSketch.table("follow_requests", "id int pk", "follower_id int", "following_id int"),
        SchemaSketch.table("reports", "id int pk", "user_id int", "reporter_id int"),
    ]

    @Test("PL-1 PL-3 where a row names people by their profiles, its other keys of people are offered the profiles first")
    func profiles() throws {
        let plan = try PlanDerivation.draft(from: Self.schema(Self.network), subject: ColumnName(TableName("users"), "id")).plan
        for place in ["followers.following_id", "messages.to_id", "messages.from_id", "likes.profile_id"] {
            #expect(try Self.first(place, in: plan) == "profiles owner", "\(place)")
        }
        #expect(try Self.first("messages.approved_by", in: plan) == "profiles reference")
        let reason = try Self.question("followers.following_id", in: plan).reason
        #expect(reason.contains("to another user than the owner of the row; the name may also refer to users"), "\(reason)")
        #expect(reason.contains("compare the values"), "\(reason)")
        // The users' own keys.
        for place in ["profiles.user_id", "settings.user_id", "reports.user_id", "reports.reporter_id"] {
            #expect(try Self.first(place, in: plan) == "users owner", "\(place)")
        }
    }

    @Test("PL-1 PL-3 where nothing in a row says by which table it names people, no first answer deletes rows by a guess")
    func unclear() throws {
        let plan = try PlanDerivation.draft(from: Self.schema(Self.network), subject: ColumnName(TableName("users"), "id")).plan
        // Nor is the table of followers one of people.
        for place in ["follow_requests.follower_id", "follow_requests.following_id"] {
            #expect(try Self.first(place, in: plan) == "profiles not personal", "\(place)")
            #expect(try Self.question(place, in: plan).reason.contains("may also refer to users"), "\(place)")
        }
    }

    @Test("PL-1 the check of a plan without such a link warns, and is not certain of its target")
    func check() throws {
        let schema = Self.schema(Self.network)
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        plan.questions = []
        let found = PlanCheck.findings(plan, schema).filter { $0.code == "link.suspected" }
        func severity(_ table: String, _ column: String) -> Finding.Severity? {
            found.first { $0.table?.name == table && $0.column == column }?.severity
        }
        #expect(severity("followers", "following_id") == .warning && severity("settings", "user_id") == .error, "\(found)")
    }

    @Test("PL-1 PL-3 users stay the target where the app speaks of users, also if there are profiles, accounts or customers")
    func users() throws {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let plan = try Self.draft(
            users, SchemaSketch.table("profiles", "id int pk", "user_id int unique", "bio text"),
            SchemaSketch.table("posts", "id int pk", "user_id int", "updated_by int"),
            SchemaSketch.table("comments", "id int pk", "author_id int", "body text"),
            SchemaSketch.table("follows", "id int pk", "follower_id int", "followed_id int"),
            SchemaSketch.table("profile_views", "id int pk", "profile_id int", "viewer_id int"),
            SchemaSketch.table("notes", "id int pk", "user_id int", "body text"))
        for place in ["posts.user_id", "comments.author_id", "follows.follower_id", "follows.followed_id", "profile_views.viewer_id"] {
            #expect(try Self.first(place, in: plan) == "users owner", "\(place)")
        }
        #expect(try Self.first("posts.updated_by", in: plan) == "users reference")
        #expect(try Self.first("profile_views.profile_id", in: plan) == "profiles owner")
        let shop = try Self.draft(
            users, SchemaSketch.table("accounts", "id int pk", "user_id int unique", "balance int"),
            SchemaSketch.table("payments", "id int pk", "account_id int", "recipient_id int", "created_by int"),
            SchemaSketch.table("customers", "id int pk", "user_id int unique", "city text"),
            SchemaSketch.table("orders", "id int pk", "customer_id int", "created_by int"))
        #expect(try Self.first("payments.recipient_id", in: shop) == "accounts owner")
        for place in ["payments.created_by", "orders.created_by"] {
            #expect(try Self.first(place, in: shop) == "users reference", "\(place)")
        }
    }

    @Test("PL-1 SCH-01 a key called profile_id leads to the users' profiles also where their table has a longer name")
    func longName() throws {
        let plan = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("user_profiles", "id int pk", "user_id int unique", "bio text"),
            SchemaSketch.table("likes", "id int pk", "profile_id int", "status_id int"))
        #expect(try Self.first("likes.profile_id", in: plan) == "user_profiles owner")
        #expect(try Self.question("likes.profile_id", in: plan).reason.contains("may also refer to users"))
    }

    @Test("PL-3 a noun after a deed says whose key it is, and the deed says what the row means to them")
    func deeds() throws {
        let plan = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("members", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("teams", "id int pk", "owner_id int not-null -> users.id cascade"),
            SchemaSketch.table(
                "notes", "id int pk", "approved_by_member_id int", "created_by_team_id int", "created_by_user_id int"),
            SchemaSketch.table("tasks", "id int pk", "assigned_to_user_id int not-null -> users.id", "title text"),
            SchemaSketch.table("calls", "id int pk", "assigned_to_user_id int", "title text"))
        #expect(try Self.first("notes.approved_by_member_id", in: plan) == "members reference")
        #expect(try Self.first("notes.created_by_team_id", in: plan) == "teams owner")
        #expect(try Self.first("notes.created_by_user_id", in: plan) == "users owner")
        // A row that is assigned to a user is not deleted with the user.
        #expect(plan[TableName("tasks")]?.rule.erasesRows == false)
        for place in ["tasks.assigned_to_user_id", "calls.assigned_to_user_id"] {
            #expect(try Self.first(place, in: plan) == "users reference", "\(place)")
        }
    }
}
