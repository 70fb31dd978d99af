// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Five systems that each do nothing until all of them have been asked.
private actor MeetingPoint {
    private let expected: Int
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    init(_ expected: Int) { self.expected = expected }

    func arrive(for what: String) async {
        await withCheckedContinuation { waiter in
            waiting[what, default: []].append(waiter)
            guard waiting[what]?.count == expected else { return }
            waiting.removeValue(forKey: what)?.forEach { $0.resume() }
        }
    }
}

private struct MeetingSystem: Connector {
    let point: MeetingPoint
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) async -> Int? {
        await point.arrive(for: "count")
        return 1
    }

    func erase(_ request: ConnectorRequest) async -> ConnectorAnswer {
        await point.arrive(for: "erase")
        return .erased(1)
    }

    func verify(_ request: ConnectorRequest) async -> ConnectorReading {
        await point.arrive(for: "verify")
        return .gone
    }
}

@Suite("Parallel systems")
struct SideBySideTests {
    @Test("five systems are called in parallel in each phase: none waits for another's answer", .timeLimit(.minutes(30)))
    func sideBySide() async throws {
        let names = ["a", "b", "c", "d", "e"]
        let script = "CREATE TABLE people (id integer PRIMARY KEY); INSERT INTO people VALUES (1), (2);"
        try await EngineFixture.with(.sqlite, script) { fixture in
            let point = MeetingPoint(names.count)
            let plan = try await fixture.plan { plan in plan.systems = names.map { SystemPlan(name: $0, kind: "meeting") } }
            let clock = fixture.clock
            let environment = EngineEnvironment(
                now: { clock.now }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
                owner: "here:1:a", isDead: { _ in false }, log: fixture.log.logger)
            let systems = Dictionary(uniqueKeysWithValues: names.map { ($0, MeetingSystem(point: point) as any Connector) })
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: systems,
                environment: environment)
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.erased == ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "people": 1])
        }
    }
}
