// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system that accepts and calls back. Its messages are a key and a number, with a space between them.
private actor ReportingSystem: CalledBackConnector {
    private(set) var keys: [String] = []
    private var left = 1
    /// The results of the first readings.
    private var readings: [ConnectorReading]
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    init(_ readings: [ConnectorReading] = []) { self.readings = readings }

    func empty() { left = 0 }

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer {
        if let news = request.news { return .erased(Int(news) ?? 0) }
        if keys.last != request.key { keys.append(request.key) }
        return .accepted(cursor: "waiting", seconds: 300)
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading {
        if !readings.isEmpty { return readings.removeFirst() }
        return left == 0 ? .gone : .left(left)
    }

    nonisolated func hear(_ message: SystemMessage) throws -> SystemNews {
        let text = String(decoding: message.body, as: UTF8.self)
        let space = try #require(text.lastIndex(of: " "))
        return SystemNews(key: String(text[..<space]), text: String(text[text.index(after: space)...]))
    }
}

@Suite("Reports of systems that call back")
struct RepeatedReportTests {
    /// A place with users 1 and 2 and a system, its requests, and the key of the first request about user 1.
    private static func with(
        _ dialect: SQLDialect, _ system: ReportingSystem,
        _ use: (WorkerFixture, ErasureRequests, UUID, String) async throws -> Void
    ) async throws {
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let plan = try await WorkerFixture.plan(fixture) { $0.systems = [SystemPlan(name: "crm", kind: "reporting")] }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["crm": system],
                environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            let requests = place.requests()
            let id = try await requests.request("1").erasure.id
            try await use(place, requests, id, "\(id.uuidString.lowercased())/system: crm")
        }
    }

    @Test(
        "SY-1 BX-5 the second look at a system uses no key of an earlier request, and counts its reports after a restart",
        arguments: SQLDialect.allCases)
    func secondLook(_ dialect: SQLDialect) async throws {
        // Data is left once in the step and twice in the second look.
        let system = ReportingSystem([.left(1), .gone, .left(1), .left(1)])
        await system.empty()
        try await Self.with(dialect, system) { place, requests, id, first in
            let keys = [first] + (1...3).map { "\(first)/again/\($0)" }
            @Sendable func report(_ key: String) async throws {
                try await requests.hear(SystemMessage(headers: [:], body: Array("\(key) 1".utf8)), from: "crm")
            }
            @Sendable func eventuallyReady(_ condition: @Sendable () async throws -> Bool) async throws {
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return try await condition()
                }
            }
            try await place.working {
                for (number, key) in keys.dropLast().enumerated() {
                    try await eventuallyReady { await system.keys == Array(keys[...number]) }
                    // The second look waits for its own report, whatever is repeated.
                    if number < 2 { try await report(key) } else { for key in keys[..<2] { try await report(key) } }
                }
            }
            let news = "SELECT count(*) FROM \(place.fixture.control("news"))"
            #expect(try await place.fixture.rows(news) == ["2"])
            // No worker is there when the report comes.
            try await report(keys[2])
            #expect(try await place.fixture.rows(news) == ["3"])
            try await place.working {
                try await eventuallyReady { await system.keys == keys }
                try await report(keys[3])
                try await eventuallyReady { try await requests.erasure(id)?.state == .done }
            }
            #expect(await system.keys == keys)
        }
    }

    @Test(
        "SY-1 BX-5 of a system's reports one counts for each request, whatever is repeated after data was found left",
        arguments: SQLDialect.allCases)
    func repeated(_ dialect: SQLDialect) async throws {
        let system = ReportingSystem()
        try await Self.with(dialect, system) { place, requests, id, first in
            @Sendable func report(_ key: String, _ count: Int) async throws {
                try await requests.hear(SystemMessage(headers: [:], body: Array("\(key) \(count)".utf8)), from: "crm")
            }
            @Sendable func untilAsked(_ keys: [String]) async throws {
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return await system.keys == keys
                }
            }
            try await place.working {
                try await untilAsked([first])
                // No report of a request that was never made.
                try await report("\(first)/again/1", 7)
                try await report(first, 1)
                try await untilAsked([first, "\(first)/again/1"])
                for _ in 0..<3 { try await report(first, 1) }
                #expect(try await place.fixture.rows("SELECT step FROM \(place.fixture.control("news"))") == ["system: crm"])
                await system.empty()
                try await report("\(first)/again/1", 2)
                for _ in 0..<3 { try await report("\(first)/again/1", 2) }
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return try await requests.erasure(id)?.state == .done
                }
            }
            #expect(await system.keys == [first, "\(first)/again/1"])
            #expect(try await place.engine.openReceipt(of: id).erased["crm"] == 3)
            await #expect(throws: FarewellError.self) { try await report("\(first)/again/01", 1) }
            // As from a known system whose signature is wrong.
            await #expect(throws: SystemMessage.unsigned) {
                try await requests.hear(SystemMessage(headers: [:], body: []), from: "ledger")
            }
        }
    }

    @Test(
        "SY-1 O4 if a name is shared again for a while, the later request about it has a key of its own",
        arguments: SQLDialect.allCases)
    func sharedAgain(_ dialect: SQLDialect) async throws {
        let (crm, slow) = (ReportingSystem(), ReportingSystem([.gone, .left(1)]))
        for system in [crm, slow] { await system.empty() }
        let people = "INSERT INTO people VALUES (1, 'both@example.org'), (2, 'both@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, WorkerFixture.tables + people, postgresql: wide) { fixture in
            let email = ColumnName(fixture.name("people"), "email")
            let plan = try await WorkerFixture.plan(fixture) {
                $0.subject.identifiers = [email]
                $0.systems = [
                    SystemPlan(name: "crm", kind: "reporting", person: .column(email)), SystemPlan(name: "slow", kind: "reporting"),
                ]
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state,
                connectors: ["crm": crm, "slow": slow], environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            // Each look while a system is slow counts as a failure.
            var rules = WorkerFixture.brisk
            rules.maximumAttempts = 100_000
            let requests = place.requests(rules)
            let id = try await requests.request("1").erasure.id
            let start = "\(id.uuidString.lowercased())/system: "
            let ended = "SELECT count(*) FROM \(fixture.control("steps")) WHERE name = 'system: crm' AND progress LIKE '%ended%'"
            @Sendable func report(_ key: String, from name: String) async throws {
                try await requests.hear(SystemMessage(headers: [:], body: Array("\(start)\(name)\(key) 1".utf8)), from: name)
            }
            @Sendable func eventuallyReady(_ condition: @Sendable () async throws -> Bool) async throws {
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return try await condition()
                }
            }
            try await place.working(place.workers(rules)) {
                try await eventuallyReady { await slow.keys == [start + "slow"] }
                try await report("", from: "slow")
                // From now on the erasure looks again and again.
                try await eventuallyReady { await slow.keys.count == 2 }
                #expect(await crm.keys.isEmpty)
                try await fixture.run("DELETE FROM people WHERE id = 2")
                try await eventuallyReady { await crm.keys == [start + "crm/late/0"] }
                try await fixture.run("INSERT INTO people VALUES (3, 'both@example.org')")
                try await eventuallyReady { try await fixture.rows(ended) == ["1"] }
                try await fixture.run("DELETE FROM people WHERE id = 3")
                try await eventuallyReady { await crm.keys == [start + "crm/late/0", start + "crm/late/0/again/2"] }
                try await report("/late/0/again/2", from: "crm")
                try await report("/again/1", from: "slow")
                try await eventuallyReady { try await requests.erasure(id)?.state == .done }
            }
            #expect(try await engine.openReceipt(of: id).erased["crm"] == 1)
        }
    }
}
