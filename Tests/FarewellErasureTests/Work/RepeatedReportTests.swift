// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system that accepts and calls back. Its messages are a key and a number, with a space between them.
private actor ReportingSystem: CalledBackConnector {
    private(set) var keys: [String] = []
    private var left = 1
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    func empty() { left = 0 }

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer {
        if let news = request.news { return .erased(Int(news) ?? 0) }
        if keys.last != request.key { keys.append(request.key) }
        return .accepted(cursor: "waiting", seconds: 300)
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { left == 0 ? .gone : .left(left) }

    nonisolated func hear(_ message: SystemMessage) throws -> SystemNews {
        let text = String(decoding: message.body, as: UTF8.self)
        let space = try #require(text.lastIndex(of: " "))
        return SystemNews(key: String(text[..<space]), text: String(text[text.index(after: space)...]))
    }
}

@Suite("Reports of systems that call back")
struct RepeatedReportTests {
    @Test(
        "SY-1 BX-5 of a system's reports one counts for each request, whatever is repeated after data was found left",
        arguments: SQLDialect.allCases)
    func repeated(_ dialect: SQLDialect) async throws {
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let system = ReportingSystem()
            let plan = try await WorkerFixture.plan(fixture) { $0.systems = [SystemPlan(name: "crm", kind: "reporting")] }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["crm": system],
                environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            let requests = place.requests()
            let id = try await requests.request("1").erasure.id
            let first = "\(id.uuidString.lowercased())/system: crm"
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
                #expect(try await fixture.rows("SELECT step FROM \(fixture.control("news"))") == ["system: crm"])
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
            #expect(try await engine.openReceipt(of: id).erased["crm"] == 3)
            await #expect(throws: FarewellError.self) { try await report("\(first)/again/01", 1) }
        }
    }
}
