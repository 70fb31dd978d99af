// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A transaction that takes longer than its lease")
struct LongTransactionTests {
    /// The deletion of a post of user 1 waits until the gate is open: `nextval` opens it for all at once.
    private static let gate = [
        "CREATE SEQUENCE public.gate",
        """
        CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
        WHILE NOT (SELECT is_called FROM public.gate) LOOP PERFORM pg_sleep(0.05); END LOOP; RETURN OLD; END $$
        """,
        """
        CREATE TRIGGER wait BEFORE DELETE ON public.posts FOR EACH ROW WHEN (OLD.author = 1) \
        EXECUTE FUNCTION public.wait()
        """,
    ]

    @Test("BX-4 P5 no worker takes over an erasure whose transaction is longer than its lease, and none waits for it")
    func longer() async throws {
        try await WorkerFixture.with(.postgresql) { place in
            for statement in Self.gate { try await place.fixture.run(statement) }
            let first = try await place.again(owner: "here:1:a", lease: 4)
            let second = try await place.again(owner: "here:2:b")
            let erasures = place.fixture.control("erasures")
            // Step by step, as where more is verified than reading back.
            let workers = ErasureWorkers(
                first.engine, rules: WorkerFixture.brisk, options: ErasureOptions(deepScan: .bounded(rows: 1)),
                signals: first.signals)
            let claimed = try await claimed("1", by: workers, first)
            place.fixture.clock.now += 1
            let abandoned = try await self.claimed("3", by: workers, first).id
            try await expire(abandoned, place)
            let batch = workers.batch { progress in
                // Only the transaction's own new lease counts when it ends, and other workers see none before.
                if progress.event == .began(step: "rows") { try? await expire(claimed.id, place) }
            }
            let work = Task { await batch.carryOut([claimed]) }
            try await eventually { try await isWaiting(place, for: 0) }
            try await second.working {
                let requests = second.requests()
                let next = try await requests.request("2").erasure.id
                try await eventually {
                    try await place.fixture.rows("SELECT id FROM \(erasures) WHERE state = 'done'").count == 2
                }
                #expect(try await requests.erasure(next)?.state == .done)
                #expect(try await requests.erasure(abandoned)?.state == .done)
                try await eventually { try await isWaiting(place, for: 4.2) }
                place.fixture.clock.now += 30
                try await place.fixture.run("SELECT nextval('public.gate')")
                await work.value
            }
            #expect(try await place.states() == ["done", "done", "done"])
            let attempts = "SELECT attempts, epoch FROM \(erasures) WHERE id = '\(claimed.id)'"
            #expect(try await place.fixture.rows(attempts) == ["1 \(claimed.epoch)"])
            #expect(place.fixture.fenced.withLock { $0 } == 0)
            #expect(!place.fixture.log.lines.contains { $0.contains("run.lease-lost") })
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("ledger"))") == ["3"])
            #expect(try await first.engine.openReceipt(of: claimed.id).erased == ["people": 1, "posts": 2])
            #expect(try await first.engine.verifyAudit() == 6)
            let isLate = "CASE WHEN finished_at >= started_at + interval '30 seconds' THEN 'late' END"
            let steps = "SELECT name, \(isLate) FROM \(place.fixture.control("steps")) WHERE erasure = '\(claimed.id)'"
            #expect(try await place.fixture.rows(steps) == ["rows late"], "a step ends when its changes are made")
        }
    }

    private func claimed(_ subject: String, by workers: ErasureWorkers, _ place: WorkerFixture) async throws -> ErasureRecord {
        _ = try await place.requests().request(subject)
        return try #require(await workers.claimed()?.first)
    }

    private func expire(_ id: UUID, _ place: WorkerFixture) async throws {
        try await place.fixture.run(
            "UPDATE \(place.fixture.control("erasures")) SET lease_until = now() - interval '1 hour' WHERE id = '\(id)'")
    }

    /// Whether the trigger has been holding up its statement for so many seconds.
    private func isWaiting(_ place: WorkerFixture, for seconds: Double) async throws -> Bool {
        try await place.fixture.rows(
            """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' \
            AND query_start < clock_timestamp() - \(seconds) * interval '1 second'
            """) == ["1"]
    }
}
