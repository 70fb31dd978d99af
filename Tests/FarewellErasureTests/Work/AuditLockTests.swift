// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The lock of the audit log")
struct AuditLockTests {
    @Test("P1 a cancellation that waits for its erasure holds up no record of another erasure")
    func cancellation() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let requests = place.requests(ServiceRules(graceDays: 3))
            let id = try await requests.request("1").erasure.id
            try await waiting(for: id, place) { _ = try await requests.cancel(id, by: "1") }
            #expect(try await requests.erasure(id)?.state == .cancelled)
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("P1 a release that waits for its erasure holds up no record of another erasure")
    func release() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            let requests = place.requests()
            let id = try await requests.request("1").erasure.id
            try await place.park(id, of: "1")
            try await waiting(for: id, place) { try await requests.release(id, by: "operator") }
            #expect(try await requests.erasure(id)?.state != .needsAttention)
            _ = try await place.engine.verifyAudit()
        }
    }

    /// Lets an act wait for an erasure that another transaction uses, and looks whether it holds the audit log meanwhile.
    private func waiting(
        for id: UUID, _ place: WorkerFixture, _ act: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (fixture, name) = (place.fixture, place.fixture.control("erasures"))
        let acting = try await fixture.database.withConnection { connection in
            try await connection.run("BEGIN")
            try await connection.run(SQLStatement("SELECT 1 FROM \(name) WHERE id = $1 FOR UPDATE", [.uuid(id)]))
            let acting = Task { try await act() }
            try await eventually {
                try await fixture.rows(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                    == ["1"]
            }
            let locks = try await fixture.rows(
                """
                SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database \
                WHERE d.datname = current_database() AND l.locktype = 'advisory'
                """)
            #expect(locks == ["0"])
            try await connection.run("ROLLBACK")
            return acting
        }
        try await acting.value
    }
}
