// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The checks of a link's conditions beyond its columns")
struct ReferenceCheckTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, avatar integer);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id), editor integer NOT NULL,
            reader integer, kind text, names text, members {json}, code integer UNIQUE);
        CREATE TABLE avatars (id integer PRIMARY KEY, name text);
        """

    private struct Case: Sendable, CustomTestStringConvertible {
        var code: Finding.Code
        var column: String?
        var link: @Sendable (Plan) -> Link
        var testDescription: String { "\(code.rawValue) \(column ?? "")" }

        init(_ code: Finding.Code, _ column: String?, _ link: @escaping @Sendable (Plan) -> Link) {
            self.code = code
            self.column = column
            self.link = link
        }
    }

    private static func to(_ plan: Plan, _ column: String) -> Link {
        Link(columns: [column], target: plan.name("people"), targetColumns: ["id"], role: .reference)
    }

    private static func changed(_ plan: Plan, _ column: String, _ change: (inout Link) -> Void) -> Link {
        var link = to(plan, column)
        change(&link)
        return link
    }

    private static let cases: [Case] = [
        Case("link.reference-not-null", "editor") { to($0, "editor") },
        Case("link.set-unfit", "editor") { changed($0, "editor") { $0.replacement = "nobody" } },
        Case("link.set-unfit", "code") { changed($0, "code") { $0.replacement = "0" } },
        Case("link.unknown-column", "kinds") {
            changed($0, "reader") { $0.condition = LinkCondition([.init(column: "kinds", values: ["User"])]) }
        },
        Case("link.condition-never", "id") {
            changed($0, "reader") { $0.condition = LinkCondition([.init(column: "id", values: [])]) }
        },
        Case("link.no-list", "reader") { changed($0, "reader") { $0.list = .comma } },
        Case("link.no-list", "members") { changed($0, "members") { $0.list = .array } },
        Case("link.no-list", "names") { changed($0, "names") { ($0.list, $0.path) = (.comma, ["a"]) } },
    ]

    @Test("PL-3 PL-2 PL-9 an impossible link is one finding with a remedy", arguments: SQLDialect.allCases, cases)
    private func refused(_ dialect: SQLDialect, _ one: Case) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let plan = try await house.plan { plan in
                plan.set("avatars", .notPersonal)
                let added = one.link(plan)
                plan.at("posts") { $0.links = $0.links.filter { $0.columns == ["author"] } + [added] }
            }
            let schema = try await Schema.read(from: house.database)
            let found = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(found.map(\.code) == [one.code], "\(found)")
            #expect(found.first?.column == one.column && found.first?.remedy != nil)
        }
    }

    @Test("PL-3 PL-9 a correct rule is not refused", arguments: SQLDialect.allCases)
    func accepted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let plan = try await house.plan { plan in
                plan.set("avatars", .erase)
                plan.link(
                    "avatars",
                    Link(columns: ["id"], target: plan.name("people"), targetColumns: ["avatar"], isOwnedParent: true))
                let added = [
                    Self.changed(plan, "editor") { $0.replacement = "0" }, Self.to(plan, "reader"),
                    Self.changed(plan, "names") { $0.list = .comma }, Self.changed(plan, "members") { $0.list = .json },
                ]
                plan.at("posts") { $0.links = $0.links.filter { $0.columns == ["author"] } + added }
            }
            let schema = try await Schema.read(from: house.database)
            let found = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(found.isEmpty, "\(found)")
        }
    }

    @Test("PL-2 a condition on a cascading key is refused, since the database does not apply it")
    func ignoredCondition() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, kind text, about integer REFERENCES people (id) ON DELETE CASCADE);
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let plan = try await house.plan { plan in
                plan.at("notes") { $0.links[0].condition = LinkCondition([.init(column: "kind", values: ["User"])]) }
            }
            let found = PlanCheck.findings(plan, try await Schema.read(from: house.database)).filter { $0.severity == .error }
            #expect(found.map(\.code) == ["link.condition-ignored"], "\(found)")
        }
    }

    @Test("PL-9 rows that are found through a parent cannot own it")
    func circle() async throws {
        try await EngineFixture.with(.sqlite, Self.script) { house in
            let plan = try await house.plan { plan in
                plan.set("avatars", .erase)
                plan.link(
                    "avatars",
                    Link(columns: ["id"], target: plan.name("posts"), targetColumns: ["reader"], isOwnedParent: true))
                let back = Link(columns: ["reader"], target: plan.name("avatars"), targetColumns: ["id"], role: .owner)
                plan.at("posts") { $0.links = $0.links.filter { $0.columns == ["author"] } + [back] }
            }
            let found = PlanCheck.findings(plan, try await Schema.read(from: house.database)).filter { $0.severity == .error }
            #expect(found.map(\.code) == ["link.owned-parent-circle"], "\(found)")
        }
    }

    @Test("PL-9 an owned parent is a row of another table, with the rule erase")
    func ownedParents() async throws {
        try await EngineFixture.with(.sqlite, Self.script) { house in
            let plan = try await house.plan { plan in
                plan.set("avatars", .anonymise, ["name": .null])
                plan.link(
                    "avatars",
                    Link(columns: ["id"], target: plan.name("people"), targetColumns: ["avatar"], isOwnedParent: true))
            }
            let found = PlanCheck.findings(plan, try await Schema.read(from: house.database)).filter { $0.severity == .error }
            #expect(found.map(\.code) == ["link.owned-parent-unfit"], "\(found)")
        }
    }
}
