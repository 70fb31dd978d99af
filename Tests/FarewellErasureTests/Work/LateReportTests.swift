// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A system that accepts once, and whose connector then gives up. Its messages are a key.
private actor ForgetfulSystem: CalledBackConnector {
    private(set) var keys: [String] = []
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer {
        if request.news != nil { return .erased(1) }
        guard request.cursor == nil else {
            throw ConnectorFault(FarewellError("connector.silent", .yoursToFix, "It does not call back.")).anewUnlessReported
        }
        keys.append(request.key)
        return .accepted(cursor: "waiting", seconds: 0)
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }

    nonisolated func hear(_ message: SystemMessage) -> SystemNews {
        SystemNews(key: String(decoding: message.body, as: UTF8.self), text: "erased")
    }
}

@Suite("Reports that come late")
struct LateReportTests {
    @Test(
        "SY-1 a report that comes after its erasure was parked for want of it releases the erasure, and counts",
        arguments: SQLDialect.allCases)
    func late(_ dialect: SQLDialect) async throws {
        let system = ForgetfulSystem()
        let script = WorkerFixture.tables + "INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let plan = try await WorkerFixture.plan(fixture) { $0.systems = [SystemPlan(name: "crm", kind: "forgetful")] }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: ["crm": system],
                environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            let requests = place.requests()
            let (one, two) = (try await requests.request("1").erasure.id, try await requests.request("2").erasure.id)
            @Sendable func key(_ id: UUID) -> String { "\(id.uuidString.lowercased())/system: crm" }
            @Sendable func report(_ key: String) async throws {
                try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: "crm")
            }
            @Sendable func reach(_ state: ErasureState, _ id: UUID) async throws {
                try await eventually {
                    try await place.ripen()
                    place.signals.work.wake()
                    return try await requests.erasure(id)?.state == state
                }
            }
            try await place.working {
                for id in [one, two] { try await reach(.needsAttention, id) }
                try await report(key(one))
                try await reach(.done, one)
                // An operator was quicker: the report of the earlier request has no effect any more.
                try await requests.release(two, by: "operator")
                try await eventually {
                    place.signals.work.wake()
                    return await system.keys.contains("\(key(two))/again/1")
                }
                try await report(key(two))
                try await reach(.needsAttention, two)
                try await report("\(key(two))/again/1")
                try await reach(.done, two)
            }
            #expect(await Set(system.keys) == [key(one), key(two), "\(key(two))/again/1"])
            for id in [one, two] { #expect(try await engine.openReceipt(of: id).erased["crm"] == 1) }
        }
    }
}
