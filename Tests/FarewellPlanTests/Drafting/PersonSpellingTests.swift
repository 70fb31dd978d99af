// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns that name a user without the ending of a key, and columns with such an ending that name none.
struct PersonSpellingTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func plan(_ tables: SchemaTable...) throws -> Plan {
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    /// `table.column`, of the questions about a link to users.
    private static func asked(_ plan: Plan) -> [String] {
        plan.questions.filter { $0.link?.target.name == "users" }.map { "\($0.table.name).\($0.columns[0])" }.sorted()
    }

    @Test("PL-7 SCH-04 a word for a user behind the table's own noun, or behind the letters of its columns, is a question")
    func prefixes() throws {
        let plan = try Self.plan(
            SchemaSketch.table("wp_posts", "post_id int pk", "post_author int not-null", "post_status int", "post_edit_user int"),
            SchemaSketch.table("wp_links", "link_id int pk", "link_owner int", "link_name text", "link_rating int"),
            SchemaSketch.table("watchlist", "wl_id int pk", "wl_user int", "wl_namespace int", "wl_title text"),
            SchemaSketch.table("user_groups", "ug_user int pk", "ug_group text pk"),
            SchemaSketch.table("topics", "topic_id int pk", "topic_poster int", "topic_poster_name text", "user_count int"),
            SchemaSketch.table("files", "id int pk", "max_user int", "render_owner int", "link_owner text"))
        #expect(
            Self.asked(plan) == [
                "topics.topic_poster", "user_groups.ug_user", "watchlist.wl_user", "wp_links.link_owner", "wp_posts.post_author",
                "wp_posts.post_edit_user",
            ])
        #expect(plan.tables.flatMap(\.links).isEmpty, "a name alone is no link")
        let editor = plan.questions.first { $0.columns == ["post_edit_user"] }
        #expect(editor?.answers.first == .reference)
    }

    @Test("PL-7 SCH-04 letters of the table's own name before a word for a user, and the two sides of a pair, are read; flags are not")
    func letters() throws {
        let plan = try Self.plan(
            SchemaSketch.table("bot_passwords", "bp_user int", "token text"), SchemaSketch.table("blocks", "bt_user int"),
            SchemaSketch.table("issues", "id int pk", "is_owner int"),
            SchemaSketch.table("matches", "id int pk", "user_a int", "user_b int"),
            SchemaSketch.table("rentals", "id int pk", "renter int", "occupant int", "giver_count int"))
        #expect(
            Self.asked(plan) == [
                "blocks.bt_user", "bot_passwords.bp_user", "matches.user_a", "matches.user_b", "rentals.occupant", "rentals.renter",
            ])
        let guess = plan.questions.first { $0.table.name == "blocks" }
        #expect(guess?.answers.first == .unrelated, "letters of another table say nothing")
    }

    @Test(
        "PL-7 SCH-04 a deed behind the word for a user, a key before one and a verb with a particle are read; counts and flags are not",
        arguments: [
            ("usermodified", PersonNames.Role.handler), ("user_created", .maker), ("user_updated", .handler),
            ("uid_owner", .owner), ("uid_initiator", .owner), ("checkedout_by", .handler), ("lockedby", .handler),
        ] as [(String, PersonNames.Role)])
    func spellings(_ name: String, _ role: PersonNames.Role) throws {
        let table = SchemaSketch.table("rows", "id int pk", "\(name) int", "body text")
        #expect(PersonSpelling.role(name, in: table) == role)
        #expect(try Self.asked(Self.plan(table)) == ["rows.\(name)"])
        let boolean = SchemaSketch.table("rows", "id int pk", "\(name) bool", "body text")
        #expect(try Self.asked(Self.plan(boolean)).isEmpty, "the type holds no key")
    }

    @Test(
        "PL-7 SCH-04 names that only look like these are none",
        arguments: [
            "user_count", "user_verified", "username", "userid", "nearby", "standby", "sortedby", "post_status", "uid_number",
            "row_count", "user_group", "is_owner",
        ])
    func others(_ name: String) {
        #expect(PersonSpelling.role(name, in: SchemaSketch.table("rows", "id int pk", "\(name) int")) == nil)
    }

    @Test("PL-1 SCH-04 plain names are read where keys are texts, also beside a table with one row for each user; a flag is no key")
    func texts() throws {
        let users = SchemaSketch.table("users", "name text pk", "admin int not-null")
        var flagged = users
        flagged.columns[1].type = "smallint"
        let settings = SchemaSketch.table("settings", "user_id text pk -> users.name cascade")
        let rooms = SchemaSketch.table("rooms", "id int pk", "creator text", "title text")
        let subject = ColumnName(TableName("users"), "name")
        let plan = try PlanDerivation.draft(
            from: Schema(dialect: .postgresql, tables: [flagged, settings, rooms]), subject: subject
        ).plan
        #expect(Self.asked(plan) == ["rooms.creator"])
        let posts = SchemaSketch.table("posts", "id int pk", "user_id text not-null -> users.name cascade")
        let declared = try PlanDerivation.draft(
            from: Schema(dialect: .postgresql, tables: [flagged, settings, rooms, posts]), subject: subject
        ).plan
        #expect(Self.asked(declared).isEmpty, "keys of the database say what leads to users")
    }

    @Test("PL-1 SCH-04 nouns for doers and sellers are asked about", arguments: ["doer_id", "salesperson_id"])
    func nouns(_ name: String) throws {
        #expect(try Self.asked(Self.plan(SchemaSketch.table("rows", "id int pk", "\(name) int"))) == ["rows.\(name)"])
    }

    @Test("PL-1 SCH-04 keys of settings and of services are no links: a text beside a value or a secret, or a short one")
    func keys() throws {
        var bounded = SchemaSketch.table("api_keys", "id int pk", "buyer_key text", "user_key text", "owner_key text")
        bounded.columns[1].maximumLength = 64
        bounded.columns[2].maximumLength = 64
        let plan = try Self.plan(
            SchemaSketch.table("metas", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("postmeta", "id int pk", "meta_key text", "meta_value text"),
            SchemaSketch.table("apps", "id int pk", "consumer_key text", "consumer_secret text"), bounded)
        #expect(!plan.questions.contains { ["postmeta", "apps"].contains($0.table.name) }, "\(plan.questions)")
        #expect(Self.asked(plan) == ["api_keys.owner_key", "api_keys.user_key"])
    }

    @Test("PL-1 SCH-01 a column that identifies its own row is no link: one that keys lead to, or that the database numbers")
    func own() throws {
        var lookup = SchemaSketch.table("customer_lookup", "customer_id int pk", "user_id int", "city text")
        lookup.columns[0].defaultExpression = "nextval('customer_lookup_customer_id_seq'::regclass)"
        let plan = try Self.plan(
            SchemaSketch.table("apps", "id int pk", "client_id int unique not-null", "name text"),
            SchemaSketch.table("tokens", "id int pk", "client_id int not-null -> apps.client_id", "user_id int not-null"),
            SchemaSketch.table("wallets", "id int pk", "owner_id int unique not-null"),
            SchemaSketch.table("coins", "id int pk", "wallet_id int not-null -> wallets.owner_id"), lookup,
            SchemaSketch.table("order_stats", "order_id int pk", "customer_id int not-null"))
        #expect(Self.asked(plan) == ["customer_lookup.user_id", "tokens.user_id", "wallets.owner_id"])
        let customer = plan.questions.first { $0.table.name == "order_stats" && $0.columns == ["customer_id"] }
        #expect(customer?.link?.target.name == "customer_lookup", "\(String(describing: customer))")
    }

    @Test("PL-1 SCH-01 PL-3 words for clients, guests and a number of the users' own at a vendor offer not personal first")
    func far() throws {
        var unowned = SchemaSketch.table("customer_lookup", "customer_id int pk", "city text")
        unowned.columns[0].defaultExpression = "nextval('customers_seq'::regclass)"
        let plan = try Self.plan(
            SchemaSketch.table("invoices", "id int pk", "client_id int", "guest_id int", "user_id int"),
            SchemaSketch.table("orders", "id int pk", "customer_id int"), unowned)
        func first(_ column: String) -> PlanQuestion.Answer? { plan.questions.first { $0.columns == [column] }?.answers.first }
        for column in ["client_id", "guest_id", "customer_id"] { #expect(first(column) == .unrelated, "\(column)") }
        #expect(first("user_id") == .owner)
        let bookings = try Self.plan(SchemaSketch.table("bookings", "id int pk", "guest_id int", "nights int"))
        #expect(bookings.questions.map { $0.answers.first } == [.owner], "no other column names a user")
        let clients = Schema(
            dialect: .sqlite,
            tables: [SchemaSketch.table("clients", "id int pk", "email text"), SchemaSketch.table("bills", "id int pk", "client_id int")])
        let own = try PlanDerivation.draft(from: clients, subject: ColumnName(TableName("clients"), "id")).plan
        #expect(own.questions.map { $0.answers.first } == [.owner])
        let vendor = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id text pk", "stripe_customer_id text"),
                SchemaSketch.table("plans", "id int pk", "stripe_customer_id text unique", "state text"),
            ])
        let subscribed = try PlanDerivation.draft(from: vendor, subject: ColumnName(TableName("users"), "id")).plan
        #expect(subscribed.questions.allSatisfy { $0.answers.first == .unrelated }, "\(subscribed.questions)")
    }
}
