// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Keys that another person now has")
struct KeyHolderTests {
    private static let script = """
        CREATE TABLE people (name varchar(40) PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author varchar(40) REFERENCES people (name) ON DELETE CASCADE);
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES ('anna', 'anna@example.org'), ('bob', 'bob@example.org');
        INSERT INTO posts VALUES (1, 'anna'), (2, 'bob');
        """

    private static let newcomer = "INSERT INTO people VALUES ('anna', 'other@example.org'); INSERT INTO posts VALUES (3, 'anna')"

    private func with(
        _ dialect: SQLDialect, faults: [ConnectorFault],
        _ use: (EngineFixture, ErasureEngine, ImaginedSystem) async throws -> Void
    ) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let plan = try await fixture.plan(key: "name", identifiers: [("people", "email")]) { plan in
                plan.systems = [SystemPlan(name: "pool", kind: "imagined", stage: .identity)]
            }
            let pool = ImaginedSystem(["anna": 1], faults: faults)
            let clock = fixture.clock
            let environment = EngineEnvironment(
                now: { clock.now }, makeIdentifier: { UUID() },
                sleep: { if $0 >= .seconds(3) { try await ContinuousClock().sleep(for: $0) } }, owner: "here:1:a",
                isDead: { _ in true }, log: fixture.log.logger)
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["pool": pool],
                environment: environment)
            try await use(fixture, engine, pool)
        }
    }

    private func requireUntouched(_ fixture: EngineFixture) async throws {
        #expect(
            try await fixture.rows("SELECT name, email FROM people ORDER BY name")
                == ["anna other@example.org", "bob bob@example.org"])
        #expect(try await fixture.rows("SELECT id FROM posts ORDER BY id") == ["2", "3"])
    }

    @Test(
        "BX-4 SV-7 a parked erasure whose key another person now has is not released, and touches nothing under the key",
        arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await with(dialect, faults: [.credentials("pool", needs: "users: write")]) { fixture, engine, pool in
            guard case .parked(let id, _)? = try await engine.erase(["anna"]).first else {
                Issue.record("It is not parked.")
                return
            }
            #expect(try await fixture.rows("SELECT name FROM people") == ["bob"])
            try await fixture.run(Self.newcomer)
            await pool.mend()
            #expect(await code { _ = try await engine.release(id) } == "subject.key-given-again")
            try await requireUntouched(fixture)
            #expect(await pool.entries == ["anna": 1], "the account there may be the other person's, too")
            try await fixture.run("UPDATE people SET email = 'anna@example.org' WHERE name = 'anna'")
            #expect(try await engine.release(id).map(\.word) == ["done"], "the same person's row that came back")
            #expect(try await fixture.rows("SELECT name FROM people") == ["bob"])
        }
    }

    @Test(
        "BX-4 SV-7 F14 an interrupted erasure whose key another person now has parks, and touches nothing under the key",
        arguments: SQLDialect.allCases)
    func interrupted(_ dialect: SQLDialect) async throws {
        try await with(dialect, faults: [.passing("pool", "status 503")]) { fixture, engine, pool in
            #expect(try await engine.erase(["anna"]).map(\.word) != ["done"])
            try await fixture.run(Self.newcomer)
            await pool.mend()
            fixture.clock.now.addTimeInterval(86_400)
            let outcomes = try await engine.resume(takingOver: true)
            #expect(outcomes.first?.cause?.contains("another row of") == true, "\(outcomes)")
            try await requireUntouched(fixture)
            let id = try #require(try await engine.statuses(ofSubject: "anna").first).erasure.id
            #expect(await code { _ = try await engine.release(id) } == "subject.key-given-again")
            try await fixture.run("DELETE FROM posts WHERE id = 3; DELETE FROM people WHERE name = 'anna'")
            #expect(try await engine.release(id).map(\.word) == ["done"])
            #expect(await pool.entries.isEmpty)
        }
    }

    @Test("OP-4 BX-7 a person without identifiers who has an erased key is doubtful, and not erased again", arguments: SQLDialect.allCases)
    func nameless(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            try await fixture.run("UPDATE people SET email = NULL")
            let engine = try await fixture.engine(try await fixture.plan(key: "name", identifiers: [("people", "email")]))
            #expect(try await engine.erase(["anna"]).map(\.word) == ["done"])
            try await fixture.run("INSERT INTO people VALUES ('anna', NULL)")
            let returned = try await engine.findReturned()
            #expect(returned.certain.isEmpty && returned.doubtful == ["anna"], "\(returned)")
        }
    }

    @Test("AD-8 SB-5 the second look does not touch a person with the key of an erased one", arguments: SQLDialect.allCases)
    func secondLook(_ dialect: SQLDialect) async throws {
        let rules = ServiceRules(secondLook: 600, poll: 1)
        try await WorkerFixture.with(dialect) { place in
            #expect(try await place.erased("1", rules)?.state == .done)
            try await place.fixture.run("INSERT INTO people (id, email) VALUES (1, 'new@example.org')")
            try await place.fixture.run(
                "UPDATE \(place.fixture.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z' WHERE look_at IS NOT NULL")
            try await Reverifier(workers: place.workers(rules)).perform()
            #expect(try await place.states() == ["done"])
            #expect(try await place.fixture.rows("SELECT email FROM people WHERE id = 1") == ["new@example.org"])
        }
    }

    @Test(
        "BX-7 randomly generated identifiers are given once; names and numbers are not",
        arguments: [
            ("aB3kZ9Qw1xY7tR5vN2mP8sL4dG6h", true), ("507f1f77bcf86cd799439011", true), ("01ARZ3NDEKTSV4RRFFQ69G5FAV", true),
            ("cjld2cjxh0000qzrmn831i7rn", true), ("9b2d7f0e-0d7a-4b1c-8f3e-2a6c5d4e3f21", true), ("anna", false),
            ("christopher_johnson_1985", false), ("12345678901234567890", false), ("a1b2c3d4e5@example.org.of.mine", false),
        ])
    func random(_ key: String, _ isUnique: Bool) {
        #expect(KeyHolder.isGivenOnce(key) == isUnique)
    }
}
