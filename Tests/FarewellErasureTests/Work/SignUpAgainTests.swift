// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("A new sign-up during an erasure")
struct SignUpAgainTests {
    /// The events during the erasure.
    private struct Seen: Sendable {
        var calls: [String] = []
        var states: [String] = []
        /// The user who signed up again, and their rows.
        var again: SessionGrant?
        var rows: [String] = []
    }

    @Test(
        "F18 AD-8 a sign-up during an erasure meets the account; once its rows are gone it makes a new user, whose data stays",
        arguments: SQLDialect.allCases)
    func running(_ dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let key = dialect == .postgresql ? "uuid" : "text"
            try await fixture.fixture.run(
                """
                CREATE TABLE notes (id integer PRIMARY KEY, body text, user_id \(key) NOT NULL \
                REFERENCES \(fixture.table("users")) (id) ON DELETE CASCADE);
                CREATE INDEX notes_user ON notes (user_id);
                """)
            let anna = try await fixture.person("anna")
            let neighbour = try await fixture.person("bert").user.id
            try await Self.write(1, of: anna.user.id, fixture)
            try await Self.write(3, of: neighbour, fixture)
            let neighbours = try await Self.rows(of: neighbour, fixture)
            let seen = Guarded(Seen())
            let place = try await Self.place(fixture, [anna.user.id]) { call in
                let isFirst = seen.withLock { seen in
                    defer { seen.calls.append(call) }
                    return !seen.calls.contains(call)
                }
                guard isFirst, call.hasSuffix("erase") else { return }
                let states = try await fixture.fixture.rows("SELECT state FROM \(fixture.fixture.control("erasures"))")
                let before = try await Self.rows(of: anna.user.id, fixture)
                if call == "billing erase" {
                    #expect(before.contains { $0.hasPrefix("notes") })
                    #expect(await refusal { _ = try await fixture.person("anna") } == "user_already_exists")
                    #expect(try await Self.rows(of: anna.user.id, fixture) == before, "no row was written for the leaving user")
                    seen.withLock { $0.states += states }
                } else {
                    #expect(before.isEmpty)
                    let again = try await fixture.person("anna")
                    try await Self.write(5, of: again.user.id, fixture)
                    let rows = try await Self.rows(of: again.user.id, fixture)
                    seen.withLock { seen in
                        seen.states += states
                        seen.again = again
                        seen.rows = rows
                    }
                }
            }
            let rules = ServiceRules(secondLook: 600, poll: 1)
            let workers = place.workers(rules, closing: AuthorityClosing(fixture.authority))
            let asked = try await place.requests(rules).request(anna.user.id.text).erasure.id
            await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
            #expect(try await place.states() == ["done"], "\(fixture.fixture.log.lines.suffix(5))")
            let told = seen.withLock { $0 }
            #expect(told.states == ["running", "running"])
            let again = try #require(told.again)
            #expect(again.user.id != anna.user.id && again.user.email == anna.user.email)
            let receipt = try await place.engine.openReceipt(of: asked)
            #expect(receipt.erased["notes"] == 2 && receipt.erased["billing"] == 2 && receipt.erased["pool"] == 2)
            #expect(receipt.verification.readBack.rowsLeft == 0)

            // The second look also covers the subject of the erasure.
            try await fixture.fixture.run("UPDATE \(fixture.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z'")
            try await Reverifier(workers: workers).perform()
            #expect(try await place.states() == ["done"])
            #expect(try await place.requests().latest(of: again.user.id.text) == nil, "no request was made to erase the new user")
            #expect(try await Self.rows(of: again.user.id, fixture) == told.rows)
            #expect(told.rows.count { $0.hasPrefix("notes") } == 2)
            #expect(try await Self.rows(of: anna.user.id, fixture).isEmpty)
            #expect(try await Self.rows(of: neighbour, fixture) == neighbours)
            #expect(await refusal { _ = try await fixture.caller(anna) } != nil)
            #expect(try await fixture.caller(again).user.id == again.user.id)
            #expect(try await fixture.signIn("anna").user.id == again.user.id)
        }
    }

    /// Two notes of a user.
    private static func write(_ first: Int, of person: UUID, _ fixture: AuthorityFixture) async throws {
        for number in first...first + 1 {
            _ = try await fixture.run(
                "INSERT INTO notes (id, body, user_id) VALUES ($1, 'a', $2)", .integer(Int64(number)), .uuid(person))
        }
    }

    /// All data of a user in the database.
    private static func rows(of person: UUID, _ fixture: AuthorityFixture) async throws -> [String] {
        let places = [
            (fixture.table("users"), "id"), (fixture.table("identities"), "user_id"), (fixture.table("sessions"), "user_id"),
            ("notes", "user_id"),
        ]
        var lines: [String] = []
        for (table, column) in places {
            let found = try await fixture.run("SELECT * FROM \(table) WHERE \(column) = $1", .uuid(person))
            lines += found.rows.map { "\(table) \($0)" }
        }
        return lines.sorted()
    }

    /// A requests and workers beside the accounts, with a system whose turn is before the rows and one whose turn is after.
    private static func place(
        _ fixture: AuthorityFixture, _ people: [UUID], watch: @escaping @Sendable (String) async throws -> Void
    ) async throws -> WorkerFixture {
        let inner = fixture.fixture
        let users = inner.dialect == .postgresql ? TableName(schema: "auth", "users") : TableName("auth_users")
        var plan = try PlanDerivation.draft(
            from: try await Schema.read(from: inner.database), subject: ColumnName(users, "id")
        ).plan.answeringAll(.owner)
        plan.systems = [
            SystemPlan(name: "billing", kind: "watched"), SystemPlan(name: "pool", kind: "watched", stage: .identity),
        ]
        let entries = Dictionary(uniqueKeysWithValues: people.map { ($0.text, 2) })
        let environment = inner.environment()
        let engine = try await ErasureEngine.open(
            inner.database, plan: plan, folder: inner.folder, state: inner.state,
            connectors: [
                "billing": WatchedSystem("billing", entries, .sound, watch: watch),
                "pool": WatchedSystem("pool", entries, .sound, watch: watch),
            ], environment: environment)
        return WorkerFixture(fixture: inner, engine: engine)
    }
}
