// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Testing

/// A system that asks for two hours at the first call.
private actor PausingSystem: Connector {
    private var hasPaused = false
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) throws -> Int? {
        guard hasPaused else {
            hasPaused = true
            throw ConnectorFault.throttled("it", retryAfter: 7_200)
        }
        return 3
    }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer { .erased(3) }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }
}

@Suite("Behaviour of systems towards their callers")
struct SystemTroubleTests {
    @Test("F11 in a storm of 429 answers no worker calls before the stated time, the order stays, and no attempt is lost")
    func storm() async throws {
        let service = CustomerService(["ada", "bob", "cyd", "dee"])
        let connector = try service.connector()
        // Far longer than four tries: each of which a failure would have used up.
        await service.storm(until: 60)
        for person in ["ada", "bob", "cyd", "dee"] {
            let driver = ConnectorDriver("billing", connector, sleep: service.clock.sleep, chance: { 0.5 })
            let progress = try await driver.run(.init(key: "run/\(person)", names: [person]), from: nil) { _ in }
            #expect(progress.counts["erased"] == 1)
        }
        let calls = await service.calls
        let refused = calls.filter { $0.status == 429 }
        #expect(refused.map(\.at) == [0, 7, 14, 21, 28, 35, 42, 49, 56], "\(refused.map(\.at))")
        #expect(calls.filter { $0.method == "DELETE" }.map(\.person) == ["ada", "bob", "cyd", "dee"])
        #expect(await service.customers.isEmpty)
    }

    @Test("F11 a 429 for one user applies to all users: the next erasure waits before its first call, not after it")
    func together() async throws {
        let service = CustomerService(["ada", "bob"])
        let connector = try service.connector()
        await service.storm(until: 1)
        await #expect(throws: ConnectorFault.throttled("billing", retryAfter: 7)) {
            try await connector.erase(.init(key: "a", names: ["ada"]))
        }
        #expect(try await connector.erase(.init(key: "b", names: ["bob"])) == .erased(1))
        #expect(await service.calls.map(\.at) == [0, 7, 7.125])
    }

    @Test("F11 a pause longer than a worker waits is kept by the erasure, as a failed attempt", arguments: [429, 503])
    func longPause(_ status: Int) async throws {
        let service = AnsweringService { _ in SystemReply(status: status, headers: ["retry-after": "7200"]) }
        let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        let request = ConnectorRequest(key: "run/ada", names: ["ada"])
        let rest = await #expect(throws: SystemRest.self) { try await driver.run(request, from: nil) { _ in } }
        #expect(rest?.due == .after(7_200) && rest?.isFailure == true)
        #expect(rest?.error.code == (status == 429 ? "connector.throttled" : "connector.unavailable"))
        #expect(service.sent.count == 1)
        // A second look asks for the cause alone.
        let error = await fault { _ = try await driver.left(request) }
        #expect(error?.code == rest?.error.code)
    }

    @Test("F11 a system that is to be asked again in an hour is not asked before, and the attempt counts as failed")
    func askedLater() async throws {
        let driver = ConnectorDriver("it", AcceptingSystem(), sleep: { _ in }, chance: { 0.5 })
        let kept = Guarded<StepProgress?>(nil)
        let rest = await #expect(throws: SystemRest.self) {
            try await driver.run(.init(key: "run/ada", names: ["ada"]), from: nil) { progress in kept.withLock { $0 = progress } }
        }
        #expect(rest?.due == .after(3_600) && rest?.isFailure == true && rest?.error.code == "connector.pending")
        #expect(kept.withLock { $0?.cursor } == "begun")
    }

    @Test("F11 a pause for which a system asks before its count is stored with its end, and the next attempt counts first")
    func pauseBeforeCount() async throws {
        var paced = ConnectorDriver("it", PausingSystem(), sleep: { _ in }, chance: { 0.5 })
        paced.time = { 1_000 }
        let (driver, request) = (paced, ConnectorRequest(key: "run/ada", names: ["ada"]))
        let kept = Guarded<StepProgress?>(nil)
        await #expect(throws: SystemRest.self) {
            try await driver.run(request, from: nil) { progress in kept.withLock { $0 = progress } }
        }
        let paused = try #require(kept.withLock { $0 })
        #expect(paused.pausedUntil == 8_200 && paused.counts.isEmpty)
        let ended = try await driver.run(request, from: paused) { _ in }
        #expect(ended.counts == ["found": 3, "erased": 3] && ended.pausedUntil == nil)
    }

    @Test("F12 after an unanswered erasure, a missing subject is success, and a 404 for something else is not")
    func lateAnswer() async throws {
        let service = CustomerService(["ada", "bob"])
        let connector = try service.connector()
        await service.lose(.delete)
        let driver = ConnectorDriver("billing", connector, sleep: service.clock.sleep, chance: { 0.5 })
        let progress = try await driver.run(.init(key: "run/ada", names: ["ada"]), from: nil) { _ in }
        #expect(progress.counts["found"] == 1, "the found data is reported, although no call saw its deletion")
        let deletes = await service.calls.filter { $0.method == "DELETE" }
        #expect(deletes.map(\.status) == [0])
        #expect(await service.customers == ["bob"])
        await service.lose(.project)
        for act in [0, 1] {
            await #expect(throws: ConnectorFault.garbled("billing", "a 404 from elsewhere")) {
                if act == 0 {
                    _ = try await connector.erase(.init(key: "b", names: ["bob"]))
                } else {
                    _ = try await connector.verify(.init(key: "b", names: ["bob"]))
                }
            }
        }
        #expect(await service.customers == ["bob"])
    }

    @Test("the report limits a number from a system to plausible bounds, whatever the number is", arguments: [Int.max, Int.min])
    func boasting(_ number: Int) async throws {
        let driver = ConnectorDriver("billing", BoastfulSystem(number: number), sleep: { _ in }, chance: { 0.5 })
        let progress = try await driver.run(.init(key: "run/ada", names: ["ada"]), from: nil) { _ in }
        let told = number > 0 ? 1 << 40 : 0
        #expect(progress.counts == ["found": told, "erased": told])
    }
}

/// Says of everything that it was as much as can be said, or less than nothing.
private struct BoastfulSystem: Connector {
    let number: Int
    let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    func count(_ request: ConnectorRequest) async -> Int? { number }

    func erase(_ request: ConnectorRequest) async -> ConnectorAnswer {
        request.cursor == nil ? .more(number, cursor: "half") : .erased(number)
    }

    func verify(_ request: ConnectorRequest) async -> ConnectorReading { .gone }
}

/// Has begun, and says that it needs another hour.
private struct AcceptingSystem: Connector {
    let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    func count(_ request: ConnectorRequest) async -> Int? { nil }

    func erase(_ request: ConnectorRequest) async -> ConnectorAnswer { .accepted(cursor: "begun", seconds: 3_600) }

    func verify(_ request: ConnectorRequest) async -> ConnectorReading { .left(1) }
}

/// A clock that advances with each sleep.
private final class SleptClock: Sendable {
    private let time = Guarded(0.0)
    var now: Double { time.withLock { $0 } }
    var sleep: @Sendable (Duration) async throws -> Void {
        { duration in self.time.withLock { $0 += duration / .seconds(1) } }
    }
}

/// Customers, as RevenueCat has them, in memory.
private actor CustomerService: HTTPSending {
    struct Call: Sendable {
        let at: Double
        let method: String
        let person: String
        let key: String?
        /// 0 if the answer was lost.
        let status: Int
    }

    enum Loss: Sendable { case delete, project }

    private(set) var customers: [String]
    private(set) var calls: [Call] = []
    private var stormEnds = 0.0
    private var loss: Loss?
    nonisolated let clock = SleptClock()

    init(_ customers: [String]) { self.customers = customers }

    func storm(until end: Double) { stormEnds = end }
    func lose(_ loss: Loss) { self.loss = loss }

    nonisolated func connector() throws -> any Connector {
        let clock = clock
        let world = ConnectorWorld(
            http: self, now: { clock.now }, uptime: { clock.now }, sleep: clock.sleep, environment: ["KEY": "k"], read: { _ in nil })
        var system = SystemPlan(name: "billing", kind: "revenuecat")
        system.settings = ["project": "p", "endpoint": "https://billing.example"]
        system.secrets = ["key": .environment("KEY")]
        return try RevenueCatConnector(system, world: world)
    }

    func close() async throws {}

    func send(_ call: SystemCall) async throws -> SystemReply {
        let parts = call.path.split(separator: "/").map(String.init)
        let person = parts.count > 4 ? parts[4] : ""
        let reply = clock.now < stormEnds ? SystemReply(status: 429, headers: ["retry-after": "7"]) : answer(call, person)
        let isLost = loss == .delete && call.method == "DELETE"
        if isLost { loss = nil }
        calls.append(
            Call(
                at: clock.now, method: call.method, person: person,
                key: call.headers.first { $0.name == "Idempotency-Key" }?.value, status: isLost ? 0 : reply.status))
        if isLost { throw SendingFailure.late }
        return reply
    }

    private func answer(_ call: SystemCall, _ person: String) -> SystemReply {
        let json = ["content-type": "application/json"]
        if loss == .project {
            return SystemReply(status: 404, headers: json, body: Array(#"{"type":"project_missing"}"#.utf8))
        }
        if call.path.hasSuffix("/customers") {
            return SystemReply(status: 200, headers: json, body: Array(#"{"object":"list","items":[]}"#.utf8))
        }
        guard customers.contains(person) else {
            return SystemReply(status: 404, headers: json, body: Array(#"{"type":"resource_missing"}"#.utf8))
        }
        if call.method == "DELETE" { customers.removeAll { $0 == person } }
        let name = #"{"id":"\#(person)"\#(call.method == "DELETE" ? #","deleted_at":1"# : "")}"#
        let body = call.path.hasSuffix("/aliases") ? #"{"object":"list","items":[\#(name)]}"# : name
        return SystemReply(status: 200, headers: json, body: Array(body.utf8))
    }
}
