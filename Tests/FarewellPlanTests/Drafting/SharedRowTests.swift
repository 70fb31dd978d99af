// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// No question offers an answer that would delete rows of other users.
struct SharedRowTests {
    private static func draft(_ tables: SchemaTable...) throws -> Plan {
        let users = ColumnName(TableName("users"), "id")
        return try PlanDerivation.draft(from: Schema(dialect: .sqlite, tables: tables), subject: users).plan
    }

    private static func question(_ place: String, in plan: Plan) throws -> PlanQuestion {
        try #require(plan.questions.first { "\($0.table).\($0.columns.joined(separator: ","))" == place }, "\(place)")
    }

    @Test("PL-1 PL-3 a user's row is never deleted through a team: no question about its keys or columns offers owner")
    func users() throws {
        let plan = try Self.draft(
            SchemaSketch.table(
                "users", "id int pk", "email text unique", "team_id int -> teams.id", "office_id int not-null -> offices.id cascade",
                "boss_id int not-null -> users.id", "current_team_id int", "holder_type text", "holder_id int"),
            SchemaSketch.table("teams", "id int pk", "owner_id int not-null -> users.id", "name text"),
            SchemaSketch.table("offices", "id int pk", "manager_id int not-null -> users.id", "name text"))
        let asked = plan.questions.filter { $0.table.name == "users" }
        #expect(Set(asked.flatMap(\.columns)).isSuperset(of: ["team_id", "office_id", "boss_id", "current_team_id", "holder_id"]))
        for question in asked { #expect(!question.answers.contains(.owner) && !question.answers.isEmpty, "\(question)") }
        #expect(try Self.question("users.office_id", in: plan).reason.contains("reference also needs a value (`set`)"))
        let owned = plan.answeringAll(.owner)
        let links = try #require(owned[TableName("users")]).links
        #expect(!links.isEmpty && links.allSatisfy(\.isReference), "\(links)")
    }

    @Test("PL-8 the finding about an open question with a long reason ends after a whole clause")
    func longReason() throws {
        let tables = [
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("visits", "id int pk", "user_id int", "host_user_id int not-null"),
        ]
        let schema = Schema(dialect: .sqlite, tables: tables)
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let clauses = Array(repeating: "a clause of a reason, which has about fifty letters", count: 9)
        for number in plan.questions.indices { plan.questions[number].reason = clauses.joined(separator: "; ") + "." }
        let found = try #require(PlanCheck.findings(plan, schema).first { $0.code == "question.open" })
        #expect(found.message.hasSuffix("fifty letters; …") && found.message.count < 350, "\(found)")
        for number in plan.questions.indices { plan.questions[number].reason = "One clause." }
        let short = try #require(PlanCheck.findings(plan, schema).first { $0.code == "question.open" })
        #expect(short.message == "An open question: One clause.")
    }

    @Test("PL-1 PL-3 in a table of one row per user, the row is kept when it can lose its link to another user's team")
    func profiles() throws {
        // SQLite allows nulls in such a primary key, by its name only.
        var settings = SchemaSketch.table("settings", "user_id text pk -> users.id cascade", "team_id int -> teams.id cascade")
        settings.columns[0].isNullable = true
        let plan = try Self.draft(
            settings, SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("teams", "id int pk", "owner_id int not-null -> users.id"),
            SchemaSketch.table(
                "profiles", "id int pk", "user_id int unique not-null -> users.id cascade", "team_id int -> teams.id cascade"),
            SchemaSketch.table("members", "id int pk", "user_id int not-null -> users.id cascade", "team_id int -> teams.id cascade"))
        for column in ["profiles.team_id", "settings.team_id"] {
            #expect(Set(try Self.question(column, in: plan).answers) == [.reference, .unrelated])
        }
        #expect(try Self.question("members.team_id", in: plan).answers.contains(.owner), "a user may be in several teams")
    }

    @Test("PL-1 PL-6 rows that users share, such as teams, are not offered as owned; a photo or a person is offered")
    func parents() throws {
        let plan = try Self.draft(
            SchemaSketch.table(
                "users", "id int pk", "email text unique", "organisation_id int not-null -> organisations.id", "photo_id int -> photos.id",
                "person_id int -> persons.id", "depot_id int -> depots.id",
                "support_rep_id int -> employees.id"),
            SchemaSketch.table("organisations", "id int pk", "billing_email text", "address text"),
            SchemaSketch.table("photos", "id int pk", "file_name text"),
            SchemaSketch.table("persons", "id int pk", "first_name text", "phone text"),
            SchemaSketch.table("depots", "id int pk", "address text"),
            SchemaSketch.table("employees", "id int pk", "address text"),
            SchemaSketch.table("machines", "id int pk", "depot_id int -> depots.id"))
        #expect(try Self.question("photos.id", in: plan).answers == [.owner, .unrelated])
        #expect(try Self.question("persons.id", in: plan).answers == [.owner, .unrelated])
        for place in ["organisations.id", "depots.id", "employees.id"] {
            let question = try Self.question(place, in: plan)
            #expect(question.answers == [.unrelated] && question.link == nil, "\(question)")
            #expect(question.reason.contains("parent: owned"), "\(question.reason)")
        }
        let billing = try Self.question("organisations.billing_email", in: plan)
        #expect(billing.answers == [.reference, .unrelated] && !billing.reason.contains("they are deleted"), "\(billing)")
    }

    @Test("PL-1 PL-6 addresses are linked to the subject's address only if no two subjects have the same", arguments: [true, false])
    func addresses(_ isUnique: Bool) throws {
        let plan = try Self.draft(
            SchemaSketch.table("users", "id int pk", isUnique ? "email text unique" : "email text"),
            SchemaSketch.table("subscribers", "id int pk", "email text", "country text"))
        let question = try Self.question("subscribers.email", in: plan)
        #expect(question.answers == (isUnique ? [.owner, .reference, .unrelated] : [.unrelated]), "\(question)")
        #expect((question.link != nil) == isUnique)
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                SchemaSketch.table("users", "id int pk", isUnique ? "email text unique" : "email text"),
                SchemaSketch.table("subscribers", "id int pk", "email text", "country text"),
            ])
        let codes = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }.map(\.code.rawValue)
        #expect(codes == [], "an answer that is offered passes the check")
    }

    @Test("PL-1 PL-2 a reference in a column that may not be null says that it needs a value, also beside a type column")
    func values() throws {
        let plan = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("media", "id int pk", "model_type text not-null", "model_id int not-null"),
            SchemaSketch.table("offices", "id int pk", "owner_id int not-null -> users.id"),
            SchemaSketch.table(
                "visits", "id int pk", "user_id int", "host_user_id int not-null", "office_id int not-null -> offices.id"))
        #expect(try Self.question("media.model_type,model_id", in: plan).reason.contains("needs a value (`set`)"))
        #expect(try Self.question("visits.host_user_id", in: plan).reason.contains("needs a value (`set`)"))
        #expect(try Self.question("visits.host_user_id", in: plan).reason.contains("the key of a row of users that represents"))
        let office = try Self.question("visits.office_id", in: plan).reason
        #expect(office.contains("the key of a row of offices that represents deleted rows"), "not of a user: \(office)")
        #expect(try !Self.question("visits.user_id", in: plan).reason.contains("needs a value (`set`)"))
    }

    @Test("PL-1 PL-6 a company that users share by memberships or by an undeclared key is not offered by its address")
    func companies() throws {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let company = SchemaSketch.table("companies", "id int pk", "billing_email text")
        let byMember = try Self.draft(
            users, company,
            SchemaSketch.table(
                "memberships", "id int pk", "user_id int not-null -> users.id cascade",
                "company_id int not-null -> companies.id cascade"))
        let byName = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique", "company_id int"), company)
        for plan in [byMember, byName] {
            let question = try Self.question("companies.billing_email", in: plan)
            #expect(!question.answers.contains(.owner) && question.answers.contains(.unrelated), "\(question)")
        }
    }

    @Test("PL-1 PL-8 a table that many tables of a user reference causes one question")
    func once() throws {
        let orders = (1...5).map {
            SchemaSketch.table(
                "orders\($0)", "id int pk", "user_id int not-null -> users.id cascade",
                "organisation_id int not-null -> organisations.id")
        }
        let plan = try PlanDerivation.draft(
            from: Schema(
                dialect: .sqlite,
                tables: [
                    SchemaSketch.table("users", "id int pk", "email text unique"),
                    SchemaSketch.table("organisations", "id int pk", "address text"),
                ] + orders), subject: ColumnName(TableName("users"), "id")
        ).plan
        #expect(plan.questions.filter { $0.table.name == "organisations" }.count <= 1, "\(plan.questions)")
    }

    @Test("PL-1 SCH-04 a tenant's customers, which orders reference by a composite key, do not count as users because of their number")
    func customers() throws {
        let key = ["company_id", "customer_id"]
        var orders = SchemaSketch.table("orders", "id int pk", "company_id int not-null", "customer_id int not-null")
        orders.foreignKeys.append(
            ForeignKey(
                name: "orders_customer", columns: key, target: TableName("customers"), targetColumns: key, onDelete: .noAction))
        let plan = try Self.draft(
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("customers", "company_id int pk", "customer_id int pk", "name text"), orders)
        #expect(!plan.questions.contains { $0.table.name == "customers" && $0.columns == ["customer_id"] }, "\(plan.questions)")
    }
}
