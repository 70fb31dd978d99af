// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Schemas that once became plans which deleted other users' rows, damaged rows that stay, or missed links.
struct DraftedCasesTests {
    private func drafted(_ kind: PlanDatabase, _ script: String...) async throws -> (PlanDraft, Schema) {
        let box = Box()
        try await kind.with { database in
            try await database.withConnection { connection in
                for statement in script { _ = try await connection.run(SQLStatement(statement)) }
            }
            await box.keep(try await Schema.read(from: database))
        }
        let schema = try #require(await box.schema)
        let subject = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), "id")
        return (try PlanDerivation.draft(from: schema, subject: subject), schema)
    }

    private actor Box {
        private(set) var schema: Schema?
        func keep(_ schema: Schema) { self.schema = schema }
    }

    /// `table.column: reference, not personal`, with the target where the question has a link.
    private func asked(_ plan: Plan) -> [String] {
        plan.questions.map { question in
            let target = question.link.map { _ in " → " + question.links.map(\.target.name).joined(separator: ", ") } ?? ""
            return "\(question.table.name).\(question.columns.joined(separator: "+"))\(target)"
        }
    }

    private func entry(_ plan: Plan, _ name: String) throws -> TablePlan {
        try #require(plan.tables.first { $0.table.name == name })
    }

    private func errors(_ plan: Plan, _ schema: Schema) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }.map(\.code.rawValue)
    }

    private static let users = "CREATE TABLE users (id bigint PRIMARY KEY, email text)"

    // MARK: Numbers

    private static let numbers = [
        "CREATE TABLE app_settings (id bigint PRIMARY KEY, max_sessions_per_user int, site_title text)",
        "CREATE TABLE daily_statistics (id bigint PRIMARY KEY, day date, active int, blocked int, reported int, "
            + "with_role_owner int, users int, posts_by_user int)",
        "CREATE TABLE todos (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id), "
            + "target_type text NOT NULL, target_id bigint NOT NULL, note text)",
        "CREATE TABLE recipients (id bigint PRIMARY KEY, name text)",
        "CREATE TABLE direct_links (id bigint PRIMARY KEY, recipient_id bigint, url text)",
    ]

    @Test(
        "PL-1 SCH-01 the draft does not ask about numbers that count or flag, and polymorphic ids are no plain links",
        arguments: PlanDatabase.allCases)
    func numbersTakenForLinks(_ kind: PlanDatabase) async throws {
        let n = Self.numbers
        let (draft, schema) = try await drafted(kind, Self.users, n[0], n[1], n[2], n[3], n[4])
        // Rows of todos are deleted as well, so a pair may also lead there.
        #expect(asked(draft.plan) == ["direct_links.recipient_id → users", "todos.target_type+target_id → users, todos"])
        let ambiguous = try #require(draft.plan.questions.first)
        #expect(ambiguous.reason.contains("recipients"))
        #expect(draft.plan.questions[1].link?.condition.parts.map(\.column) == ["target_type"])
        #expect(draft.plan.tables.flatMap(\.links).map(\.columns) == [["user_id"]])
        // Nothing but the questions is wrong, and no answer is needed twice.
        #expect(errors(draft.plan, schema) == ["question.open", "question.open"])
        #expect(errors(draft.plan.answeringAll(.unrelated), schema) == [])
    }

    // MARK: Keys that own and keys that refer

    @Test(
        "PL-3 SCH-02 a row is not deleted through a key to a granter or an approver", arguments: PlanDatabase.allCases)
    func handlersWithKeys(_ kind: PlanDatabase) async throws {
        let key = "bigint REFERENCES users (id)"
        let (draft, schema) = try await drafted(
            kind, Self.users,
            "CREATE TABLE user_roles (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id), "
                + "granter_id \(key), role text)",
            "CREATE TABLE posts (id bigint PRIMARY KEY, uploader_id bigint NOT NULL REFERENCES users (id), "
                + "approver_id \(key), \"resolvedById\" \(key), body text)",
            "CREATE TABLE reviews (id bigint PRIMARY KEY, reviewer_id \(key), body text)",
            "CREATE TABLE teams (id bigint PRIMARY KEY, created_by bigint NOT NULL REFERENCES users (id))",
            "CREATE TABLE trades (id bigint PRIMARY KEY, buyer_id bigint NOT NULL REFERENCES users (id), "
                + "seller_id bigint NOT NULL REFERENCES users (id))",
            "CREATE TABLE friends (user1_id bigint NOT NULL REFERENCES users (id), "
                + "user2_id bigint NOT NULL REFERENCES users (id), PRIMARY KEY (user1_id, user2_id))")
        let roles = try entry(draft.plan, "user_roles").links
        #expect(roles.map(\.columns) == [["user_id"], ["granter_id"]])
        #expect(roles.map(\.role) == [.owner, .reference])
        let posts = try entry(draft.plan, "posts").links
        #expect(posts.map(\.role) == [.owner, .reference, .reference])
        #expect(try entry(draft.plan, "friends").links.map(\.role) == [.owner, .owner])
        #expect(asked(draft.plan) == ["reviews.reviewer_id → users", "teams.created_by → users", "trades.seller_id → users"])
        #expect(draft.plan.questions[0].answers == [.owner, .reference], "by its name the reviewer wrote the row")
        #expect(try entry(draft.plan, "reviews").rule == .notPersonal)
        #expect(Set(errors(draft.plan, schema)) == ["question.open"])
        // Answered as owners, the rows are deleted with either.
        let decided = draft.plan.answeringAll(.owner)
        #expect(try entry(decided, "trades").links.map(\.role) == [.owner, .owner])
        #expect(try entry(decided, "reviews").rule == .erase)
        #expect(errors(decided, schema) == [])
    }

    @Test("PL-1 PL-3 SCH-02 a row with its own user is not deleted through another table unless an answer says so")
    func throughOtherTables() async throws {
        let (draft, schema) = try await drafted(
            .postgresql, Self.users,
            "CREATE TABLE posts (id bigint PRIMARY KEY, author_id bigint NOT NULL REFERENCES users ON DELETE CASCADE)",
            "CREATE TABLE comments (id bigint PRIMARY KEY, author_id bigint NOT NULL REFERENCES users ON DELETE CASCADE, "
                + "post_id bigint NOT NULL REFERENCES posts ON DELETE CASCADE, parent_id bigint REFERENCES comments)",
            "CREATE TABLE pictures (id bigint PRIMARY KEY, post_id bigint NOT NULL REFERENCES posts)",
            "CREATE TABLE pins (id bigint PRIMARY KEY, post_id bigint REFERENCES posts)")
        #expect(asked(draft.plan) == ["comments.post_id → posts", "pins.post_id → posts"])
        #expect(try entry(draft.plan, "comments").links.map(\.role) == [.owner, .reference])
        #expect(try entry(draft.plan, "pictures").rule == .erase)
        #expect(Set(errors(draft.plan, schema)) == ["question.open"])
    }

    @Test(
        "PL-3 SCH-03 rows whose key is set to null lose nothing else, whatever the names of their other columns",
        arguments: PlanDatabase.allCases)
    func emptiedTables(_ kind: PlanDatabase) async throws {
        let key = "bigint REFERENCES users (id) ON DELETE SET NULL"
        let (draft, schema) = try await drafted(
            kind, Self.users,
            "CREATE TABLE envelopes (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
            "CREATE TABLE audit (id bigint PRIMARY KEY, envelope_id bigint REFERENCES envelopes (id) ON DELETE SET NULL, "
                + "\"userId\" bigint, email text, ip text)",
            "CREATE TABLE surveys (id bigint PRIMARY KEY, name text NOT NULL, created_by \(key))",
            "CREATE TABLE teams (id bigint PRIMARY KEY, lead_id \(key), typed_signature_enabled boolean, location_sharing boolean)")
        for name in ["audit", "surveys", "teams"] {
            let entry = try entry(draft.plan, name)
            #expect(entry.rule == .anonymise && entry.links.map(\.role) == [.reference], "\(name)")
            #expect(entry.columns.allSatisfy { $0.rule == .notPersonal }, "\(name)")
        }
        #expect(asked(draft.plan) == ["audit.userId → users"])
        #expect(errors(draft.plan, schema) == ["question.open"])
        let owned = try entry(draft.plan.answeringAll(.owner), "audit")
        #expect(owned.rule == .erase && owned.columns.allSatisfy { $0.rule == nil })
    }

    @Test(
        "PL-1 PL-9 SCH-08 the draft asks about rows that only the subject's rows name, and owned ones are erased",
        arguments: PlanDatabase.allCases)
    func ownedParents(_ kind: PlanDatabase) async throws {
        let (draft, schema) = try await drafted(
            kind, "CREATE TABLE avatars (id bigint PRIMARY KEY, filename text)",
            "CREATE TABLE documents_data (id bigint PRIMARY KEY, pdf \(kind == .sqlite ? "blob" : "bytea"))",
            "CREATE TABLE roles (id bigint PRIMARY KEY, name text)", "CREATE TABLE tokens (id bigint PRIMARY KEY, t text)",
            "CREATE TABLE users (id bigint PRIMARY KEY, email text, avatar_id bigint REFERENCES avatars (id) ON DELETE SET NULL, "
                + "role_id bigint REFERENCES roles (id), token_id bigint UNIQUE REFERENCES tokens (id))",
            "CREATE TABLE documents (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE, "
                + "data_id bigint NOT NULL REFERENCES documents_data (id))")
        #expect(asked(draft.plan) == ["avatars.id → users", "documents_data.id → documents", "tokens.id → users"])
        #expect(draft.plan.questions.allSatisfy { $0.link?.isOwnedParent == true && $0.answers == [.owner, .unrelated] })
        #expect(Set(errors(draft.plan, schema)) == ["question.open"])
        let owned = draft.plan.answeringAll(.owner)
        #expect(errors(owned, schema).isEmpty)
        for name in ["avatars", "documents_data", "tokens"] { #expect(try entry(owned, name).rule == .erase) }
        #expect(try entry(draft.plan.answeringAll(.unrelated), "avatars").rule == .notPersonal)
    }

    @Test(
        "PL-1 PL-3 SCH-03 the draft asks about other columns that describe the subject in remaining rows",
        arguments: PlanDatabase.allCases)
    func stayingColumns(_ kind: PlanDatabase) async throws {
        let (draft, schema) = try await drafted(
            kind, "CREATE TABLE users (id bigint PRIMARY KEY, email text UNIQUE)",
            "CREATE TABLE posts (id bigint PRIMARY KEY, author_id bigint REFERENCES users (id) ON DELETE SET NULL, title text, "
                + "name text, \"authorName\" text, \"authorEmail\" text, address_count integer)")
        #expect(asked(draft.plan) == ["posts.authorName", "posts.authorEmail → users"])
        #expect(try entry(draft.plan, "posts").rule == .anonymise)
        var ruled = draft.plan
        ruled.questions[1].answer = .reference
        let place = try #require(ruled.tables.firstIndex { $0.table.name == "posts" })
        let column = try #require(ruled.tables[place].columns.firstIndex { $0.name == "authorName" })
        ruled.tables[place].columns[column].rule = .null
        #expect(errors(ruled.answered(), schema).isEmpty)
    }

    @Test("PL-7 the draft asks about the subject's key by its own name, and about no other code", arguments: PlanDatabase.allCases)
    func naturalKeys(_ kind: PlanDatabase) async throws {
        let (draft, _) = try await drafted(
            kind, "CREATE TABLE users (id varchar(10) PRIMARY KEY, email text UNIQUE)",
            "CREATE TABLE people (code varchar(10) PRIMARY KEY, email text)",
            "CREATE TABLE orders (id bigint PRIMARY KEY, person_code char(10), country_code text, zip_code text)")
        #expect(asked(draft.plan).filter { $0.contains("orders") } == [])
        var schema = [
            "CREATE TABLE users (code varchar(10) PRIMARY KEY, email text UNIQUE)",
            "CREATE TABLE orders (id bigint PRIMARY KEY, user_code char(10), country_code text, owner_code varchar(12))",
        ]
        #expect(try await natural(kind, schema, "code") == ["orders.user_code → users", "orders.owner_code → users"])
        schema = [
            "CREATE TABLE users (username varchar(10) PRIMARY KEY, email text UNIQUE)",
            "CREATE TABLE attempts (id bigint PRIMARY KEY, username varchar(255), agent text)",
        ]
        #expect(try await natural(kind, schema, "username") == ["attempts.username → users"])
    }

    private func natural(_ kind: PlanDatabase, _ script: [String], _ key: String) async throws -> [String] {
        let box = Box()
        try await kind.with { database in
            try await database.withConnection { connection in
                for statement in script { _ = try await connection.run(SQLStatement(statement)) }
            }
            await box.keep(try await Schema.read(from: database))
        }
        let subject = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), key)
        return asked(try PlanDerivation.draft(from: try #require(await box.schema), subject: subject).plan)
    }

    // MARK: Names

    @Test("PL-1 SCH-04 the draft asks about creators, updaters, voters, lists and tables of addresses")
    func missedNames() async throws {
        let (draft, schema) = try await drafted(
            .postgresql, "CREATE TABLE users (id bigint PRIMARY KEY, email text UNIQUE)",
            "CREATE TABLE documents (id bigint PRIMARY KEY, created_by_id bigint, body text)",
            "CREATE TABLE cards (id bigint PRIMARY KEY, \"createdById\" bigint, body text)",
            "CREATE TABLE files (id bigint PRIMARY KEY, creatorid bigint, path text)",
            "CREATE TABLE pages (id bigint PRIMARY KEY, updater_id bigint, updated_by_user_id bigint, body text)",
            "CREATE TABLE votes (id bigint PRIMARY KEY, voter_id bigint, score int)",
            "CREATE TABLE attachments (id bigint PRIMARY KEY, record_type text, record_id bigint, filename text)",
            "CREATE TABLE watch (id bigint PRIMARY KEY, watcher_ids bigint[], reader_ids jsonb, member_ids text, title text)",
            "CREATE TABLE subscribers (id bigint PRIMARY KEY, email text, phone text, ip_address inet)")
        #expect(
            asked(draft.plan) == [
                "attachments.record_type+record_id → users", "cards.createdById → users", "documents.created_by_id → users",
                "files.creatorid → users", "pages.updater_id → users", "pages.updated_by_user_id → users",
                "subscribers.email → users", "votes.voter_id → users", "watch.watcher_ids → users",
                "watch.reader_ids → users", "watch.member_ids → users",
            ])
        let questions = draft.plan.questions
        #expect(questions.filter { $0.table.name == "watch" }.map { $0.link?.list } == [.array, .json, .comma])
        #expect(questions.filter { $0.table.name == "watch" }.allSatisfy { $0.answers == [.reference, .unrelated] })
        #expect(questions.filter { $0.table.name == "pages" }.map { $0.answers.first } == [.reference, .reference])
        #expect(questions.first { $0.table.name == "subscribers" }?.link?.targetColumns == ["email"])
        #expect(questions[0].link?.condition.parts.first?.values == ["User", "user", "users", "App\\Models\\User"])
        #expect(errors(draft.plan, schema).allSatisfy { $0 == "question.open" })
        #expect(draft.plan.tables.filter { $0.rule.isPersonal }.map(\.table.name) == ["users"])
    }

    @Test(
        "PL-1 SQL-09 a table is found by its name in the singular",
        arguments: [
            ("statuses", "status_id"), ("children", "child_id"), ("people", "person_id"), ("addresses", "address_id"),
            ("categories", "category_id"), ("shelves", "shelf_id"), ("movies", "movieId"), ("houses", "house_id"),
            ("aliases", "alias_id"), ("blog_posts", "post_id"), ("boxes", "box_id"), ("analyses", "analysis_id"),
            ("preview_cards", "preview_card_id"), ("news", "news_id"), ("photos", "cover_photo_id"),
        ])
    func singulars(_ table: String, _ column: String) async throws {
        let (draft, _) = try await drafted(
            .sqlite, "CREATE TABLE users (id integer PRIMARY KEY, email text)",
            "CREATE TABLE \(table) (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
            "CREATE TABLE previews (preview_no integer PRIMARY KEY, \(column) integer NOT NULL, url text)")
        #expect(asked(draft.plan) == ["previews.\(column) → \(table)"])
    }

    @Test("PL-1 SQL-10 the draft asks about a column named like a key, whatever its declared type")
    func anyType() async throws {
        let types = ["", "NUMERIC", "REAL", "STRING", "BLOB", "INT", "TEXT", "double precision", "DECIMAL(10)"]
        var script = ["CREATE TABLE users (id integer PRIMARY KEY, email text)"]
        for (number, type) in types.enumerated() {
            script.append("CREATE TABLE t\(number) (id integer PRIMARY KEY, user_id \(type), flag \(type), v text)")
        }
        let box = Box()
        let statements = script
        try await PlanDatabase.sqlite.with { database in
            try await database.withConnection { connection in
                for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
            }
            await box.keep(try await Schema.read(from: database))
        }
        let schema = try #require(await box.schema)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        #expect(asked(plan) == types.indices.map { "t\($0).user_id → users" })
        #expect(errors(plan.answeringAll(.owner), schema) == [])
        // The same in a plan that was written by hand: nothing passes unseen.
        var byHand = plan
        byHand.questions = []
        let found = PlanCheck.findings(byHand, schema).filter { $0.code == "link.suspected" }
        #expect(Set(found.compactMap { $0.table?.name }) == Set(types.indices.map { "t\($0)" }))
    }

    // MARK: Polymorphic pairs

    @Test("PL-2 SQL-08 the draft asks about a pair of type and id with a condition, and the check refuses a link without one")
    func polymorphic() async throws {
        let (draft, schema) = try await drafted(
            .postgresql, "CREATE TABLE users (id bigint PRIMARY KEY, email text NOT NULL UNIQUE)",
            "CREATE TABLE model_has_roles (role_id bigint NOT NULL, model_type text NOT NULL, model_id bigint NOT NULL, "
                + "PRIMARY KEY (role_id, model_id, model_type))",
            "CREATE TABLE comments (id bigint PRIMARY KEY, \"commentableType\" text, \"commentableId\" bigint, body text)",
            "CREATE TABLE tokens (id bigint PRIMARY KEY, user_type text, user_id bigint)",
            "CREATE TABLE log (id bigint PRIMARY KEY, content_type_id integer, object_id text)",
            "CREATE TYPE kind AS ENUM ('account', 'User', 'post')",
            "CREATE TABLE notes (id bigint PRIMARY KEY, about_kind kind, about_id bigint)")
        #expect(
            asked(draft.plan) == [
                "comments.commentableType+commentableId → users", "log.content_type_id+object_id",
                "model_has_roles.model_type+model_id → users", "notes.about_kind+about_id → users",
                "tokens.user_type+user_id → users",
            ])
        #expect(draft.plan.questions[3].link?.condition.parts.first?.values == ["User"])
        #expect(draft.plan.questions.allSatisfy { $0.link == nil || $0.link?.condition.isEmpty == false })
        // By hand, without a condition: others' rows with the same number would be deleted.
        var byHand = draft.plan
        byHand.questions = []
        for place in byHand.tables.indices where byHand.tables[place].table.name == "comments" {
            byHand.tables[place].rule = .erase
            byHand.tables[place].links = [
                Link(columns: ["commentableId"], target: byHand.subject.table, targetColumns: ["id"])
            ]
        }
        #expect(errors(byHand, schema).contains("link.without-condition"))
    }

    @Test("PL-2 SQL-08 sampled rows show the tables that a type column names", arguments: PlanDatabase.allCases)
    func sampledTypes(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                Self.users,
                "CREATE TABLE posts (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
                "CREATE TABLE comments (id bigint PRIMARY KEY, commentable_type text, commentable_id bigint, author_id bigint)",
                "INSERT INTO users VALUES (1, 'a@example.org'), (2, 'b@example.org')",
                "INSERT INTO posts VALUES (7, 1), (8, 2)",
                "INSERT INTO comments VALUES (1, 'App\\Models\\User', 1, 1), (2, 'App\\Models\\Post', 7, 2), "
                    + "(3, 'App\\Models\\Team', 1, 99)")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: kind == .sqlite ? nil : "public", "users"), "id")
            let draft = try PlanDerivation.draft(from: schema, subject: users)
            let sampled = try await QuestionSampling().sampled(draft, schema, database).plan
            let pairs = sampled.questions.filter { $0.columns.count == 2 }
            #expect(pairs.count == 1 && pairs[0].links.map(\.target.name) == ["users", "posts"], "\(pairs)")
            #expect(
                pairs[0].links.map { $0.condition.parts.first?.values ?? [] } == [["App\\Models\\User"], ["App\\Models\\Post"]])
            let author = try #require(sampled.questions.first { $0.columns == ["author_id"] })
            #expect(author.reason.contains("2 of 3 different sampled values of author_id are values of "), "\(author.reason)")
            let text = PlanFile.text(for: sampled)
            #expect(try PlanFile.read(Array(text.utf8), path: "p") == sampled)
        }
    }

    @Test("PL-2 SQL-08 a sample keeps the question about each label of an enum, whether or not a row has it")
    func sampledLabels() async throws {
        try await PlanDatabase.postgresql.with { database in
            try await database.script(
                Self.users,
                "CREATE TABLE posts (id bigint PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE)",
                "CREATE TYPE kind AS ENUM ('user', 'User', 'post', 'team')",
                "CREATE TABLE notes (id bigint PRIMARY KEY, about_kind kind, about_id bigint)",
                "INSERT INTO users VALUES (1, 'a@example.org')", "INSERT INTO notes VALUES (1, 'user', 1)")
            let schema = try await Schema.read(from: database)
            let users = ColumnName(TableName(schema: "public", "users"), "id")
            let draft = try PlanDerivation.draft(from: schema, subject: users)
            let sampled = try await QuestionSampling().sampled(draft, schema, database).plan
            let pairs = sampled.questions.filter { $0.columns.count == 2 }
            #expect(pairs == draft.plan.questions.filter { $0.columns.count == 2 })
            #expect(pairs.flatMap(\.links).map { $0.condition.parts.first?.values ?? [] } == [["user", "User"], ["post"]])
        }
    }

    @Test("PL-1 the questions of a schema without any key lead from table to table, and all answers are consistent")
    func withoutKeys() async throws {
        let (draft, schema) = try await drafted(
            .sqlite, "CREATE TABLE users (id integer PRIMARY KEY, email text)",
            "CREATE TABLE posts (id integer PRIMARY KEY, user_id integer, title text)",
            "CREATE TABLE comments (id integer PRIMARY KEY, user_id integer, post_id integer)",
            "CREATE TABLE likes (id integer PRIMARY KEY, comment_id integer)",
            "CREATE TABLE products (id integer PRIMARY KEY, name text)",
            "CREATE TABLE stock (id integer PRIMARY KEY, product_id integer)",
            "CREATE TABLE photos (id integer PRIMARY KEY, post_id integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE)")
        #expect(
            asked(draft.plan) == [
                "comments.user_id → users", "comments.post_id → posts", "likes.comment_id → comments",
                "photos.post_id → posts", "posts.user_id → users",
            ])
        #expect(draft.plan.tables.filter { $0.rule.isPersonal }.map(\.table.name) == ["users"])
        #expect(errors(draft.plan.answeringAll(.owner), schema) == [])
        #expect(errors(draft.plan.answeringAll(.unrelated), schema) == [])
    }
}
