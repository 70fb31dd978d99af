// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// The calls for one erasure, and during which of them it is held.
private struct WatchedCalls: Sendable {
    var erasure: UUID?
    var point = 0
    var number = 0
    var isHeld = false
    /// Calls that erase, begun while the erasure was held.
    var forbidden: [String] = []

    /// Whether it is to be held during this call.
    mutating func note(_ call: String) -> Bool {
        number += 1
        if isHeld, call.hasSuffix("erase") { forbidden.append(call) }
        return number == point
    }
}

@Suite("Holds in the middle of an erasure")
struct HoldTests {
    private static let people = 40

    @Test(
        "F20 a hold during any call to a system stops all further erase calls and row deletions until the release",
        arguments: SQLDialect.allCases)
    func everywhere(_ dialect: SQLDialect) async throws {
        // One before the rows, one after them.
        let systems = [SystemPlan(name: "billing", kind: "watched"), SystemPlan(name: "pool", kind: "watched", stage: .identity)]
        let held = try await holdEverywhere(dialect, systems, .sound)
        #expect(held >= 10, "an erasure has more calls than \(held)")
    }

    @Test(
        "F20 an erasure held during a system's temporary failure, or after data returned, does not call the system again",
        arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        let held = try await holdEverywhere(dialect, [SystemPlan(name: "billing", kind: "watched")], .restless)
        #expect(held >= 8, "an erasure has more calls than \(held)")
    }

    /// Holds an erasure during its first call, the next one during its second, and so on until one has no more calls.
    ///
    /// - Returns: how many were held.
    private func holdEverywhere(
        _ dialect: SQLDialect, _ systems: [SystemPlan], _ manner: WatchedSystem.Manner
    ) async throws -> Int {
        let calls = Guarded(WatchedCalls())
        let holding = Guarded<ErasureRequests?>(nil)
        let watch: @Sendable (String) async throws -> Void = { call in
            guard calls.withLock({ $0.note(call) }), let requests = holding.withLock({ $0 }),
                let id = calls.withLock({ $0.erasure })
            else { return }
            let held = try await requests.hold(id, reason: "lawsuit 9", by: "operator")
            #expect(held.holdReason == "lawsuit 9" && held.state.isLive)
            calls.withLock { $0.isHeld = true }
        }
        let entries = Dictionary(uniqueKeysWithValues: (1...Self.people).map { ("\($0)", 2) })
        let connectors = Dictionary(
            uniqueKeysWithValues: systems.map { ($0.name, WatchedSystem($0.name, entries, manner, watch: watch)) })
        var held = Self.people
        try await Self.place(dialect, systems, connectors.mapValues { $0 as any Connector }) { place in
            holding.withLock { $0 = place.requests() }
            let batch = place.workers().batch { _ in }
            let rescuer = Rescuer(workers: place.workers())
            for point in 1...Self.people {
                let id = try await place.requests().request("\(point)").erasure.id
                calls.withLock { $0 = WatchedCalls(erasure: id, point: point) }
                await batch.carryOut(try #require(await place.workers().claimed()))
                let wasHeld = calls.withLock { $0.isHeld }
                if wasHeld {
                    let before = try await Self.world(place, connectors)
                    try await rescuer.rescue()
                    let forbidden = calls.withLock { $0.forbidden }
                    #expect(forbidden.isEmpty, "held at \(point)")
                    #expect(try await Self.world(place, connectors) == before, "held at \(point)")
                    #expect(try await place.requests().erasure(id)?.state.isAtRest == false, "held at \(point)")
                    calls.withLock { $0.isHeld = false }
                    _ = try await place.requests().endHold(of: id, by: "operator")
                    try await rescuer.rescue()
                }
                #expect(try await place.requests().erasure(id)?.state == .done, "held at \(point): \(place.fixture.log.lines.suffix(5))")
                let told = try await place.engine.openReceipt(of: id).erased
                #expect(told["people"] == 1 && told["posts"] == 2 && told.count == 2 + systems.count, "held at \(point): \(told)")
                // Reappeared data may have been met before the step was done, and counts then.
                let counts = manner == .sound ? 2...2 : 2...3
                for system in systems { #expect(counts.contains(told[system.name] ?? 0), "held at \(point): \(told)") }
                #expect(try await place.fixture.count("people") == Self.people - point)
                for system in connectors.values { #expect(await system.left.count == Self.people - point) }
                guard wasHeld else {
                    held = point - 1
                    break
                }
            }
            #expect(held < Self.people, "no erasure came to its end without being held")
            _ = try await place.engine.verifyAudit()
        }
        return held
    }

    /// All rows of all users, and the data of every system.
    private static func world(_ place: WorkerFixture, _ systems: [String: WatchedSystem]) async throws -> [String: [String]] {
        var world = try await place.fixture.everything()
        for (name, system) in systems { world[name] = await system.left.map { "\($0.key) \($0.value)" }.sorted() }
        return world
    }

    private static func place(
        _ dialect: SQLDialect, _ systems: [SystemPlan], _ connectors: [String: any Connector],
        _ use: (WorkerFixture) async throws -> Void
    ) async throws {
        try await WorkerFixture.with(dialect, people: people) { place in
            let (fixture, clock) = (place.fixture, place.fixture.clock)
            let environment = EngineEnvironment(
                now: { clock.now }, makeIdentifier: { UUID() },
                // Renewing a lease waits for good; the pauses between tries do not wait at all.
                sleep: { if $0 >= .seconds(3) { try await ContinuousClock().sleep(for: $0) } }, owner: "here:1:a",
                isDead: { _ in false }, log: fixture.log.logger)
            let engine = try await ErasureEngine.open(
                fixture.database, plan: try await WorkerFixture.plan(fixture) { $0.systems = systems }, folder: fixture.folder,
                state: fixture.state, connectors: connectors, environment: environment)
            try await use(WorkerFixture(fixture: fixture, engine: engine))
        }
    }

    @Test(
        "F20 a hold at the moment of the claim: whichever comes first, nothing is erased until the hold ends",
        arguments: SQLDialect.allCases)
    func claimed(_ dialect: SQLDialect) async throws {
        let people = 60
        try await WorkerFixture.with(dialect, people: people) { place in
            let requests = place.requests()
            let workers = place.workers(ServiceRules(secondLook: 0, batch: 2, poll: 1))
            var requested: [UUID] = []
            for number in 1...people { requested.append(try await requests.request("\(number)").erasure.id) }
            let asked = requested
            let claims = try await withThrowingTaskGroup(of: [ErasureRecord].self) { group in
                for (number, id) in asked.enumerated() {
                    group.addTask {
                        let held = try await requests.hold(id, reason: "lawsuit 10", by: "operator")
                        #expect(held.holdReason == "lawsuit 10")
                        return []
                    }
                    if number.isMultiple(of: 2) { group.addTask { try #require(await workers.claimed()) } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let batch = workers.batch { _ in }
            for claim in claims where !claim.isEmpty { await batch.carryOut(claim) }
            #expect(try await place.fixture.count("people") == people)
            #expect(try await place.fixture.count("posts") == 2 * people)
            for id in asked { _ = try await requests.endHold(of: id, by: "operator") }
            try await place.ripen()
            try await place.working {
                for id in asked {
                    let ended = try await requests.wait(for: id, atMost: 60)
                    #expect(ended?.state == .done)
                }
            }
            #expect(try await place.fixture.count("people") == 0)
        }
    }
}
