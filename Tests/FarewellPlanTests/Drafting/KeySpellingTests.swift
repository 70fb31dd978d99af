// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns that repeat the key of another table under names without an `_id` at the end.
struct KeySpellingTests {
    private static func draft(_ subject: String, _ tables: SchemaTable...) throws -> Plan { try draft(subject, tables) }

    private static func draft(_ subject: String, _ tables: [SchemaTable]) throws -> Plan {
        let schema = Schema(dialect: .sqlite, tables: tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: subject)).plan
    }

    private static func questions(_ subject: String, _ tables: SchemaTable...) throws -> [String] {
        try draft(subject, tables).questions.compactMap { question in
            question.link.map { "\(question.table).\(question.columns[0]) \($0.target).\($0.targetColumns[0])" }
        }
    }

    @Test("PL-1 SCH-04 keys with id or fk in front of the noun are asked about, at every distance from the user")
    func before() throws {
        let asked = try Self.questions(
            "shop_customer.id_customer", SchemaSketch.table("shop_customer", "id_customer int pk", "email text unique"),
            SchemaSketch.table("shop_cart", "id_cart int pk", "id_customer int", "id_lang int"),
            SchemaSketch.table("shop_cart_product", "id_cart int pk", "id_product int pk", "quantity int"),
            SchemaSketch.table("shop_lang", "id_lang int pk", "name text"),
            SchemaSketch.table("invoice", "rowid int pk", "fk_customer int not-null"),
            SchemaSketch.table("invoice_line", "rowid int pk", "fk_invoice int not-null"))
        #expect(asked.contains("shop_cart.id_customer shop_customer.id_customer"))
        #expect(asked.contains("shop_cart_product.id_cart shop_cart.id_cart"))
        #expect(asked.contains("invoice.fk_customer shop_customer.id_customer"))
        #expect(asked.contains("invoice_line.fk_invoice invoice.rowid"))
        #expect(!asked.contains { $0.contains("lang") || $0.contains("product ") }, "\(asked)")
    }

    @Test("PL-1 SCH-04 keys in one word with the noun of a table are asked about; words that only look alike are not")
    func inOneWord() throws {
        let asked = try Self.questions(
            "user.userid", SchemaSketch.table("user", "userid int pk", "username text unique"),
            SchemaSketch.table("thread", "threadid int pk", "userid int", "title text", "paid int", "valid int"),
            SchemaSketch.table("post", "postid int pk", "threadid int", "userid int", "visible int"),
            SchemaSketch.table("attachment", "attachmentid int pk", "postid int", "filename text"),
            SchemaSketch.table("pa", "id int pk", "userid int"))
        #expect(asked.contains("post.threadid thread.threadid"))
        #expect(asked.contains("attachment.postid post.postid"))
        #expect(!asked.contains { $0.contains("paid") || $0.contains(".valid") || $0.contains("visible") }, "\(asked)")
    }

    @Test("PL-1 SCH-04 a column with the very name of another table's key is asked about, whatever the table is called")
    func sameName() throws {
        let asked = try Self.questions(
            "user.login", SchemaSketch.table("user", "login text pk", "email text unique"),
            SchemaSketch.table("site", "idsite int pk", "creator_login text", "name text"),
            SchemaSketch.table("goal", "idsite int pk", "idgoal int pk", "name text"),
            SchemaSketch.table("log_visit", "idvisit int pk", "idsite int not-null", "config_browser text"),
            SchemaSketch.table("log_conversion", "idvisit int pk", "idgoal int pk", "url text"))
        #expect(asked.contains("site.creator_login user.login"))
        for link in ["goal.idsite site.idsite", "log_visit.idsite site.idsite", "log_conversion.idvisit log_visit.idvisit"] {
            #expect(asked.contains(link), "\(link): \(asked)")
        }
    }

    @Test("PL-1 SCH-01 a name that means a table of the same part of an app is no link to the users")
    func samePart() throws {
        let asked = try Self.questions(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("oauth_clients", "id int pk", "user_id int", "name text"),
            SchemaSketch.table("oauth_access_tokens", "id text pk", "user_id int", "client_id int not-null"),
            SchemaSketch.table("orders", "id int pk", "client_id int"))
        #expect(asked.contains("oauth_access_tokens.client_id oauth_clients.id"))
        #expect(!asked.contains("oauth_access_tokens.client_id users.id"))
        #expect(asked.contains("oauth_clients.user_id users.id"))
        #expect(asked.contains("orders.client_id users.id"))
    }

    @Test("PL-1 PL-3 where no row of such a table is a user's, the users are asked about, with not personal first")
    func samePartWithoutUsers() throws {
        let plan = try Self.draft(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("oauth_clients", "id int pk", "name text"),
            SchemaSketch.table("oauth_tokens", "id text pk", "client_id int not-null", "value text"))
        let question = plan.questions.first { $0.columns == ["client_id"] }
        #expect(question?.link?.target.name == "users" && question?.answers == [.unrelated, .owner, .reference])
    }

    @Test("PL-9 lists that an app keeps for all users are no owned parents, although their names begin like a table of users' rows")
    func lists() throws {
        let asked = try Self.questions(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("account_types", "id int pk", "type text unique"),
            SchemaSketch.table("account_details", "id int pk", "notes text"),
            SchemaSketch.table(
                "accounts", "id int pk", "user_id int not-null -> users.id cascade",
                "account_type_id int not-null -> account_types.id cascade", "account_detail_id int -> account_details.id"))
        #expect(!asked.contains { $0.hasPrefix("account_types") }, "\(asked)")
        #expect(asked.contains { $0.hasPrefix("account_details.id") }, "\(asked)")
    }

    @Test("PL-1 SCH-01 a number of a thing is first offered as not personal, unless the key is called a number too")
    func numbers() throws {
        let plan = try Self.draft(
            "customers.id", SchemaSketch.table("customers", "id int pk", "email text unique"),
            SchemaSketch.table("versions", "id int pk", "customer_id int", "item text"),
            SchemaSketch.table("contracts", "contract_no int pk", "customer_id int not-null -> customers.id cascade"),
            SchemaSketch.table("notes", "id int pk", "version_number int", "contract_number int"))
        func first(_ column: String) -> PlanQuestion.Answer? { plan.questions.first { $0.columns == [column] }?.answers.first }
        #expect(first("version_number") == .unrelated)
        #expect(first("contract_number") == .owner)
    }

    @Test("PL-1 SCH-01 the name of another table's key means the table that bears the name, and users rather than their profiles")
    func bearers() throws {
        let asked = try Self.questions(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("orders", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("invoices", "order_id int pk", "sum int"), SchemaSketch.table("shipments", "id int pk", "order_id int"),
            SchemaSketch.table("profiles", "user_id int pk", "bio text"), SchemaSketch.table("posts", "id int pk", "user_id int"),
            SchemaSketch.table("group_users", "id int pk", "user_id int"), SchemaSketch.table("group_posts", "id int pk", "user_id int"))
        #expect(asked.contains("shipments.order_id orders.id"), "\(asked)")
        for table in ["posts", "profiles", "group_posts"] { #expect(asked.contains("\(table).user_id users.id"), "\(asked)") }
    }

    @Test("PL-1 SCH-01 users under another name are the users also beside a table of members of one part of the app")
    func prefixed() throws {
        let asked = try Self.questions(
            "app_users.id", SchemaSketch.table("app_users", "id int pk", "email text unique"),
            SchemaSketch.table("group_users", "id int pk", "app_user_id int not-null -> app_users.id cascade"),
            SchemaSketch.table("group_posts", "id int pk", "user_id int"))
        #expect(asked.contains("group_posts.user_id app_users.id"), "\(asked)")
    }

    @Test("PL-1 SCH-01 a table between users and things has no key that another column repeats")
    func between() throws {
        let asked = try Self.questions(
            "users.id", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("course_students", "course_id int pk", "student_id int pk -> users.id cascade"),
            SchemaSketch.table("course_grades", "id int pk", "student_id int"),
            SchemaSketch.table("claims", "id int pk", "user_id int not-null -> users.id cascade", "claim_number int unique"),
            SchemaSketch.table("claim_photos", "id int pk", "claim_number int"))
        #expect(asked.contains("course_grades.student_id users.id"), "\(asked)")
        #expect(asked.contains("claim_photos.claim_number claims.claim_number"), "\(asked)")
    }

    @Test("PL-1 SCH-04 keys of users that are glued to other words are asked about; words that only end like them are not")
    func glued() throws {
        let plan = try Self.draft(
            "users.userid", SchemaSketch.table("users", "userid int pk", "email text unique"),
            SchemaSketch.table(
                "posts", "postid int pk", "postuserid int", "lasteditoruserid int", "valid int", "paid int", "void int",
                "android int", "fluid int", "grid int", "guid text", "uuid text"),
            SchemaSketch.table("messages", "messageid int pk", "fromuserid int", "touserid int", "useridfrom int"),
            SchemaSketch.table("topics", "topicid int pk", "ownerid int", "lastpostid int", "creatoruserid int"))
        let asked = plan.questions.compactMap { question in
            question.link.map { "\(question.table).\(question.columns[0]) \($0.target) \(question.answers[0].rawValue)" }
        }
        #expect(
            asked.sorted() == [
                "messages.fromuserid users owner", "messages.touserid users owner", "messages.useridfrom users owner",
                "posts.lasteditoruserid users reference", "posts.postuserid users owner", "topics.creatoruserid users owner",
                "topics.lastpostid posts reference", "topics.ownerid users owner",
            ])
    }

    @Test(
        "SCH-04 a glued name is divided into words, of which the last is a noun for a person or a table",
        arguments: [
            ("postuserid", "post user"), ("touserid", "to user"), ("creatoruserid", "creator user"), ("ownerid", "owner"),
            ("lasteditoruserid", "last editor user"), ("createdbyuserid", "created by user"), ("useridto", "to user"),
            ("parentthreadid", "parent thread"), ("authoruid", "author"), ("touid", "to"), ("assignedtouserids", "assigned to user"),
            ("lastposterid", "last poster"), ("threadowneruuid", "thread owner"),
        ])
    func divided(_ column: String, _ words: String) {
        let name = KeyName(column, isTable: { $0 == "thread" })
        #expect(name.isKey && name.words.joined(separator: " ") == words, "\(name.words)")
    }

    @Test(
        "SCH-01 words that end like keys are none, also beside a table whose name they begin with",
        arguments: [
            "valid", "invalid", "paid", "unpaid", "void", "android", "fluid", "guid", "uuid", "grid", "hybrid", "solid", "rapid",
            "formatid", "totalid", "placid", "overbid",
        ])
    func words(_ column: String) {
        let name = KeyName(column, isTable: { ["val", "pa", "flu", "rap", "sol", "mat", "user"].contains($0) })
        #expect(!name.isKey && !name.mayHoldKey, "\(name.words)")
    }

    @Test("SCH-04 a noun that ends like the word for a number is none", arguments: ["fk_alumno", "id_turno", "terreno_id"])
    func nouns(_ column: String) { #expect(!KeyName(column).isNumber) }
}
