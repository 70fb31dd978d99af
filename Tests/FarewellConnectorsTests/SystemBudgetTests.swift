// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellEngine
import FarewellTesting
import Testing

@Suite("How often a system is asked")
struct SystemBudgetTests {
    @Test("F11 a thousand erasures side by side hold the budget exactly, and waste none of it")
    func thousand() async throws {
        let (people, lanes) = (1_000, 50)
        let clock = SharedClock(tasks: lanes)
        let service = CountedService(clock)
        let world = ConnectorWorld(
            http: service, now: { clock.now }, uptime: { clock.now }, sleep: clock.sleep, environment: ["KEY": "k"], read: { _ in nil })
        var system = SystemPlan(name: "billing", kind: "revenuecat")
        system.settings = ["project": "p", "endpoint": "https://billing.example"]
        system.secrets = ["key": .environment("KEY")]
        let connector = try RevenueCatConnector(system, world: world)
        let driver = ConnectorDriver("billing", connector, sleep: clock.sleep, chance: { 0.5 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    defer { clock.leave() }
                    for person in stride(from: lane, to: people, by: lanes) {
                        let progress = try await driver.run(.init(key: "k", names: ["p\(person)"]), from: nil) { _ in }
                        #expect(progress.counts["erased"] == 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        // Counted, erased, read back.
        let calls = await service.calls
        #expect(calls.count == people * 3)
        let budget = connector.declaration.budget
        let late = calls.enumerated().filter { number, at in
            abs(at - max(Double(number - budget.burst + 1) / budget.perSecond, 0)) > 1e-6
        }
        #expect(late.isEmpty, "\(late.prefix(3))")
    }
}

/// Customers who are there until they are deleted, and when it was asked.
private actor CountedService: HTTPSending {
    private let clock: SharedClock
    private var gone: Set<String> = []
    /// Seconds of the clock.
    private(set) var calls: [Double] = []

    init(_ clock: SharedClock) { self.clock = clock }

    func close() async throws {}

    func send(_ call: SystemCall) async throws -> SystemReply {
        calls.append(clock.now)
        let person = call.path.split(separator: "/").last.map(String.init) ?? ""
        let json = ["content-type": "application/json"]
        guard !gone.contains(person) else {
            return SystemReply(status: 404, headers: json, body: Array(#"{"type":"resource_missing"}"#.utf8))
        }
        if call.method == "DELETE" { gone.insert(person) }
        return SystemReply(status: 200, headers: json, body: Array(#"{"id":"\#(person)"}"#.utf8))
    }
}
