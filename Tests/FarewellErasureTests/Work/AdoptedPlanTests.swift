// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A new plan while workers run")
struct AdoptedPlanTests {
    @Test(
        "once the plan matches the schema, the same workers resume parked erasures on release and carry out new requests",
        arguments: SQLDialect.allCases)
    func adopted(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let former = try await WorkerFixture.plan(place.fixture)
            let asked = try await requests.request("1").erasure.id
            try await place.fixture.run("ALTER TABLE posts ADD COLUMN mood text")
            try await place.working {
                try await eventually { try await requests.erasure(asked)?.state == .needsAttention }
                await #expect(throws: FarewellError.self) {
                    try await place.engine.adopt(former, folder: place.fixture.folder, connectors: [:])
                }
                let error = await #expect(throws: FarewellError.self) { try await requests.release(asked, by: "console") }
                #expect(error?.code == "run.schema-changed", "a plan that does not fit changes nothing")

                let plan = try await WorkerFixture.plan(place.fixture)
                try await place.engine.adopt(plan, folder: place.fixture.folder, connectors: [:])
                try await requests.release(asked, by: "console")
                #expect(try await requests.wait(for: asked, atMost: 60)?.state == .done)
                let next = try await requests.request("2").erasure.id
                #expect(try await requests.wait(for: next, atMost: 60)?.state == .done)
            }
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["3"])
            #expect(try await place.fixture.rows("SELECT DISTINCT author FROM posts") == ["3"])
        }
    }

    @Test("a plan with a system that has no connector is not adopted", arguments: SQLDialect.allCases)
    func unconnected(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let plan = try await WorkerFixture.plan(place.fixture) { plan in
                plan.systems = [SystemPlan(name: "crm", kind: "crm", person: .key)]
            }
            let error = await #expect(throws: FarewellError.self) {
                try await place.engine.adopt(plan, folder: place.fixture.folder, connectors: [:])
            }
            #expect(error?.code == "plan.no-connector")
            #expect(place.engine.plan.systems.isEmpty)
        }
    }
}
