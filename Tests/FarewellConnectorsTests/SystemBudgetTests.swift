// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Testing

@Suite("The call rate of a system")
struct SystemBudgetTests {
    @Test(
        "F11 a thousand parallel erasures keep the budget exactly, and waste none of it, also with the plan's budget",
        arguments: [nil, 25])
    func thousand(_ rate: Int?) async throws {
        let (people, concurrency) = (1_000, 50)
        let clock = SharedClock(tasks: concurrency)
        let service = CountedService(clock)
        let world = ConnectorWorld(
            http: service, now: { clock.now }, uptime: { clock.now }, sleep: clock.sleep, environment: ["KEY": "k"], read: { _ in nil })
        var system = SystemPlan(name: "billing", kind: "revenuecat")
        system.settings = ["project": "p", "endpoint": "https://billing.example"]
        system.settings["rate"] = rate.map(String.init)
        system.secrets = ["key": .environment("KEY")]
        let connector = try RevenueCatConnector(system, world: world)
        let driver = ConnectorDriver("billing", connector, sleep: clock.sleep, chance: { 0.5 })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<concurrency {
                group.addTask {
                    defer { clock.leave() }
                    for person in stride(from: lane, to: people, by: concurrency) {
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
        if let rate { #expect(budget == RateBudget(burst: rate, perSecond: Double(rate))) }
        let late = calls.enumerated().filter { number, at in
            abs(at - max(Double(number - budget.burst + 1) / budget.perSecond, 0)) > 1e-6
        }
        #expect(late.isEmpty, "\(late.prefix(3))")
    }

    @Test("every kind respects the rate that the plan gives its system", arguments: ConnectorKinds.names)
    func rates(_ kind: String) throws {
        func declared(_ rate: String) throws -> ConnectorDeclaration? {
            var system = SystemPlan(name: "it", kind: kind)
            system.settings = Self.settings[kind] ?? [:]
            system.settings["rate"] = rate
            let plan = Plan(subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [], systems: [system])
            return try ConnectorKinds.connectors(of: plan, world: .hurried(FaultySending()))["it"]?.declaration
        }
        #expect(try declared("7")?.budget == RateBudget(burst: 7, perSecond: 7))
        for wrong in ["0", "1001", "-1", "1.5", "fast", ""] {
            let error = #expect(throws: FarewellError.self) { try declared(wrong) }
            #expect(error?.code == "plan.system" && error?.message.contains("rate") == true, "\(wrong): \(error as Any)")
        }
    }

    /// The least that each kind needs.
    private static let settings: [String: [String: String]] = [
        "apple": ["client": "org.example.app", "team": "TEAM", "key_id": "KEY"],
        "cognito": ["region": "eu-west-1", "pool": "eu-west-1_Example"],
        "dynamodb": ["region": "eu-west-1", "table": "t", "key": "k"],
        "firebase-auth": ["project": "p"],
        "firebase-storage": ["bucket": "b", "prefix": "users/{person}/"],
        "firestore": ["project": "p", "path": "users/{person}"],
        "realtime-database": ["endpoint": "https://p.firebaseio.example", "path": "users/{person}"],
        "revenuecat": ["project": "p"],
        "s3": ["region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/"],
        "supabase-auth": ["endpoint": "https://p.supabase.example/auth/v1"],
        "supabase-storage": [
            "endpoint": "https://p.supabase.example/storage/v1", "bucket": "b", "prefix": "users/{person}/",
        ],
        "webhook": ["endpoint": "https://erase.example"],
    ]
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
        let parts = call.path.split(separator: "/").map(String.init)
        let person = parts.count > 4 ? parts[4] : ""
        let json = ["content-type": "application/json"]
        guard !gone.contains(person) else {
            return SystemReply(status: 404, headers: json, body: Array(#"{"type":"resource_missing"}"#.utf8))
        }
        if call.method == "DELETE" { gone.insert(person) }
        let name = #"{"id":"\#(person)"\#(call.method == "DELETE" ? #","deleted_at":1"# : "")}"#
        let answer = parts.last == "aliases" ? #"{"object":"list","items":[\#(name)]}"# : name
        return SystemReply(status: 200, headers: json, body: Array(answer.utf8))
    }
}
