// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellEngine
import FarewellSQL
import Testing

@Suite("Plans and the accounts by which people sign in")
struct PlanAccountTests {
    /// Whose tables of accounts lie beside an app's.
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
        try PlanDerivation.draft(from: schema, subject: ColumnName(parsing: subject)).plan
    }

    private static func errors(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findings(plan, schema).filter { $0.severity == .error }
    }

    private static func expectErased(_ plan: Plan, _ owner: Owner) {
        for table in ["users"] + owner.parts { #expect(plan[owner.name(table)]?.rule == .erase, "\(table)") }
    }

    @Test(
        "BX-1 SE-9 a person whose key is an account's, straight or by another table's, begins at the account, and it goes",
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

    @Test("BX-1 SE-9 a person who only has an account's key takes the account along", arguments: Owner.allCases)
    func sameKey(_ owner: Owner) throws {
        let schema = owner.schema(SchemaSketch.table(owner.app + "users", "id \(owner.key) pk", "name text"))
        let plan = try Self.draft(schema, owner.app + "users.id")
        #expect(plan.subject.table.name == "users" && plan.subject.table != owner.name("users"))
        Self.expectErased(plan, owner)
        #expect(plan[owner.name("users")]?.links.map(\.columns) == [["id"]])
        #expect(Self.errors(plan, schema).isEmpty, "\(Self.errors(plan, schema))")
    }

    @Test(
        "BX-1 SE-9 where nothing says whose the accounts are, check refuses the draft and says where to begin",
        arguments: Owner.allCases, ["account %k -> %u cascade", "number int"])
    func undecided(_ owner: Owner, _ column: String) throws {
        let account = owner.prefix + "users.id"
        let words = column.replacing("%k", with: owner.key).replacing("%u", with: account)
        let schema = owner.schema(SchemaSketch.table(owner.app + "members", "id int pk", words))
        let plan = try Self.draft(schema, owner.app + "members.id")
        let stays = Self.errors(plan, schema).filter { $0.code == "account.stays" }
        #expect(stays.contains { $0.table == owner.name("users") && $0.remedy?.contains("--subject \(account)") == true }, "\(stays)")
        #expect(Set(stays.compactMap(\.table)) == Set((["users"] + owner.parts).map(owner.name)))
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
