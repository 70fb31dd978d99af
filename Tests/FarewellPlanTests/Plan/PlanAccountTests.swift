// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

@Suite("Plans and the sign-in accounts of users")
struct PlanAccountTests {
    /// The owner of the account tables beside an app's.
    enum Owner: String, Sendable, CaseIterable {
        case farewellOnPostgreSQL, farewellOnSQLite, supabase

        var dialect: SQLDialect { self == .farewellOnSQLite ? .sqlite : .postgresql }
        var prefix: String { self == .farewellOnSQLite ? "auth_" : "auth." }
        var app: String { self == .farewellOnSQLite ? "" : "public." }
        var key: String { self == .farewellOnSQLite ? "text" : "uuid" }
        var parts: [String] {
            self == .supabase ? ["identities", "sessions", "one_time_tokens"] : ["identities", "sessions", "one_time_codes"]
        }

        /// The accounts, whose parts go with them or have no key to them at all.
        func tables(haveKeys: Bool = true) -> [SchemaTable] {
            let hash = self == .supabase ? "tag text" : "refresh_token_hash bytea"
            let reference = haveKeys ? " -> \(prefix)users.id cascade" : ""
            return [
                SchemaSketch.table(
                    prefix + "users", "id \(key) pk", "email text unique", "encrypted_password text", "role text")
            ] + parts.map { SchemaSketch.table(prefix + $0, "id \(key) pk", "user_id \(key) not-null\(reference)", hash) }
        }

        func schema(_ tables: SchemaTable..., haveKeys: Bool = true) -> Schema {
            Schema(dialect: dialect, tables: self.tables(haveKeys: haveKeys) + tables)
        }

        func name(_ table: String) -> TableName { TableName(parsing: prefix + table) ?? TableName(table) }
    }

    private static func draft(_ schema: Schema, _ subject: String) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: subject)).plan.answeringAll(.owner)
    }

    private static func errors(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }
    }

    private static func expectErased(_ plan: Plan, _ owner: Owner) {
        for table in ["users"] + owner.parts { #expect(plan[owner.name(table)]?.rule == .erase, "\(table)") }
    }

    @Test(
        "BX-1 SE-9 a subject whose key is an account's, directly or through another table, begins at the account, which is erased",
        arguments: Owner.allCases)
    func foreignKey(_ owner: Owner) throws {
        let (app, key, account) = (owner.app, owner.key, owner.prefix + "users.id")
        let schema = owner.schema(
            SchemaSketch.table(app + "users", "id \(key) pk -> \(account) cascade", "name text"),
            SchemaSketch.table(app + "profiles", "id \(key) pk -> \(app)users.id cascade", "city text"))
        for subject in ["users.id", "profiles.id"] {
            let plan = try Self.draft(schema, app + subject)
            #expect(plan.subject.table == owner.name("users") && plan.subject.key == "id")
            Self.expectErased(plan, owner)
            #expect(plan.tables.allSatisfy { $0.rule == .erase })
            #expect(Self.errors(plan, schema).isEmpty, "\(Self.errors(plan, schema))")
        }
    }

    @Test("BX-1 SE-9 an erasure of a subject that only has an account's key erases the account too", arguments: Owner.allCases)
    func sameKey(_ owner: Owner) throws {
        let schema = owner.schema(SchemaSketch.table(owner.app + "users", "id \(owner.key) pk", "name text"))
        let plan = try Self.draft(schema, owner.app + "users.id")
        #expect(plan.subject.table.name == "users" && plan.subject.table != owner.name("users"))
        Self.expectErased(plan, owner)
        #expect(plan[owner.name("users")]?.links.map(\.columns) == [["id"]])
        #expect(Self.errors(plan, schema).isEmpty, "\(Self.errors(plan, schema))")
    }

    @Test(
        "BX-1 SE-9 where no key shows the owners of the accounts, check refuses the draft and names the start",
        arguments: Owner.allCases, ["account %k -> %u cascade", "number int"])
    func undecided(_ owner: Owner, _ column: String) throws {
        let account = owner.prefix + "users.id"
        let words = column.replacing("%k", with: owner.key).replacing("%u", with: account)
        let schema = owner.schema(SchemaSketch.table(owner.app + "members", "id int pk", words))
        let plan = try Self.draft(schema, owner.app + "members.id")
        let stays = Self.errors(plan, schema).filter { $0.code == "account.stays" }
        #expect(stays.contains { $0.table == owner.name("users") && $0.remedy?.contains("--subject \(account)") == true }, "\(stays)")
        #expect(Set(stays.compactMap(\.table)) == Set((["users"] + owner.parts).map(owner.name)))
        let isApart = stays.contains { $0.remedy?.contains("erasures.database-url") == true }
        #expect(isApart == (column == "number int" && owner != .supabase), "a number cannot be an account's key: \(stays)")
    }

    static let keeping: [(Rule, ColumnRule)] = [
        (.notPersonal, .notPersonal), (.anonymise, .null),
        (.retain(Retention(reason: "law", period: Period(1, .year))), .retain),
    ]

    @Test(
        "SE-9 no plan may keep an account, its identities, sessions or codes: not personal, anonymised or retained",
        arguments: Owner.allCases, [true, false])
    func kept(_ owner: Owner, haveKeys: Bool) throws {
        let schema = owner.schema(
            SchemaSketch.table(owner.app + "notes", "id int pk", "user_id \(owner.key) -> \(owner.prefix)users.id cascade"),
            haveKeys: haveKeys)
        let sound = try Self.draft(schema, owner.prefix + "users.id")
        #expect(!Self.errors(sound, schema).contains { $0.code == "account.stays" })
        for table in (["users"] + owner.parts).map(owner.name) {
            for (rule, column) in Self.keeping {
                var plan = sound
                let place = try #require(plan.tables.firstIndex { $0.table == table })
                plan.tables[place].rule = rule
                plan.tables[place].columns = plan.tables[place].columns.map { .init($0.name, column) }
                let found = Self.errors(plan, schema)
                #expect(found.contains { $0.code == "account.stays" && $0.table == table }, "\(table) \(rule.word) \(found)")
            }
        }
    }

    /// An app's people beside accounts of the same key.
    private static func beside(_ owner: Owner, _ more: SchemaTable...) throws -> (plan: Plan, schema: Schema) {
        let app = owner.app
        let people = SchemaSketch.table(
            app + "users", "id \(owner.key) pk", "email text unique", "tag \(owner.key) unique", "data jsonb")
        let schema = Schema(dialect: owner.dialect, tables: owner.tables() + [people] + more)
        return (try draft(schema, app + "users.id"), schema)
    }

    private static func people(_ owner: Owner) -> TableName { TableName(parsing: owner.app + "users") ?? TableName("users") }

    private static func stays(_ plan: Plan, _ schema: Schema, _ table: TableName, _ links: Link...) throws -> Bool {
        var plan = plan
        plan.tables[try #require(plan.tables.firstIndex { $0.table == table })].links = links
        return errors(plan, schema).contains { $0.code == "account.stays" && $0.table == table && $0.remedy != nil }
    }

    @Test(
        "SE-9 check finds an account that stays after an erasure by another link: address, other column, JSON, unlinking",
        arguments: Owner.allCases)
    func byAnotherColumn(_ owner: Owner) throws {
        let (plan, schema) = try Self.beside(owner)
        let (users, people) = (owner.name("users"), Self.people(owner))
        func link(_ from: String, _ to: String, path: [String] = [], shared: Link.Shared? = nil) -> Link {
            Link(columns: [from], path: path, target: people, targetColumns: [to], shared: shared)
        }
        #expect(try !Self.stays(plan, schema, users, link("id", "id")))
        #expect(try !Self.stays(plan, schema, users, link("email", "email"), link("id", "id")))
        for links in [
            [link("email", "email")], [link("id", "tag")], [link("id", "email")], [link("role", "id")],
            [link("id", "id", path: ["id"])], [link("id", "id", shared: .unlink)], [],
        ] {
            var wrong = plan
            wrong.tables[try #require(plan.tables.firstIndex { $0.table == users })].links = links
            let found = Self.errors(wrong, schema).first { $0.code == "account.stays" && $0.table == users }
            #expect(found?.remedy != nil, "\(links)")
        }
    }

    @Test("SE-9 sessions, identities and codes that are erased by anything except the account's key are found", arguments: Owner.allCases)
    func partsByAnotherColumn(_ owner: Owner) throws {
        let (plan, schema) = try Self.beside(owner)
        let people = Self.people(owner)
        for part in owner.parts.map(owner.name) {
            let byAccount = Link(columns: ["user_id"], target: owner.name("users"), targetColumns: ["id"])
            let byKey = Link(columns: ["user_id"], target: people, targetColumns: ["id"])
            #expect(try !Self.stays(plan, schema, part, byAccount))
            #expect(try !Self.stays(plan, schema, part, byKey))
            let byTag = Link(columns: ["user_id"], target: people, targetColumns: ["tag"])
            let byAddress = Link(columns: ["user_id"], target: owner.name("users"), targetColumns: ["email"])
            let byOwnKey = Link(columns: ["id"], target: people, targetColumns: ["id"])
            for wrong in [byTag, byAddress, byOwnKey] { #expect(try Self.stays(plan, schema, part, wrong), "\(wrong)") }
        }
    }

    @Test(
        "SE-9 an account is found through another table only where foreign keys make that table hold its key",
        arguments: Owner.allCases)
    func byAnotherTable(_ owner: Owner) throws {
        let (app, key) = (owner.app, owner.key)
        let (plan, schema) = try Self.beside(
            owner, SchemaSketch.table(app + "cards", "id \(key) pk -> \(app)users.id cascade", "city text"))
        let cards = TableName(parsing: app + "cards") ?? TableName("cards")
        // Not every user has a card.
        #expect(try Self.stays(plan, schema, owner.name("users"), Link(columns: ["id"], target: cards, targetColumns: ["id"])))
        let chained = Schema(
            dialect: owner.dialect,
            tables: owner.tables() + [
                SchemaSketch.table(app + "people", "id \(key) pk", "city text"),
                SchemaSketch.table(app + "users", "id \(key) pk -> \(app)people.id cascade", "city text"),
            ])
        let drafted = try Self.draft(chained, app + "users.id")
        let base = TableName(parsing: app + "people") ?? TableName("people")
        let there = Link(columns: ["id"], target: base, targetColumns: ["id"])
        var good = drafted
        let place = try #require(good.tables.firstIndex { $0.table == base })
        good.tables[place].rule = .erase
        good.tables[place].links = [Link(columns: ["id"], target: Self.people(owner), targetColumns: ["id"])]
        #expect(try !Self.stays(good, chained, owner.name("users"), there), "every user's row there is required")
        good.tables[place].links = [Link(columns: ["city"], target: Self.people(owner), targetColumns: ["city"])]
        #expect(try Self.stays(good, chained, owner.name("users"), there))
    }

    @Test("SV-8 a vendor that erases its accounts itself, as a system of the plan, may keep its tables; Farewell's own may not")
    func bySystem() throws {
        for owner in Owner.allCases {
            let schema = owner.schema(SchemaSketch.table(owner.app + "members", "id int pk", "number int"))
            var plan = try Self.draft(schema, owner.app + "members.id")
            plan.systems = [SystemPlan(name: "auth", kind: "supabase-auth", stage: .identity)]
            #expect(Self.errors(plan, schema).contains { $0.code == "account.stays" } == (owner != .supabase), "\(owner)")
        }
    }
}
