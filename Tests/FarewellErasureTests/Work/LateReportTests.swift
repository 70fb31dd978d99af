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

    /// It asks the third user's erasure for patience instead.
    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer {
        if request.news != nil { return .erased(1) }
        guard request.cursor == nil else {
            if request.names == ["3"] { return .resting(cursor: "waiting", until: 4_000_000_000, why: "it is to call back") }
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

/// A system whose report comes after Farewell has looked for it, and before Farewell has stored that there is none. Its
/// answer meanwhile depends on the user.
private struct HastySystem: CalledBackConnector {
    let requests = Guarded<ErasureRequests?>(nil)
    let keys = Guarded<[String]>([])
    let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        if request.news != nil { return .erased(1) }
        guard request.cursor != nil else {
            keys.withLock { $0.append(request.key) }
            return .accepted(cursor: "waiting", seconds: 0)
        }
        try await requests.withLock { $0 }?.hear(SystemMessage(headers: [:], body: Array(request.key.utf8)), from: "crm")
        switch request.names.first {
        case "1": throw ConnectorFault(FarewellError("connector.silent", .yoursToFix, "It does not call back.")).anewUnlessReported
        case "2": return .resting(cursor: "waiting", until: 4_000_000_000, why: "it is to call back")
        default: return .accepted(cursor: "waiting", seconds: 300)
        }
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading { .gone }

    func hear(_ message: SystemMessage) -> SystemNews {
        SystemNews(key: String(decoding: message.body, as: UTF8.self), text: "erased")
    }
}

/// A system that has data again at the second look, and then is to call back.
private actor RelapsingSystem: CalledBackConnector {
    private var reads = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify, .acceptsFirst])

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer {
        reads == 0 || request.news != nil ? .erased(1) : .accepted(cursor: "waiting", seconds: 300)
    }

    func verify(_ request: ConnectorRequest) -> ConnectorReading {
        reads += 1
        return reads == 2 ? .left(1) : .gone
    }

    nonisolated func hear(_ message: SystemMessage) -> SystemNews {
        SystemNews(key: String(decoding: message.body, as: UTF8.self), text: "erased")
    }
}

/// A system that asks for two hours when it is read a second time.
private actor TiredSystem: Connector {
    private var reads = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify])

    func count(_ request: ConnectorRequest) -> Int? { nil }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer { .erased(1) }

    func verify(_ request: ConnectorRequest) throws -> ConnectorReading {
        reads += 1
        guard reads == 1 else { throw ConnectorFault.throttled("billing", retryAfter: 7_200) }
        return .gone
    }
}

/// A system that refuses for the moment, and may ask for a pause.
private actor RefusingSystem: Connector {
    private let fault: ConnectorFault
    private(set) var calls = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.count, .verify])

    init(_ fault: ConnectorFault) { self.fault = fault }

    func count(_ request: ConnectorRequest) throws -> Int? {
        calls += 1
        throw fault
    }

    func erase(_ request: ConnectorRequest) throws -> ConnectorAnswer { throw fault }

    func verify(_ request: ConnectorRequest) throws -> ConnectorReading { throw fault }
}

@Suite("Reports that come late")
struct LateReportTests {
    /// A place with users 1 to 3, the system `crm` and perhaps `billing`, and its requests.
    private static func with(
        _ dialect: SQLDialect, _ system: any Connector, beside other: (any Connector)? = nil,
        _ use: (WorkerFixture, ErasureRequests) async throws -> Void
    ) async throws {
        var connectors: [String: any Connector] = ["crm": system]
        connectors["billing"] = other
        let names = connectors.keys.sorted()
        let people = (1...3).map { "(\($0), 'p\($0)@example.org')" }.joined(separator: ", ")
        let script = WorkerFixture.tables + "INSERT INTO people VALUES \(people);"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let plan = try await WorkerFixture.plan(fixture) { plan in
                plan.systems = names.map { SystemPlan(name: $0, kind: "forgetful") }
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state, connectors: connectors,
                environment: fixture.environment())
            let place = WorkerFixture(fixture: fixture, engine: engine)
            try await use(place, place.requests())
        }
    }

    @Test(
        "SY-1 a report that comes while its erasure is being parked or handed back counts at once",
        arguments: SQLDialect.allCases)
    func between(_ dialect: SQLDialect) async throws {
        let system = HastySystem()
        try await Self.with(dialect, system) { place, requests in
            system.requests.withLock { $0 = requests }
            var ids: [UUID] = []
            for subject in ["1", "2", "3"] { ids.append(try await requests.request(subject).erasure.id) }
            let asked = ids
            // No pause is over, and no operator releases anything.
            try await place.working {
                for id in asked {
                    try await eventually {
                        place.signals.work.wake()
                        return try await requests.erasure(id)?.state == .done
                    }
                }
            }
            #expect(system.keys.withLock { $0.count } == 3, "no request is repeated")
            for id in ids { #expect(try await place.engine.openReceipt(of: id).erased["crm"] == 1) }
        }
    }

    @Test(
        "SY-1 a report releases an erasure that parked because its system had not finished, and ends the pause",
        arguments: SQLDialect.allCases)
    func pending(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect, HastySystem()) { place, requests in
            let id = try await requests.request("3").erasure.id
            var rules = WorkerFixture.brisk
            rules.maximumAttempts = 2
            try await place.working(place.workers(rules)) {
                try await place.awaitParked(id)
                let key = "\(id.uuidString.lowercased())/system: crm"
                try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: "crm")
                try await eventually {
                    place.signals.work.wake()
                    return try await requests.erasure(id)?.state == .done
                }
            }
            #expect(try await place.engine.openReceipt(of: id).erased["crm"] == 1)
            #expect(try await Self.failures(place) == ["0"], "the report has brought the erasure further")
        }
    }

    private static func failures(_ place: WorkerFixture) async throws -> [String] {
        try await place.fixture.rows("SELECT failures FROM \(place.fixture.control("requests"))")
    }

    /// How many erasures rest for longer than that.
    private static func resting(_ place: WorkerFixture, for least: String = "1 hour") async throws -> [String] {
        let end =
            place.fixture.dialect == .postgresql
            ? "now() + interval '\(least)'" : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+\(least)')"
        return try await place.fixture.rows(
            "SELECT count(*) FROM \(place.fixture.control("requests")) WHERE ready_at > \(end)")
    }

    @Test(
        "SY-1 neither a system's report nor a repeated request ends the pause for which another system has asked",
        arguments: SQLDialect.allCases)
    func beside(_ dialect: SQLDialect) async throws {
        let billing = RefusingSystem(.throttled("billing", retryAfter: 7_200))
        try await Self.with(dialect, ForgetfulSystem(), beside: billing) { place, requests in
            let (silent, again) = (try await requests.request("1").erasure.id, try await requests.request("2").erasure.id)
            let resting = try await requests.request("3").erasure.id
            try await place.working {
                try await eventually {
                    place.signals.work.wake()
                    let states = try await [requests.erasure(silent)?.state, requests.erasure(again)?.state]
                    return try await Self.resting(place) == ["1"] && states == [.needsAttention, .needsAttention]
                }
                for id in [silent, resting] {
                    let key = "\(id.uuidString.lowercased())/system: crm"
                    try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: "crm")
                    #expect(try await requests.erasure(id)?.state == .running)
                }
                let asked = try #require(try await requests.erasure(again))
                #expect(try await requests.retrySystems(of: asked).state == .running)
                #expect(try await Self.resting(place) == ["3"])
                place.signals.work.wake()
            }
            #expect(await billing.calls == 3, "once for each user")
        }
    }

    @Test(
        "SY-1 once every system has reported, no pause for which one of them had asked holds the erasure up",
        arguments: SQLDialect.allCases)
    func allReported(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect, HastySystem(), beside: HastySystem()) { place, requests in
            let id = try await requests.request("3").erasure.id
            @Sendable func isPaused() async throws -> Bool {
                place.signals.work.wake()
                return try await Self.resting(place, for: "1 minute") == ["1"]
            }
            @Sendable func report(_ system: String) async throws {
                let key = "\(id.uuidString.lowercased())/system: \(system)"
                try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: system)
            }
            try await place.working {
                try await eventually { try await isPaused() }
                try await report("crm")
                #expect(try await isPaused(), "the other system has asked for patience")
                try await report("billing")
                try await eventually {
                    place.signals.work.wake()
                    return try await requests.erasure(id)?.state == .done
                }
            }
            let erased = try await place.engine.openReceipt(of: id).erased
            #expect(erased["crm"] == 1 && erased["billing"] == 1)
        }
    }

    @Test(
        "SY-1 a system's report does not end the pause for which another system asks at the second look",
        arguments: SQLDialect.allCases)
    func secondLook(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect, RelapsingSystem(), beside: TiredSystem()) { place, requests in
            let id = try await requests.request("1").erasure.id
            try await place.working {
                try await eventually {
                    place.signals.work.wake()
                    return try await Self.resting(place) == ["1"]
                }
                let key = "\(id.uuidString.lowercased())/system: crm/again/1"
                try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: "crm")
                let news = "SELECT step FROM \(place.fixture.control("news"))"
                #expect(try await place.fixture.rows(news) == ["system: crm/again/1"])
                #expect(try await Self.resting(place) == ["1"])
            }
        }
    }

    @Test("SV-7 the pauses after failures begin anew once an operator has released the erasure", arguments: SQLDialect.allCases)
    func released(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect, RefusingSystem(.passing("crm", "status 500", retryAfter: 100))) { place, requests in
            let id = try await requests.request("1").erasure.id
            var rules = WorkerFixture.brisk
            rules.maximumAttempts = 2
            try await place.working(place.workers(rules)) {
                try await place.awaitParked(id)
            }
            #expect(try await Self.failures(place) != ["0"])
            try await requests.release(id, by: "operator")
            let rows = "SELECT failures, ready_at FROM \(place.fixture.control("requests"))"
            #expect(try await place.fixture.rows(rows) == ["0 -"])
            _ = try await place.engine.resume()
            #expect(try await Self.failures(place) == ["1"])
        }
    }

    @Test("SY-1 an erasure whose report is waiting parks for any other cause, and stays parked", arguments: SQLDialect.allCases)
    func otherwise(_ dialect: SQLDialect) async throws {
        try await Self.with(dialect, ForgetfulSystem()) { place, requests in
            let id = try await requests.request("1").erasure.id
            try await place.working {
                try await place.awaitParked(id)
            }
            let key = "\(id.uuidString.lowercased())/system: crm"
            try await requests.hear(SystemMessage(headers: [:], body: Array(key.utf8)), from: "crm")
            #expect(try await requests.erasure(id)?.state != .needsAttention)
            let engine = place.engine
            let other = FarewellError("plan.unaccounted", .yoursToFix, "A bucket has no system.")
            // A report that no connector reads could only come again.
            let unread = ConnectorFault.misconfigured("crm", "no connector exists for it").error
            let causes: [(FarewellError, [String: any Connector])] = [(other, engine.connectors), (unread, [:])]
            for (error, connectors) in causes {
                let record = try #require(try await engine.control.leases.abandoned(limit: 1).run(in: engine.database).first)
                var context = engine.context(ErasureOptions())
                context.connectors = connectors
                guard case .parked(let parked, _) = await ErasureParking(context: context).park(record, of: nil, error) else {
                    Issue.record("it is not parked: \(error)")
                    return
                }
                #expect(parked == id)
                #expect(try await requests.erasure(id)?.state == .needsAttention)
                try await requests.release(id, by: "operator")
            }
        }
    }

    @Test(
        "SY-1 a report that comes after its erasure was parked for want of it releases the erasure, and counts",
        arguments: SQLDialect.allCases)
    func late(_ dialect: SQLDialect) async throws {
        let system = ForgetfulSystem()
        try await Self.with(dialect, system) { place, requests in
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
            for id in [one, two] { #expect(try await place.engine.openReceipt(of: id).erased["crm"] == 1) }
        }
    }
}
