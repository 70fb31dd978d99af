// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("No first answer deletes a row that is another user's")
struct OthersRowsTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique", "username text unique")

    private static func draft(_ tables: [SchemaTable]) throws -> Plan {
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    struct Case: CustomTestStringConvertible {
        let what: String
        let tables: [[String]]
        let column: String
        /// The first answer; `nil`: none is asked.
        let first: PlanQuestion.Answer?

        init(_ what: String, _ first: PlanQuestion.Answer?, _ column: String, _ tables: [String]...) {
            (self.what, self.first, self.column, self.tables) = (what, first, column, tables)
        }

        var testDescription: String { "\(what): \(column)" }

        var sketched: [SchemaTable] { tables.map { SchemaSketch.table($0[0], Array($0.dropFirst())) } }
    }

    private static let user = "user_id int not-null -> users.id cascade"
    private static let cases: [Case] = [
        Case(
            "a second user that may be empty", .reference, "invitations.new_user_id",
            ["invitations", "id int pk", "user_id int not-null -> users.id", "new_user_id int -> users.id", "memo text"]),
        Case(
            "the buyer beside the seller", .reference, "listings.buyer_id",
            ["listings", "id int pk", "seller_id int not-null -> users.id", "buyer_id int -> users.id", "title text"]),
        Case(
            "a second user without a key", .reference, "bonds.friend_id",
            ["bonds", "id int pk", "user_id int not-null", "friend_id int"]),
        Case(
            "a further word beside an author's deed", .reference, "reports.second_reviewing_user_id",
            ["reports", "id int pk", "posted_by_user_id int", "second_reviewing_user_id int", "body text"]),
        Case(
            "who made a row of another user", .reference, "enrolments.creator_id",
            ["enrolments", "id int pk", "user_id int not-null -> users.id", "creator_id int not-null -> users.id"]),
        Case(
            "who made the product of a shop", .reference, "products.created_by_id",
            ["shops", "id int pk", "owner_id int not-null -> users.id"],
            ["products", "id int pk", "shop_id int not-null -> shops.id", "created_by_id int -> users.id", "title text"]),
        Case(
            "who wrote a comment", .owner, "comments.created_by_id",
            ["posts", "id int pk", user], ["comments", "id int pk", "post_id int not-null -> posts.id", "created_by_id int -> users.id"]),
        Case(
            "who uploaded what belongs to a row of any table", .reference, "media_items.uploaded_by",
            ["media_items", "id int pk", "model_type text not-null", "model_id int not-null", "uploaded_by int"]),
        Case(
            "who made the label of a team", .reference, "labels.created_by",
            ["teams", "id int pk", "name text"], ["labels", "id int pk", "team_id int not-null -> teams.id cascade", "created_by int"]),
        Case(
            "a further user of a row that continues another user's", .reference, "swims.coach_id", ["activities", "id int pk", user],
            ["swims", "activity_ptr_id int pk -> activities.id", "coach_id int -> users.id", "laps int"]),
        Case(
            "such a user that is never null", .reference, "swims.coach_id", ["activities", "id int pk", user],
            ["swims", "activity_ptr_id int pk -> activities.id", "coach_id int not-null -> users.id", "laps int"]),
        Case(
            "such a user without a key", .reference, "swims.coach_user_id", ["activities", "id int pk", user],
            ["swims", "activity_ptr_id int pk -> activities.id", "coach_user_id int", "laps int"]),
        Case(
            "the user of a row that continues another's page", .reference, "blog_pages.author_user_id",
            ["pages", "id int pk", "owner_id int -> users.id", "title text"],
            ["blog_pages", "page_ptr_id int pk -> pages.id", "author_user_id int -> users.id", "intro text"]),
        Case(
            "who made what others use", .reference, "presets.created_by", ["presets", "id int pk", "name text", "created_by int"],
            ["uses", "id int pk", "preset_id int not-null -> presets.id cascade", user]),
        Case(
            "who posted a part of the row", .reference, "competitions.results_posted_by",
            ["competitions", "id int pk", "name text", "results_posted_by int"]),
        Case(
            "one of many rows", .reference, "forums.forum_last_post_id",
            ["posts", "id int pk", user], ["forums", "id int pk", "forum_last_post_id int", "title text"]),
        Case(
            "the chosen row of a project", .reference, "projects.default_query_id",
            ["queries", "id int pk", user], ["projects", "id int pk", "name text", "default_query_id int -> queries.id"]),
        Case(
            "a road that may be empty beside one that is not", .reference, "nodes.redaction_id",
            ["changesets", "id int pk", user], ["redactions", "id int pk", user],
            ["nodes", "id int pk", "changeset_id int not-null -> changesets.id", "redaction_id int -> redactions.id"]),
        Case(
            "a type that a user made", .reference, "issues.type_id",
            ["projects", "id int pk", "name text"], ["issue_types", "id int pk", user],
            ["issues", "id int pk", "project_id int not-null -> projects.id", "type_id int not-null -> issue_types.id"]),
        Case(
            "a note about a user's own tag", .owner, "tag_notes.tag_id", ["tags", "id int pk", "user_id int not-null"],
            ["tag_notes", "id int pk", "tag_id int not-null -> tags.id cascade", "body text"]),
        Case(
            "the doctor of a patient's visit", .reference, "visits.doctor_id", ["patients", "id int pk", "born date"],
            ["visits", "id int pk", "patient_id int not-null -> patients.id", "doctor_id int not-null -> users.id"]),
        Case(
            "who is reviewed in a row between two others", nil, "issue_reviewers.reviewer_id",
            ["issues", "id int pk", "title text"],
            [
                "issue_reviewers", "id int pk", "issue_id int not-null -> issues.id cascade", "reviewer_id int not-null -> users.id",
                "created_at timestamptz",
            ]),
        Case(
            "the owner of a space with members", .reference, "workspaces.owner_id",
            ["workspaces", "id int pk", "owner_id int not-null -> users.id"],
            [
                "workspace_members", "id int pk", "workspace_id int not-null -> workspaces.id", "member_id int not-null -> users.id",
                "note text",
            ]),
        Case(
            "the maker of what members share without keys", .reference, "teams.owner_id",
            ["teams", "id int pk", "owner_id int -> users.id"],
            ["team_members", "id int pk", "team_id int not-null -> teams.id", "user_id int not-null", "nickname text"]),
        Case(
            "a place with a contact", .reference, "events.point_of_contact_id",
            ["events", "id int pk", "name text", "point_of_contact_id int -> users.id"],
            ["positions", "id int pk", "event_id int not-null -> events.id cascade", user]),
        Case(
            "another table's noun", .unrelated, "direct_links.direct_recipient_id", ["recipients", "id int pk", "label text"],
            ["direct_links", "id int pk", "direct_recipient_id int not-null"]),
        Case(
            "a status that only ends the name of a table", .unrelated, "invoices.status_id",
            ["task_statuses", "id int pk", user], ["invoices", "id int pk", user, "status_id int not-null"]),
        Case(
            "the number of an archived row", .unrelated, "archive_posts.post_id",
            ["posts", "id int pk", user], ["archive_posts", "post_id int pk", "title text"]),
        Case("a user of another service", .unrelated, "installs.bot_user_id", ["installs", "id int pk", "bot_user_id int", "note text"]),
        Case(
            "an app for sign-in", .unrelated, "oauth_apps.client_id", ["oauth_apps", "id int pk", "client_id text", "name text"]),
        Case(
            "the number of a mail", .unrelated, "inbound_mails.message_id", ["messages", "id int pk", user],
            ["inbound_mails", "id int pk", "message_id text not-null", "status int"]),
        Case(
            "an end between rows that are no users", .unrelated, "community_follows.target_id", ["communities", "id int pk", "name text"],
            ["community_follows", "community_id int not-null -> communities.id cascade", "target_id int"]),
        Case(
            "the account of a server", .unrelated, "database_hosts.username",
            ["database_hosts", "id int pk", "host text not-null", "username text not-null", "password text"]),
        Case(
            "an address beside a number at another service", .owner, "fans.email",
            ["fans", "id int pk", "email text", "stripe_customer_id text"]),
        Case(
            "the address of who edited a user's row", .reference, "papers.editor_email",
            ["papers", "id int pk", user, "editor_email text", "author_email text"]),
        Case("a number of identities", nil, "persons.sub_id", ["persons", "id int pk", "sub_id int not-null", "wca_id text"]),
        Case("a program", nil, "runs.tokenizer_id", ["runs", "id int pk", "tokenizer_id uuid"]),
        Case(
            "the address of an organisation", .reference, "organizations.email",
            ["organizations", "id int pk", "name text not-null", "email text not-null"],
            ["chapters", "id int pk", "organization_id int not-null -> organizations.id cascade"]),
        Case(
            "the receiver beside the sender of a mail", .reference, "mail_log.to_email",
            ["mail_log", "id int pk", "from_email text", "to_email text", "subject text"]),
        Case(
            "a guest without an account", .owner, "orders.email",
            ["orders", "id int pk", "buyer_id int -> users.id", "email text", "ship_name text"]),
        Case(
            "an address in a list of another user", .owner, "subscribers.email", ["lists", "id int pk", user],
            ["subscribers", "list_id int pk -> lists.id cascade", "email text pk", "first_name text"]),
        Case(
            "the only row about another row", .owner, "originals.comment_id", ["posts", "id int pk", user],
            ["comments", "id int pk", user],
            [
                "originals", "id int pk", "post_id int not-null -> posts.id cascade",
                "comment_id int unique -> comments.id cascade", "body text",
            ]),
        Case(
            "one of many rows about another row", .reference, "originals.comment_id", ["posts", "id int pk", user],
            ["comments", "id int pk", user],
            [
                "originals", "id int pk", "post_id int not-null -> posts.id cascade", "comment_id int -> comments.id cascade",
                "body text",
            ]),
        Case(
            "the only row about another row, with its own user", .reference, "answers.comment_id",
            ["comments", "id int pk", user],
            ["answers", "id int pk", user, "comment_id int unique -> comments.id cascade", "body text"]),
        Case(
            "a part under the key of its whole", .owner, "story_texts.id",
            ["stories", "id int pk", user], ["story_texts", "id int pk", "title text", "body text"]),
    ]

    @Test("PL-1 PL-3 a second user, a maker, a place, a part, a pointer or another app's number does not own a row first", arguments: cases)
    func first(_ one: Case) throws {
        let plan = try Self.draft(one.sketched)
        let question = plan.questions.first { "\($0.table.name).\($0.columns.last ?? "")" == one.column }
        #expect(question?.answers.first == one.first, "\(String(describing: question))")
    }

    @Test("PL-1 PL-3 guests' rows are found by their address only where the user is missing")
    func guests() throws {
        let plan = try Self.draft([
            SchemaSketch.table("orders", "id int pk", "buyer_id int -> users.id", "email text"),
            SchemaSketch.table("letters", "id int pk", "user_id int not-null -> users.id", "email text"),
        ])
        let orders = try #require(plan.questions.first { $0.table.name == "orders" && $0.columns == ["email"] })
        #expect(orders.link?.condition == LinkCondition([.init(column: "buyer_id", values: [])]))
        #expect(PlanFile.text(for: plan).contains("where: {buyer_id: null}"))
        #expect(!plan.questions.contains { $0.table.name == "letters" })
    }

    @Test("PL-1 PL-3 the tenant stays when it only points to a row of the user's, and with a row's own user without a key")
    func tenants() throws {
        let people = SchemaSketch.table("users", "id int pk", "account_id int not-null -> accounts.id", "email text unique")
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                people, SchemaSketch.table("accounts", "id int pk", "payment_id int -> payments.id"),
                SchemaSketch.table("payments", "id int pk", "user_id int not-null -> users.id cascade"),
                SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade"),
                SchemaSketch.table("comments", "id int pk", "post_id int not-null -> posts.id cascade", "user_id int not-null"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(plan.questions.first { $0.columns == ["payment_id"] }?.answers.first == .reference, "\(plan.questions)")
        let post = try #require(plan.questions.first { $0.columns == ["post_id"] }, "\(plan.questions)")
        #expect(post.reason.contains("has its own user"))
        #expect(plan[TableName("comments")]?.rule.erasesRows == false)
    }

    @Test("PL-2 SCH-01 the noun of a key alone names its table's column, unless the noun is a table's; a deed's type is its")
    func pairs() throws {
        let plan = try Self.draft([
            SchemaSketch.table("orgs", "id int pk", "name text"), SchemaSketch.table("accounts", "id int pk", Self.user),
            SchemaSketch.table("bans", "id int pk", "target text not-null", "target_id int not-null"),
            SchemaSketch.table("settings_rows", "id int pk", "scope text not-null", "scope_id int not-null"),
            SchemaSketch.table("assets", "id int pk", "assigned_type text", "assigned_to int"),
            SchemaSketch.table("transactions", "id int pk", "account_id int not-null", "account_type text not-null"),
        ])
        func columns(_ table: String) -> [String]? { plan.questions.first { $0.table.name == table }?.columns }
        #expect(columns("bans") == ["target", "target_id"] && columns("settings_rows") == ["scope", "scope_id"])
        #expect(columns("assets") == ["assigned_type", "assigned_to"] && columns("transactions") == ["account_id"])
        #expect(PolymorphicPair.names(of: TableName("h2h_match_competitors")).first == "H2hMatchCompetitor")
    }

    @Test("PL-3 a composite key's shared tenant says nothing about whose row it is")
    func composite() throws {
        var orders = SchemaSketch.table("orders", "tenant_id int pk", "id int pk", "customer_id int not-null", "courier_id int")
        func key(_ column: String) -> ForeignKey {
            ForeignKey(
                columns: ["tenant_id", column], target: TableName("users"), targetColumns: ["tenant_id", "id"], onDelete: .noAction)
        }
        orders.foreignKeys = [key("customer_id"), key("courier_id")]
        var people = SchemaSketch.table("users", "tenant_id int pk", "id int pk", "email text")
        people.uniqueKeys = [["id"]]
        let schema = Schema(dialect: .postgresql, tables: [people, orders])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let links = plan[TableName("orders")]?.links ?? []
        #expect(links.first { $0.columns.contains("customer_id") }?.isReference == false, "\(links)")
        #expect(links.first { $0.columns.contains("courier_id") }?.isReference == true, "\(links)")
    }
}
