// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// A profile that the user's own row refers to, and that other rows need: it is the subject, no thing of the user's row.
struct ProfileParentTests {
    private static let posts = SchemaSketch.table("posts", "id int pk", "profile_id int not-null -> profiles.id cascade")
    private static let profiles = SchemaSketch.table("profiles", "id int pk", "handle text", "bio text")
    private static let users = SchemaSketch.table(
        "users", "id int pk", "email text unique", "profile_id int unique not-null -> profiles.id cascade")

    private static func draft(_ subject: String = "users", _ tables: SchemaTable...) throws -> Plan {
        let key = ColumnName(TableName(subject), "id")
        return try PlanDerivation.draft(from: Schema(dialect: .sqlite, tables: tables), subject: key).plan
    }

    private static func question(_ table: String, in plan: Plan) throws -> PlanQuestion {
        try #require(plan.questions.first { $0.table.name == table && $0.columns == ["id"] }, "\(plan.questions)")
    }

    @Test("PL-1 SCH-08 a profile that posts need is not offered as owned, and the question names it as the subject")
    func profile() throws {
        let alone = try Self.question("profiles", in: Self.draft("users", Self.users, Self.profiles))
        #expect(alone.answers == [.owner, .unrelated])
        let needed = try Self.question("profiles", in: Self.draft("users", Self.users, Self.profiles, Self.posts))
        #expect(needed.answers == [.unrelated] && needed.link == nil, "\(needed)")
        #expect(needed.reason.contains("posts") && needed.reason.contains("--subject profiles.id"), "\(needed.reason)")
        let plan = try Self.draft("profiles", Self.users, Self.profiles, Self.posts)
        for table in ["users", "profiles", "posts"] { #expect(plan[TableName(table)]?.rule.erasesRows == true, "\(table)") }
    }

    @Test("PL-1 SCH-08 an account with a user name is asked about although its key in users is not unique; a tenant is not")
    func account() throws {
        let users = SchemaSketch.table(
            "users", "id int pk", "email text unique", "account_id int not-null -> accounts.id cascade",
            "tenant_id int not-null -> tenants.id", "plan_id int -> plans.id")
        let plan = try Self.draft(
            "users", users, SchemaSketch.table("accounts", "id int pk", "username text"),
            SchemaSketch.table("tenants", "id int pk", "handle text"), SchemaSketch.table("plans", "id int pk", "handle text"),
            SchemaSketch.table("statuses", "id int pk", "account_id int not-null -> accounts.id cascade"),
            SchemaSketch.table("seats", "id int pk", "tenant_id int not-null -> tenants.id", "plan_id int not-null -> plans.id"))
        #expect(try Self.question("accounts", in: plan).reason.contains("--subject accounts.id"))
        #expect(!plan.questions.contains { ["tenants", "plans"].contains($0.table.name) }, "\(plan.questions)")
    }

    /// The findings about a plan whose subject is a user.
    private static func findings(_ entries: String, _ tables: SchemaTable...) throws -> [Finding] {
        let text = "farewell: 1\nsubject: {table: users, key: id}\ntables:\n\(entries)"
        let plan = try PlanFile.read(Array(text.utf8), path: "farewell.yaml")
        return PlanCheck.findings(plan, Schema(dialect: .sqlite, tables: tables))
    }

    private static func codes(_ posts: String) throws -> [String] {
        let entries = """
              posts:
                \(posts)
              profiles:
                rule: erase
                links:
                  - {from: id, to: users.profile_id, parent: owned}
                columns: [id, handle, bio]
              users:
                rule: erase
                columns: [id, email, profile_id]
            """
        return try findings(entries, users, profiles, self.posts).filter { $0.severity == .error }.map(\.code.rawValue)
    }

    @Test("PL-3 SCH-08 an owned profile that posts keep is an error, unless the plan erases the posts or says that they do not matter")
    func kept() throws {
        #expect(try Self.codes("rule: not personal\n    columns: [id, profile_id]") == ["link.owned-parent-kept"])
        #expect(try Self.codes("rule: not personal\n    columns: [id, {profile_id: not personal}]") == [])
        let erased = "rule: erase\n    links: [{from: profile_id, to: profiles.id, key: cascade, role: owner}]"
        #expect(try Self.codes("\(erased)\n    columns: [id, profile_id]") == [])
    }

    /// Reports belong to a profile by one key, and refer to another profile by `assigned_id`.
    ///
    /// - Parameters:
    ///   - key: The schema's words about `assigned_id`.
    ///   - link: A further link of reports.
    private static func circles(_ key: String, _ link: String? = nil) throws -> [Finding] {
        let entries = """
              profiles:
                rule: erase
                links:
                  - {from: id, to: users.profile_id, parent: owned}
                columns: [id, handle, bio]
              reports:
                rule: erase
                links:
                  - {from: profile_id, to: profiles.id, key: cascade, role: owner}\(link.map { "\n      - \($0)" } ?? "")
                columns: [id, profile_id, assigned_id]
              users:
                rule: erase
                columns: [id, email, profile_id]
            """
        let reports = SchemaSketch.table(
            "reports", "id int pk", "profile_id int not-null -> profiles.id cascade", "assigned_id int \(key)")
        return try findings(entries, users, profiles, reports).filter { $0.severity == .error }
    }

    @Test("PL-9 PL-3 SCH-08 a circle of an owned parent names the link that ends it, and that link does end it")
    func circle() throws {
        let keys = ["-> profiles.id set null", "-> profiles.id", "not-null -> profiles.id", "not-null unique -> profiles.id"]
        for key in keys {
            let found = try Self.circles(key)
            let finding = try #require(found.first { $0.code == "link.owned-parent-circle" }, "\(key) \(found)")
            let remedy = try #require(finding.remedy)
            #expect(remedy.contains("role: \(key.contains("unique") ? "owner" : "reference")"), "\(remedy)")
            let start = try #require(remedy.firstIndex(of: "{")), end = try #require(remedy.firstIndex(of: "}"))
            var link = String(remedy[start..<end])
            if remedy.contains("`set:`") { link += ", set: 0" }
            #expect(try Self.circles(key, link + "}").map(\.code.rawValue) == [], "\(remedy)")
        }
    }

    private static func kept(_ column: String) throws -> [Finding] {
        let entries = """
              files:
                rule: erase
                links:
                  - {from: id, to: users.avatar_id, parent: owned}
                columns: [id, data]
              product_images:
                rule: not personal
                columns: [id, \(column)]
              users:
                rule: erase
                columns: [id, email, avatar_id]
            """
        return try findings(entries, avatars, images, files).filter { $0.code == "link.owned-parent-kept" }
    }

    private static let avatars = SchemaSketch.table(
        "users", "id int pk", "email text unique", "avatar_id int unique -> files.id")
    private static let images = SchemaSketch.table("product_images", "id int pk", "file_id int not-null -> files.id")
    private static let files = SchemaSketch.table("files", "id int pk", "data text")

    @Test("PL-3 SCH-08 an owned file that images of products may keep is a warning, which says what stays")
    func things() throws {
        let finding = try #require(try Self.kept("file_id").first)
        #expect(finding.severity == .warning)
        #expect(finding.message.hasPrefix("Rows of “product_images” that need rows here (file_id) keep them"), "\(finding)")
        #expect(finding.remedy?.contains("--subject") == false)
        #expect(try Self.kept("{file_id: not personal}").isEmpty)
    }

    @Test("PL-3 SCH-08 the smaller copies of a file keep it: a warning says so, also where several rows may share the file")
    func parts() throws {
        let entries = """
              attachments:
                rule: erase
                links:
                  - {from: user_id, to: users.id, key: cascade}
                columns: [id, user_id, file_id]
              copies:
                rule: not personal
                columns: [id, file_id, digest]
              files:
                rule: erase
                links:
                  - {from: id, to: attachments.file_id, parent: owned}
                columns: [id, data]
              users:
                rule: erase
                columns: [id, email]
            """
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let attachments = SchemaSketch.table(
            "attachments", "id int pk", "user_id int not-null -> users.id cascade", "file_id int not-null -> files.id")
        var copies = SchemaSketch.table("copies", "id int pk", "file_id int not-null -> files.id", "digest text not-null")
        // Rows that only show a file, and are nothing of its own, are not its parts.
        let keys: [[[String]]] = [[], [["file_id", "digest"]]]
        for unique in keys {
            copies.uniqueKeys = unique
            let found = try Self.findings(entries, users, attachments, copies, Self.files)
                .filter { $0.code == "link.owned-parent-kept" }
            let expected: [Finding.Severity] = unique.isEmpty ? [] : [.warning]
            #expect(found.map(\.severity) == expected, "\(found)")
            #expect(found.allSatisfy { $0.message.hasPrefix("Rows of “copies” that need rows here (file_id) keep them") })
        }
    }

    @Test("PL-1 SCH-08 an avatar in a table of files is asked about as before, although images of products need files")
    func avatar() throws {
        let plan = try Self.draft("users", Self.avatars, Self.images, Self.files)
        #expect(try Self.question("files", in: plan).answers == [.owner, .unrelated])
    }

    @Test("PL-3 rows with a name of a person, a user name or an address describe a person; files and avatars do not")
    func describing() {
        for column in ["username", "first_name", "surname", "contact_email", "phone", "home_address", "street"] {
            let table = SchemaSketch.table("files", "id int pk", "\(column) text")
            #expect(OwnedParents.describesPerson(table), "\(column)")
        }
        for column in ["display_name", "file_name", "ip_address", "handle", "name"] {
            let table = SchemaSketch.table("files", "id int pk", "\(column) text")
            #expect(!OwnedParents.describesPerson(table), "\(column)")
        }
        #expect(OwnedParents.describesPerson(SchemaSketch.table("profiles", "id int pk", "handle text")))
    }

    @Test("PL-1 PL-3 a key that points at the last of many rows owns no row: reference comes first, and a user is asked about")
    func pointers() throws {
        let plan = try Self.draft(
            "users", SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("messages", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("threads", "id int pk", "last_message_id int"),
            SchemaSketch.table("rooms", "id int pk", "last_speaker_id int not-null -> users.id"),
            SchemaSketch.table("boards", "id int pk", "last_user_id int"))
        for place in [("threads", "last_message_id"), ("rooms", "last_speaker_id"), ("boards", "last_user_id")] {
            let question = plan.questions.first { $0.table.name == place.0 && $0.columns == [place.1] }
            #expect(question?.answers.first == .reference, "\(place) \(String(describing: question))")
        }
        #expect(plan[TableName("rooms")]?.rule.erasesRows != true)
        let names = SchemaSketch.table("people", "id int pk", "last_name text", "first_name text")
        #expect(try !Self.draft("users", Self.users, Self.profiles, names).questions.contains { $0.columns == ["last_name"] })
    }
}
