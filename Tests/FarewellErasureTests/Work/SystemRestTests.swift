// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system that keeps what it has until a day.
private actor PatientSystem: Connector {
    private let clock: FixtureClock
    private let day: Double
    private var isThere = true
    private(set) var cursors: [String?] = []
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    init(until day: Double, by clock: FixtureClock) {
        self.clock = clock
        self.day = day
    }

    func count(_ request: ConnectorRequest) -> Int? { isThere ? 1 : 0 }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer {
        cursors.append(request.cursor)
        guard clock.now.timeIntervalSince1970 >= day else {
            return .resting(cursor: "told once", until: day, why: "it was paid for")
        }
        isThere = false
        return .erased(1)
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { isThere ? .left(1) : .gone }
}

/// A system that asks for a pause of two hours at each call.
private actor ThrottledSystem: Connector {
    private(set) var calls = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) throws -> Int? {
        calls += 1
        throw ConnectorFault.throttled("billing", retryAfter: 7_200)
    }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer { throw ConnectorFault.throttled("billing") }

    func verify(_ request: ConnectorRequest) throws -> ConnectorReading { throw ConnectorFault.throttled("billing") }
}

@Suite("A system that waits until a day")
struct SystemRestTests {
    @Test(
        "SV-7 a system waits until its day with its reason; nothing fails, no worker claims it before, and then it ends",
        arguments: SQLDialect.allCases)
    func rests(_ dialect: SQLDialect) async throws {
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let clock = fixture.clock
            let system = PatientSystem(until: clock.now.timeIntervalSince1970 + 20 * 86_400, by: clock)
            let environment = fixture.environment()
            let plan = try await WorkerFixture.plan(fixture) { $0.systems = [SystemPlan(name: "billing", kind: "patient")] }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["billing": system],
                environment: environment)
            let place = WorkerFixture(fixture: fixture, engine: engine)
            let requests = place.requests()
            let asked = try await requests.request("1")
            @Sendable func status() async throws -> ErasureStatus { try #require(try await engine.status(of: asked.erasure.id)) }
            try await place.working {
                try await eventually {
                    let now = try await status()
                    return now.rest != nil && now.erasure.owner == nil
                }
                let now = try await status()
                #expect(now.rest == "The system billing is paused until 2025-12-11: it was paid for.")
                #expect(now.erasure.state == .running && now.waitsForSystem && now.erasure.attempts == 0)
                #expect(try await fixture.count("people") == 2, "rows go when every system is done")
                let later =
                    dialect == .postgresql ? "now() + interval '19 days'" : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+19 days')"
                #expect(
                    try await fixture.rows(
                        "SELECT failures FROM \(fixture.control("requests")) WHERE ready_at > \(later)") == ["0"])
                let free = engine.control.leases.abandonedUnheld(
                    limit: 10, under: engine.prepared.planFingerprint)
                #expect(try await free.run(in: fixture.database).isEmpty)

                clock.now = clock.now.addingTimeInterval(20 * 86_400)
                try await place.ripen()
                place.signals.work.wake()
                #expect(try await requests.wait(for: asked.erasure.id, atMost: 60)?.state == .done)
            }
            #expect(await system.cursors == [nil, "told once"])
            #expect(try await engine.openReceipt(of: asked.erasure.id).erased == ["billing": 1, "people": 1])
            #expect(try await status().rest == nil)
            #expect(!fixture.log.lines.contains { $0.contains("An attempt at an erasure failed") }, "nothing has failed")
        }
    }

    @Test(
        "F11 no worker takes an erasure before the pause that its system asks for is over, and the attempt counts as failed",
        arguments: SQLDialect.allCases)
    func longPause(_ dialect: SQLDialect) async throws {
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let system = ThrottledSystem()
            let plan = try await WorkerFixture.plan(fixture) { $0.systems = [SystemPlan(name: "billing", kind: "throttled")] }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["billing": system],
                environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            _ = try await place.requests().request("1")
            let inAnHour = dialect == .postgresql ? "now() + interval '1 hour'" : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 hours')"
            let question = "SELECT failures FROM \(fixture.control("requests")) WHERE ready_at > \(inAnHour)"
            try await place.working {
                try await eventually { try await fixture.rows(question) == ["1"] }
                place.signals.work.wake()
            }
            #expect(await system.calls == 1)
        }
    }

    @Test(
        "BX-5 another program's writes into a remaining row while a system waits stay, and the receipt names the place",
        arguments: SQLDialect.allCases)
    func rowsThatStay(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id), body text);
            CREATE INDEX by_author ON posts (author);
            INSERT INTO people VALUES (1, 'a@example.org');
            INSERT INTO posts VALUES (10, 1, 'mine'), (11, 1, 'mine, too');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let clock = fixture.clock
            let system = PatientSystem(until: clock.now.timeIntervalSince1970 + 20 * 86_400, by: clock)
            let environment = fixture.environment()
            let plan = try await fixture.plan { plan in
                plan.set("posts", .anonymise, ["author": .null, "body": .null])
                plan.systems = [SystemPlan(name: "pool", kind: "patient", stage: .identity)]
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["pool": system],
                environment: environment)
            let resting = try await engine.erase(["1"])
            #expect(resting.map(\.word) == ["unfinished"], "\(resting)")
            #expect(try await fixture.rows("SELECT id, author, body FROM posts") == ["10 - -", "11 - -"])

            try await fixture.run("UPDATE posts SET body = '[removed]' WHERE id = 10")
            clock.now = clock.now.addingTimeInterval(20 * 86_400)
            let outcomes = try await engine.resume()
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(try await fixture.rows("SELECT id, author, body FROM posts") == ["10 - [removed]", "11 - -"])
            #expect(receipt.anonymised == ["posts": 2] && receipt.erased == ["people": 1, "pool": 1], "\(receipt.steps)")
            let note = try #require(receipt.notVerifiable.first { $0.about == "rows that stay" }?.note)
            #expect(note.hasPrefix("Rows of \(fixture.name("posts")) were changed"), "\(note)")
        }
    }
}
