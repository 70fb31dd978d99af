// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The pause after a failed attempt")
struct ErasurePauseTests {
    @Test("an erasure whose attempts fail has a pause with their number, until it is done", arguments: SQLDialect.allCases)
    func failing(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let asked = try await place.requests().request("1")
            #expect(asked.erasure.status.pause == nil)
            let archive = ErasureArchive(place.fixture.database)
            try await place.working(place.workers(closing: RefusingClosing(subject: "1"))) {
                try await eventually { try await archive.open().first?.pause != nil }
            }
            let status = try #require(try await archive.open().first)
            let pause = try #require(status.pause)
            #expect(pause.failures >= 1 && status.erasure.owner == nil)
            #expect(status.currentPause(at: pause.end.addingTimeInterval(-1)) == pause)
            #expect(status.currentPause(at: pause.end) == nil, "now a worker must take it")
            var held = status
            held.holdReason = "a claim"
            #expect(held.currentPause(at: pause.end.addingTimeInterval(-1)) == nil, "it waits for the end of the hold")
            try await place.ripen()
            try await place.working {
                try await eventually {
                    place.signals.work.wake()
                    return try await archive.open().isEmpty
                }
            }
        }
    }
}
