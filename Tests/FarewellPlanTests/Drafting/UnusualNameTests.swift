// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys to users under names that only some frameworks and authors write.
struct UnusualNameTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func plan(_ subject: String, _ tables: [SchemaTable], _ dialect: SQLDialect = .sqlite) throws -> Plan {
        try PlanDerivation.draft(from: Schema(dialect: dialect, tables: tables), subject: ColumnName(parsing: subject)).plan
    }

    /// `table.column -> target first answer`.
    private static func asked(_ plan: Plan) -> [String] {
        plan.questions.compactMap { question in
            question.link.map { "\(question.table).\(question.columns[0]) -> \($0.target) \(question.answers[0].rawValue)" }
        }
    }

    @Test(
        "PL-1 PL-7 endings of keys in the middle of a name, verbs before uid and words for a superior or a principal are asked about",
        arguments: [
            ("user_id_from", "owner"), ("userIdTo", "owner"), ("user_one_id", "owner"), ("player_two_id", "owner"),
            ("create_uid", "owner"), ("write_uid", "reference"), ("reports_to", "reference"), ("ReportsTo", "reference"),
            ("on_behalf_of", "owner"), ("on_behalf_of_id", "owner"), ("idowner", "owner"), ("user_ptr_id", "owner"),
            ("who_created", "owner"), ("changed_who", "reference"), ("entry_by", "owner"), ("input_by", "owner"),
        ])
    func spellings(_ column: String, _ first: String) throws {
        let things = SchemaSketch.table("things", "id int pk", "\(column) int", "body text")
        #expect(try Self.asked(Self.plan("users.id", [Self.users, things])) == ["things.\(column) -> users \(first)"])
        let flag = SchemaSketch.table("things", "id int pk", "\(column) bool", "body text")
        #expect(try Self.plan("users.id", [Self.users, flag]).questions.isEmpty)
    }

    @Test(
        "PL-1 PL-7 numbers of things, secrets and words that only look alike are no users",
        arguments: [
            "comment_uid int", "request_uid int", "account_from int", "year_to int", "who_can_see int", "guarantee int",
            "assist int", "pedigree int", "identity int", "idempotency int", "encrypted_user_key text", "checklist int",
        ])
    func others(_ column: String) throws {
        let things = SchemaSketch.table("things", "id int pk", column, "body text")
        let asked = try Self.asked(Self.plan("users.id", [Self.users, things]))
        #expect(asked.isEmpty, "\(asked)")
    }

    @Test(
        "PL-1 PL-7 nouns for people by their endings are asked about with and without the ending of a key",
        arguments: ["columnist", "artist", "pilot", "neighbour", "panelist", "chairman"])
    func people(_ noun: String) throws {
        for column in [noun, "\(noun)_id"] {
            let things = SchemaSketch.table("things", "id int pk", "\(column) int", "body text")
            let asked = try Self.asked(Self.plan("users.id", [Self.users, things]))
            #expect(asked == ["things.\(column) -> users not personal"], "a small number may be anything")
        }
        // A device of a network has neighbors as well.
        let hosts = SchemaSketch.table("hosts", "id int pk", "neighbor_id int", "title text")
        #expect(try Self.asked(Self.plan("users.id", [Self.users, hosts])) == ["hosts.neighbor_id -> users not personal"])
        let bare = SchemaSketch.table("things", "id int pk", "interviewee int", "seconder int", "committee int", "counter int")
        let asked = try Self.asked(Self.plan("users.id", [Self.users, bare]))
        #expect(asked == ["things.interviewee -> users not personal", "things.seconder -> users not personal"])
        // A table with this name is meant rather than users.
        let named = SchemaSketch.table("\(noun)s", "id int pk", "title text")
        let things = SchemaSketch.table("things", "id int pk", "\(noun)_id int", "new_\(noun) int", "body text")
        #expect(try Self.plan("users.id", [Self.users, named, things]).questions.isEmpty)
    }

    @Test("PL-1 PL-7 a participle beside the noun for the doer is the other user, and alone it may be anything")
    func participles() throws {
        let visits = SchemaSketch.table("visits", "id uuid pk", "impersonator_id uuid not-null", "impersonated_id uuid not-null")
        let marks = SchemaSketch.table("marks", "id uuid pk", "rater_id int", "rated_id int", "scaled_id int")
        let users = SchemaSketch.table("users", "id uuid pk", "email text unique")
        let asked = try Self.asked(Self.plan("users.id", [users, visits, marks], .postgresql))
        #expect(asked.contains { $0.hasPrefix("visits.impersonated_id -> users") }, "\(asked)")
        let numbered = try Self.asked(Self.plan("users.id", [Self.users, marks]))
        #expect(numbered.contains("marks.rated_id -> users not personal"), "\(numbered)")
        #expect(!(asked + numbered).contains { $0.contains("scaled_id") }, "\(numbered)")
    }

    @Test("PL-1 PL-7 the noun of the users' own table ends names as `user` does, in columns of the type of its key")
    func ownNoun() throws {
        let editors = SchemaSketch.table("editor", "id int pk", "name text unique")
        let subscriptions = SchemaSketch.table(
            "subscriptions", "id int pk", "editor int not-null", "subscribed_editor int not-null", "max_editor int",
            "text_editor text", "is_editor bool")
        let asked = try Self.asked(Self.plan("editor.id", [editors, subscriptions]))
        let columns = asked.map { $0.split(separator: " ")[0] }
        #expect(columns == ["subscriptions.editor", "subscriptions.subscribed_editor"], "\(asked)")
    }

    @Test("PL-1 PL-7 a side under a noun of another table of people means that table, not the users")
    func sides() throws {
        let players = SchemaSketch.table("players", "id int pk", "user_id int not-null -> users.id cascade")
        let games = SchemaSketch.table("games", "id int pk", "player_a int", "player_two_id int", "body text")
        let asked = try Self.asked(Self.plan("users.id", [Self.users, players, games])).filter { $0.hasPrefix("games") }
        #expect(asked.map { $0.split(separator: " ")[2] } == ["players", "players"], "\(asked)")
    }

    @Test("PL-1 PL-7 a creator is a person, however many tables name the row of `local_user` by which persons sign in")
    func usersOfPersons() throws {
        let persons = SchemaSketch.table("person", "id int pk", "name text")
        let users = SchemaSketch.table("local_user", "id int pk", "person_id int unique not-null -> person.id cascade", "email text")
        let others = ["login_token", "oauth_account", "password_reset"].map {
            SchemaSketch.table($0, "id int pk", "user_id int not-null", "local_user_id int")
        }
        let posts = SchemaSketch.table("post", "id int pk", "creator_id int not-null", "body text")
        let plan = try Self.plan("person.id", [persons, users, posts] + others)
        let question = try #require(plan.questions.first { $0.columns == ["creator_id"] }, "\(plan.questions)")
        #expect(question.link?.target == TableName("person"), "\(question)")
        // The noun of the accounts means these.
        let token = try #require(plan.questions.first { $0.table == TableName("login_token") && $0.columns == ["user_id"] })
        #expect(token.link?.target == TableName("local_user") && token.reason.contains("may also refer to "), "\(token)")
    }

    @Test("PL-1 PL-7 in rows that are known by two users, the noun of the table names the second, here and elsewhere")
    func secondUser() throws {
        var pairs = SchemaSketch.table("emergency_contacts", "user_id int not-null", "emergency_contact_id int not-null", "state text")
        pairs.uniqueKeys = [["user_id", "emergency_contact_id"]]
        let calls = SchemaSketch.table("recoveries", "id int pk", "user_id int not-null", "emergency_contact_id int not-null")
        let asked = try Self.asked(Self.plan("users.id", [Self.users, pairs, calls]))
        let expected: Set = [
            "emergency_contacts.user_id -> users owner", "emergency_contacts.emergency_contact_id -> users not personal",
            "recoveries.user_id -> users owner", "recoveries.emergency_contact_id -> users not personal",
        ]
        #expect(Set(asked) == expected, "\(asked)")
        // No user gives numbers to friends.
        for noun in ["friend", "follower", "block"] {
            var others = SchemaSketch.table("\(noun)s", "id int pk", "user_id int not-null", "\(noun)_id int not-null")
            others.uniqueKeys = [["user_id", "\(noun)_id"]]
            let certain = try Self.asked(Self.plan("users.id", [Self.users, others]))
            #expect(certain.contains("\(noun)s.\(noun)_id -> users owner"), "\(certain)")
        }
        // Without such a key, it is the row's own number.
        pairs.uniqueKeys = [["emergency_contact_id"]]
        let own = try Self.asked(Self.plan("users.id", [Self.users, pairs, calls]))
        #expect(!own.contains { $0.contains("emergency_contact_id -> users") }, "\(own)")
    }

    @Test("PL-1 PL-7 Prisma's tables between two models name users by the order of the models, or perhaps in either column")
    func joinTables() throws {
        let users = SchemaSketch.table("User", "id text pk", "email text unique")
        let posts = SchemaSketch.table("Post", "id text pk", "title text")
        let tags = SchemaSketch.table("Tag", "id text pk", "title text")
        let names = ["_PostToUser", "_PostToTag", "_Watchlist"]
        let joins = names.map { name in SchemaSketch.table(name, "A text pk", "B text pk") }
        let grades = SchemaSketch.table("_Grades", "A text pk", "B text pk", "note text")
        let asked = try Self.asked(Self.plan("User.id", [users, posts, tags, grades] + joins, .postgresql))
        let expected: Set = [
            "_PostToUser.B -> User owner", "_Watchlist.A -> User not personal", "_Watchlist.B -> User not personal",
        ]
        #expect(Set(asked) == expected, "\(asked)")
        let notes = SchemaSketch.table("Note", "id text pk", "userId text not-null")
        let tagged = SchemaSketch.table("_NoteToTag", "A text pk", "B text pk")
        let owned = try Self.asked(Self.plan("User.id", [users, notes, tags, tagged], .postgresql))
        #expect(owned.filter { $0.hasPrefix("_") }.map { $0.prefix(20) } == ["_NoteToTag.A -> Note"], "\(owned)")
    }

    @Test("PL-1 PL-7 where users' numbers are called by the noun alone, so are those of other rows; counts and flags are none")
    func bareNouns() throws {
        func asked(_ user: String) throws -> Set<String> {
            let editors = SchemaSketch.table("editor", "id int pk", "name text")
            let edits = SchemaSketch.table("edit", "id int pk", "\(user) int not-null", "note text")
            let votes = SchemaSketch.table("vote", "id int pk", "\(user) int not-null", "edit int not-null")
            let data = SchemaSketch.table("edit_data", "edit int pk", "data text")
            let totals = SchemaSketch.table("totals", "id int pk", "edits int", "edit text", "vote bool")
            let plan = try Self.plan("editor.id", [editors, edits, votes, data, totals])
            return Set(plan.questions.map { "\($0.table).\($0.columns[0]) \($0.link?.target.name ?? "")" })
        }
        let expected: Set = ["edit.editor editor", "vote.editor editor", "vote.edit edit", "edit_data.edit edit"]
        #expect(try asked("editor") == expected)
        #expect(try asked("editor_id") == ["edit.editor_id editor", "vote.editor_id editor"])
        // Numbers of users are no users.
        let edits = SchemaSketch.table("edit", "id int pk", "editor_id int not-null", "note text")
        let counts = ["days", "weeks"].map { SchemaSketch.table($0, "id int pk", "editors int", "edit int") }
        let editors = SchemaSketch.table("editor", "id int pk", "name text")
        let counted = try Self.plan("editor.id", [editors, edits] + counts)
        let targets = counted.questions.compactMap(\.link).map(\.target.name)
        #expect(!targets.contains("edit"), "\(counted.questions)")
    }
}
