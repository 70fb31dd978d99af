// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The renewal of leases, and the waking of workers")
struct LeaseKeepingTests {
    /// Time that passes when it is slept, as often as it may; then it stands still.
    private func environment(_ engine: ErasureEngine, _ slept: Guarded<[Duration]>, times: Int) -> ErasureEngine {
        var environment = engine.environment
        environment.sleep = { duration in
            let count = slept.withLock { slept in
                slept.append(duration)
                return slept.count
            }
            if count > times { await untilCancelled() }
            try Task.checkCancellation()
        }
        return ErasureEngine(
            database: engine.database, prepared: engine.prepared, control: engine.control, keys: engine.keys,
            environment: environment)
    }

    private func members(_ place: WorkerFixture) async throws -> [OpenedErasure] {
        _ = try await place.requests().request("1")
        let claimed = try #require(await place.workers().claimed())
        return try claimed.map { try SubjectSeal.opened($0, keys: place.engine.keys) }
    }

    @Test("P5 a lease is renewed at a third of its length for as long as the work takes", arguments: SQLDialect.allCases)
    func renewed(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let members = try await members(place)
            let until = "SELECT lease_until FROM \(place.fixture.control("erasures"))"
            try await place.fixture.run(
                "UPDATE \(place.fixture.control("erasures")) SET lease_until = '2001-01-01T00:00:00.000Z'")
            let before = try await place.fixture.rows(until)
            let slept = Guarded<[Duration]>([])
            // Each renewal sleeps twice: until it is due, and beside its own statement, which is quicker.
            let engine = environment(place.engine, slept, times: 1)
            let context = engine.context(ErasureOptions())
            let answer = await LeaseKeeping(context: context).during(members) {
                try? await eventually { try await place.fixture.rows(until) != before }
                return ["ended"]
            }
            #expect(answer == ["ended"])
            #expect(slept.withLock { $0.first } == .seconds(5), "a third of 15 seconds")
        }
    }

    @Test("P5 F3 a worker that cannot renew is cancelled before the lease is over, and its work too", arguments: SQLDialect.allCases)
    func lost(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let members = try await members(place)
            let slept = Guarded<[Duration]>([])
            let engine = environment(place.engine, slept, times: .max)
            let silent = ErasureEngine(
                database: SilentDatabase(dialect: dialect), prepared: engine.prepared, control: engine.control,
                keys: engine.keys, environment: engine.environment)
            let answer = await LeaseKeeping(context: silent.context(ErasureOptions())).during(members) {
                await untilCancelled()
                return [Task.isCancelled]
            }
            #expect(answer == [true])
            let third = slept.withLock { $0.count { $0 == .seconds(5) } }
            #expect(third <= 3, "it ends itself before 15 seconds are over")
        }
    }

    @Test(
        "P5 F3 work whose own transaction locks its erasures for longer than the lease goes on", arguments: SQLDialect.allCases)
    func locked(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let members = try await members(place)
            let erasures = place.fixture.control("erasures")
            let (steps, isLocked, limits) = (Guarded(0), Guarded(false), Guarded(0))
            var environment = place.engine.environment
            environment.sleep = { duration in
                guard duration == .seconds(5) else {
                    // A renewal that waits for the lock reaches its limit; the question after it has all the time it needs.
                    let count = limits.withLock { limits in
                        limits += 1
                        return limits
                    }
                    if count > 1 { await untilCancelled() }
                    return try Task.checkCancellation()
                }
                limits.withLock { $0 = 0 }
                try await eventually { isLocked.withLock { $0 } }
                if steps.withLock({ count in
                    count += 1
                    return count > 8
                }) {
                    await untilCancelled()
                }
                try Task.checkCancellation()
            }
            let engine = ErasureEngine(
                database: place.engine.database, prepared: place.engine.prepared, control: place.engine.control,
                keys: place.engine.keys, environment: environment)
            let database = place.engine.database
            let answer = await LeaseKeeping(context: engine.context(ErasureOptions())).during(members) {
                let isOver = try? await database.transaction { connection in
                    _ = try await connection.run(SQLStatement("UPDATE \(erasures) SET attempts = attempts + 1"))
                    isLocked.withLock { $0 = true }
                    try await eventually { steps.withLock { $0 } > 8 || Task.isCancelled }
                    return steps.withLock { $0 } > 8
                }
                return [isOver ?? false]
            }
            #expect(answer == [true])
        }
    }

    @Test("a request in another process wakes a worker that looks once an hour")
    func woken() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let other = try await place.again(owner: "here:2:b")
            let rules = ServiceRules(secondLook: 0, poll: 3_600)
            try await place.working(place.workers(rules)) {
                let listening = """
                    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'
                    """
                try await eventually { try await place.fixture.rows(listening) == ["2"] }
                let asked = try await other.requests().request("1")
                try await eventually { try await other.requests().erasure(asked.erasure.id)?.state == .done }
            }
        }
    }
}

/// A database that never answers.
private struct SilentDatabase: SQLDatabase {
    let dialect: SQLDialect

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        await untilCancelled()
        throw CancellationError()
    }

    func close() async {}
}
