// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// The first answer of a question is the most probable one that deletes no row of another user.
struct LikelyAnswerTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func draft(_ tables: SchemaTable...) throws -> Plan {
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func answers(_ table: String, _ columns: String..., in plan: Plan) throws -> [PlanQuestion.Answer] {
        try #require(plan.questions.first { $0.table.name == table && $0.columns == columns }, "\(plan.questions)").answers
    }

    private static let stories = SchemaSketch.table(
        "stories", "id int pk", "user_id int not-null -> users.id cascade", "domain_id int -> domains.id")
    private static let aliases = SchemaSketch.table("aliases", "id int pk", "domain_id int not-null -> domains.id cascade")

    @Test("PL-1 PL-3 what leads to rows that users only handled is first offered as not personal, and stays offered as owner")
    func handled() throws {
        let domains = SchemaSketch.table("domains", "id int pk", "name text", "banned_by_user_id int -> users.id")
        let plan = try Self.draft(domains, Self.stories, Self.aliases)
        #expect(try Self.answers("domains", "banned_by_user_id", in: plan).first == .reference)
        // A story has its own user, and would rather lose the domain than go with it.
        #expect(try Self.answers("stories", "domain_id", in: plan) == [.unrelated, .reference, .owner])
        #expect(try Self.answers("aliases", "domain_id", in: plan) == [.unrelated, .owner, .reference])
        // An owner of its own makes such rows a user's.
        let owned = SchemaSketch.table("domains", "id int pk", "created_by int -> users.id", "banned_by int -> users.id")
        let other = try Self.draft(owned, Self.aliases)
        #expect(try Self.answers("aliases", "domain_id", in: other).first == .owner)
    }

    @Test("PL-3 a key that is named after a task or a duty offers reference first, also as one of a pair of type and id")
    func names() throws {
        for name in ["assigned_user_id", "modified_user_id", "moderator_user_id", "responsible_person_id", "approved_by", "granted_by"] {
            #expect(PersonNames.role(name) == .handler, "\(name)")
        }
        for name in ["user_id", "owner_user_id", "author_user_id"] { #expect(PersonNames.role(name) == .owner, "\(name)") }
        let plan = try Self.draft(
            SchemaSketch.table("tickets", "id int pk", "assigned_user_id int not-null -> users.id"),
            SchemaSketch.table("reviews", "id int pk", "approver_type text", "approver_id int"),
            SchemaSketch.table("files", "id int pk", "owner_type text", "owner_id int"),
            SchemaSketch.table("flags", "id int pk", "moderator_email text"), SchemaSketch.table("leads", "id int pk", "email text"))
        #expect(try Self.answers("tickets", "assigned_user_id", in: plan).first == .reference)
        #expect(plan[TableName("tickets")]?.rule.erasesRows == false)
        #expect(try Self.answers("reviews", "approver_type", "approver_id", in: plan).first == .reference)
        #expect(try Self.answers("files", "owner_type", "owner_id", in: plan).first == .owner)
        #expect(try Self.answers("flags", "moderator_email", in: plan).first == .reference)
        #expect(try Self.answers("leads", "email", in: plan).first == .owner)
    }

    @Test("PL-1 PL-3 a user named in rows of several users, or by the address there, is no first reason to delete the rows")
    func several() throws {
        let readers = SchemaSketch.table(
            "users_newsletters", "id int pk", "user_id int not-null -> users.id cascade",
            "newsletter_id int not-null -> newsletters.id cascade")
        let plan = try Self.draft(
            SchemaSketch.table("newsletters", "id int pk", "name text", "sender_email text"), readers,
            SchemaSketch.table("issues", "id int pk", "newsletter_id int not-null -> newsletters.id cascade", "body text"),
            SchemaSketch.table("rooms", "id int pk", "owner_id int not-null", "member_ids uuid[]"))
        #expect(try Self.answers("newsletters", "sender_email", in: plan) == [.reference, .owner, .unrelated])
        #expect(try Self.answers("users_newsletters", "newsletter_id", in: plan).first == .unrelated)
        #expect(try Self.answers("issues", "newsletter_id", in: plan).first == .unrelated)
        // Rows that users only like, save or mention are no group.
        for act in ["likes", "saves", "mentions", "reports"] {
            let acts = SchemaSketch.table(
                "article_\(act)", "user_id int not-null -> users.id cascade", "article_id int not-null -> articles.id cascade")
            let articles = SchemaSketch.table("articles", "id int pk", "author_email text", "body text", "liked_by_ids jsonb")
            #expect(try Self.answers("articles", "author_email", in: try Self.draft(articles, acts)).first == .owner, "\(act)")
        }
    }

    @Test("PL-1 PL-3 rows that list several users offer owner for another column second, and not personal where it cannot be empty")
    func listed() throws {
        let rooms = SchemaSketch.table("rooms", "id int pk", "owner_id int not-null", "host_id int", "member_ids jsonb")
        let plan = try Self.draft(rooms)
        #expect(try Self.answers("rooms", "owner_id", in: plan) == [.unrelated, .owner, .reference])
        #expect(try Self.answers("rooms", "host_id", in: plan).first == .reference)
    }

    @Test(
        "PL-1 PL-3 a team with other members is not deleted with its owner unless an answer says so, whatever its members' rows hold",
        arguments: [[], ["role text", "invited_by int -> users.id set null"], ["nickname text", "permissions jsonb"]])
    func teams(_ further: [String]) throws {
        let keys = ["id int pk", "team_id int not-null -> teams.id cascade", "user_id int not-null -> users.id cascade"]
        let members = SchemaSketch.table("team_members", keys + further)
        let boards = SchemaSketch.table("boards", "id int pk", "team_id int not-null -> teams.id")
        let plan = try Self.draft(SchemaSketch.table("teams", "id int pk", "owner_id int -> users.id"), members, boards)
        #expect(try Self.answers("teams", "owner_id", in: plan) == [.reference, .owner])
        #expect(plan[TableName("teams")]?.rule.erasesRows == false)
        #expect(plan[TableName("boards")]?.rule.erasesRows == false)
        // The database demands an owner: a question as well, because another member may become it.
        for key in ["owner_id int not-null -> users.id", "owner_id int not-null -> users.id cascade"] {
            let demanding = try Self.draft(SchemaSketch.table("teams", "id int pk", key), members, boards)
            #expect(try Self.answers("teams", "owner_id", in: demanding) == [.reference, .owner])
        }
    }

    @Test("PL-1 PL-3 the tenant that users' rows name is asked about by its owner; a user's own address is not", arguments: [true, false])
    func tenants(isDeclared: Bool) throws {
        let users = SchemaSketch.table(
            "users", "id int pk", "email text unique", isDeclared ? "tenant_id int -> tenants.id" : "tenant_id int",
            "address_id int -> addresses.id")
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                users, SchemaSketch.table("tenants", "id int pk", "name text", "owner_id int -> users.id"),
                SchemaSketch.table("addresses", "id int pk", "street text", "user_id int -> users.id"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(try Self.answers("tenants", "owner_id", in: plan) == [.reference, .owner])
        #expect(plan[TableName("addresses")]?.rule == .erase)
    }

    @Test("PL-1 PL-3 the reviewer of reviews wrote the row, and the reviewer of orders only handled it")
    func ownDeeds() throws {
        let plan = try Self.draft(
            SchemaSketch.table("reviews", "id int pk", "reviewer int", "stars int"),
            SchemaSketch.table("product_reviews", "id int pk", "reviewer_id int -> users.id"),
            SchemaSketch.table("orders", "id int pk", "reviewer_id int"))
        #expect(try Self.answers("reviews", "reviewer", in: plan).first == .owner)
        #expect(try Self.answers("product_reviews", "reviewer_id", in: plan).first == .owner)
        #expect(try Self.answers("orders", "reviewer_id", in: plan).first == .reference)
    }

    @Test("PL-1 PL-3 a course first stays when its leader leaves, and another user's order when the user who entered it does")
    func leaders() throws {
        let plan = try Self.draft(
            SchemaSketch.table("courses", "id int pk", "title text", "instructor_id int -> users.id"),
            SchemaSketch.table(
                "enrollments", "id int pk", "course_id int not-null -> courses.id", "student_id int not-null -> users.id", "grade text"),
            SchemaSketch.table("orders", "id int pk", "customer_id int", "created_by_user_id int"),
            SchemaSketch.table("invoices", "id int pk", "created_by_user_id int"))
        #expect(try Self.answers("courses", "instructor_id", in: plan).first == .reference)
        #expect(try Self.answers("enrollments", "course_id", in: plan).first == .unrelated)
        #expect(try Self.answers("orders", "customer_id", in: plan).first == .owner)
        #expect(try Self.answers("orders", "created_by_user_id", in: plan).first == .reference)
        #expect(try Self.answers("invoices", "created_by_user_id", in: plan).first == .owner)
    }

    @Test("PL-1 PL-3 a key that may be empty beside one to a certain user is offered as reference first: a post on another user's wall")
    func walls() throws {
        let plan = try Self.draft(
            SchemaSketch.table(
                "posts", "id int pk", "author_id int not-null -> users.id cascade", "wall_owner_id int -> users.id", "body text"))
        #expect(try Self.answers("posts", "wall_owner_id", in: plan) == [.reference, .owner])
        #expect(plan[TableName("posts")]?.rule == .erase)
    }

    @Test("PL-1 a number is not offered as one of the users' addresses")
    func numbers() throws {
        let plan = try Self.draft(SchemaSketch.table("notes", "id int pk", "author int"))
        let question = try #require(plan.questions.first { $0.columns == ["author"] })
        #expect(!question.reason.contains("email"), "\(question.reason)")
    }

    @Test("PL-1 PL-3 a reference that needs a value comes first only where the draft has one, or the database has a key")
    func values() throws {
        let plan = try Self.draft(
            SchemaSketch.table("locks", "id int pk", "locked_by int not-null"),
            SchemaSketch.table("reviews", "id int pk", "approved_by int"),
            SchemaSketch.table("tickets", "id int pk", "assigned_user_id int not-null -> users.id"))
        #expect(try Self.answers("locks", "locked_by", in: plan) == [.unrelated, .reference, .owner])
        #expect(try Self.answers("reviews", "approved_by", in: plan).first == .reference)
        #expect(try Self.answers("tickets", "assigned_user_id", in: plan) == [.reference, .owner])
        // A UUID of zeros is no user's key.
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id uuid pk", "email text unique"),
                SchemaSketch.table("locks", "id int pk", "locked_by uuid not-null"),
            ])
        let uuids = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(try Self.answers("locks", "locked_by", in: uuids).first == .reference)
        #expect(uuids.questions.first?.link?.replacement == "00000000-0000-0000-0000-000000000000")
        let errors = PlanCheck.findings(uuids.answeringAll(.reference), schema).filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("PL-3 accounts with passwords of their own are no user's rows first because of an equal address")
    func accounts() throws {
        let plan = try Self.draft(
            SchemaSketch.table("staff", "id int pk", "email text unique", "password_hash text"),
            SchemaSketch.table("magic_links", "id int pk", "email text unique", "password_required bool"),
            SchemaSketch.table("leads", "id int pk", "email text unique"))
        #expect(try Self.answers("staff", "email", in: plan).first == .unrelated)
        #expect(try Self.answers("leads", "email", in: plan).first == .owner)
        #expect(try Self.answers("magic_links", "email", in: plan).first == .owner)
    }

    @Test("PL-3 a picture that a row shows may go without the row, unless the row is about the picture alone")
    func pictures() throws {
        let images = SchemaSketch.table("images", "id int pk", "uploaded_by int", "path text")
        let plan = try Self.draft(
            images, SchemaSketch.table("books", "id int pk", "cover_image_id int -> images.id", "title text"),
            SchemaSketch.table("shelves", "id int pk", "image_id int", "title text"),
            SchemaSketch.table("image_tags", "id int pk", "image_id int not-null -> images.id cascade"))
        #expect(try Self.answers("books", "cover_image_id", in: plan).first == .reference)
        #expect(try Self.answers("shelves", "image_id", in: plan).first == .reference)
        #expect(try Self.answers("image_tags", "image_id", in: plan).first == .owner)
    }
}
