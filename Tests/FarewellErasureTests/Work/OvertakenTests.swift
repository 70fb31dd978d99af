// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// A database before whose n-th use something else happens.
private final class InterruptedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let left: Guarded<Int>
    private let meanwhile: @Sendable () async throws -> Void

    init(_ database: any SQLDatabase, before use: Int, _ meanwhile: @escaping @Sendable () async throws -> Void) {
        self.database = database
        left = Guarded(use)
        self.meanwhile = meanwhile
    }

    var dialect: SQLDialect { database.dialect }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        let isNow = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isNow { try await meanwhile() }
        return try await database.withConnection(body)
    }

    func close() async {}
}

@Suite("Overtaken requests")
struct OvertakenTests {
    @Test(
        "P4 a request that another one overtakes, even down to the receipt, returns the other's result, at whatever point it stood",
        arguments: SQLDialect.allCases)
    func asking(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 12) { place in
            var overtaken = 0
            for point in 1...12 {
                let subject = "\(point)"
                let first = Guarded<UUID?>(nil)
                let database = InterruptedDatabase(place.fixture.database, before: point) {
                    let asked = try await place.requests().request(subject)
                    await place.workers().batch { _ in }.carryOut(try #require(await place.workers().claimed()))
                    first.withLock { $0 = asked.erasure.id }
                }
                let requests = ErasureRequests(place.engine.on(database), rules: WorkerFixture.brisk)
                let answer = try await requests.request(subject, .init(idempotencyKey: "second"))
                guard let id = first.withLock({ $0 }) else { break }
                overtaken += 1
                #expect(answer.erasure.id == id, "before use \(point)")
                #expect(try await requests.erasure(answer.ticket)?.state == .done, "before use \(point)")
                #expect(try await place.states().count == point)
            }
            #expect(overtaken >= 4)
        }
    }

    @Test("P4 an awaited erasure that is accepted while the workers of its process stop is left to others at once")
    func stopping() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let handover = Handover(places: 1)
            let running = Task { await handover.run { _ in } }
            try await eventually {
                let free = handover.place()
                free?.close()
                return free != nil
            }
            let stopping = WatchedDatabase(place.fixture.database) { statements, _ in
                if statements.contains(where: { $0.text.contains("INTO farewell.erasures") }) { handover.close() }
                return statements
            }
            var requests = ErasureRequests(
                place.engine.on(stopping), rules: WorkerFixture.brisk, signals: place.signals)
            requests.handover = handover
            var request = ErasureRequest()
            request.isAwaited = true
            #expect(try await requests.request("1", request).handed == nil)
            #expect(try await place.fixture.rows("SELECT state, owner FROM farewell.erasures") == ["fenced -"])
            await running.value
        }
    }
}
