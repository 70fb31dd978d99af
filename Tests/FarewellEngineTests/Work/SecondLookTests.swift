// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import Testing

@testable import FarewellEngine

@Suite("The second look at the plan's systems")
struct SecondLookTests {
    private static let rules = ServiceRules(secondLook: 600, poll: 1)

    /// Three people, two of them with one address, and a system that knows people by it.
    private func with(
        _ dialect: SQLDialect, _ system: ImaginedSystem, _ use: (WorkHouse) async throws -> Void
    ) async throws {
        let people = "(1, 'a@example.org'), (2, 'both@example.org'), (3, 'both@example.org')"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineHouse.with(dialect, WorkHouse.tables + "INSERT INTO people VALUES \(people);", postgresql: wide) { house in
            let clock = house.clock
            let environment = EngineEnvironment(
                now: { clock.now }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
                owner: "here:1:a", isDead: { _ in false }, log: house.log.logger)
            let email = ColumnName(house.name("people"), "email")
            let plan = try await WorkHouse.plan(house) {
                $0.systems = [SystemPlan(name: "billing", kind: "imagined", person: .column(email))]
            }
            let engine = try await ErasureEngine.open(
                house.database, plan: plan, folder: house.folder, state: house.state, connectors: ["billing": system],
                environment: environment)
            try await use(WorkHouse(house: house, engine: engine))
        }
    }

    /// Looks as if it were time.
    private func look(_ place: WorkHouse) async throws {
        try await place.house.run(
            "UPDATE \(place.house.control("keepsakes")) SET look_at = '2001-01-01T00:00:00.000Z' WHERE look_at IS NOT NULL")
        try await Reverifier(workers: place.workers(Self.rules)).perform()
    }

    @Test(
        "BX-5 F16 what comes back in a system is found though no row is left, and erased; what is another's too is let be",
        arguments: SQLDialect.allCases)
    func systems(_ dialect: SQLDialect) async throws {
        let system = ImaginedSystem(["a@example.org": 2, "both@example.org": 1])
        try await with(dialect, system) { place in
            for subject in ["1", "2"] { #expect(try await place.erased(subject, Self.rules)?.state == .done) }
            await system.put("a@example.org")
            try await look(place)
            #expect(try await place.states() == ["done", "done", "requested"])
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(await system.entries == ["both@example.org": 1])
            var erased: [[String: Int]] = []
            for status in try await place.engine.statuses() {
                erased.append(try await place.engine.openReceipt(of: status.erasure.id).erased)
            }
            #expect(Set(erased) == [["billing": 2, "people": 1], ["people": 1], ["billing": 1]])
            let kinds = try await place.house.rows("SELECT kind FROM \(place.house.control("events")) WHERE kind = 'erasure.reappeared'")
            #expect(kinds == ["erasure.reappeared"])
            try await look(place)
            #expect(try await place.states() == ["done", "done", "done"], "looked at once")
        }
    }

    @Test(
        "BX-5 a system that does not answer the second look is asked again later, and never taken for clean",
        arguments: SQLDialect.allCases)
    func silent(_ dialect: SQLDialect) async throws {
        let system = ImaginedSystem(["a@example.org": 1])
        try await with(dialect, system) { place in
            #expect(try await place.erased("1", Self.rules)?.state == .done)
            await system.put("a@example.org")
            await system.hide(behind: .credentials("billing", needs: "customers: read"))
            let waiting = "SELECT count(*) FROM \(place.house.control("keepsakes")) WHERE look_at IS NOT NULL"
            for _ in 1...2 {
                try await look(place)
                #expect(try await place.states() == ["done"])
                #expect(try await place.house.rows(waiting) == ["1"])
            }
            #expect(place.house.log.lines.contains { $0.contains("looked at a second time") && $0.contains("billing") })
            await system.hide(behind: nil)
            try await look(place)
            #expect(try await place.states() == ["done", "requested"])
            #expect(try await place.house.rows(waiting) == ["0"])
            try await place.working {
                try await eventually { try await place.states().allSatisfy { $0 == "done" } }
            }
            #expect(await system.entries.isEmpty)
        }
    }
}
