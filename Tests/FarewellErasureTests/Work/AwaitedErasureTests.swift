// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Awaited requests that nothing delays: one transaction from acceptance to the receipt")
struct AwaitedErasureTests {
    private static let rules = ServiceRules(secondLook: 3_600, poll: 3_600)

    private static func awaited(_ key: String? = nil, arrival: Int? = nil) -> ErasureRequest {
        var request = ErasureRequest(idempotencyKey: key)
        (request.isAwaited, request.arrival) = (true, arrival)
        return request
    }

    /// Requests of a process whose workers work while `body` runs.
    private static func with(
        people: Int = 4, failing: String? = nil, engine: ((WorkerFixture) async throws -> ErasureEngine)? = nil,
        _ body: @escaping @Sendable (WorkerFixture, ErasureRequests, JoiningClosing) async throws -> Void
    ) async throws {
        try await WorkerFixture.with(.postgresql, people: people) { place in
            let engine = try await engine?(place) ?? place.engine
            try await place.fixture.run(JoiningClosing.table)
            let sessions = JoiningClosing(failing: failing)
            let workers = place.workers(rules, closing: sessions)
            var requests = ErasureRequests(engine, rules: rules, signals: place.signals)
            requests.handover = workers.handover
            let asking = requests
            try await place.working(workers) {
                try await eventually { workers.handover.takesUnaccepted }
                try await body(place, asking, sessions)
            }
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            _ = try await place.engine.verifyAudit()
        }
    }

    /// The state of a subject's erasure when its caller is answered, or when it has ended.
    private static func end(of subject: String, _ request: ErasureRequest, by requests: ErasureRequests) async throws -> ErasureState? {
        let answer = try await requests.request(subject, request)
        return try await requests.wait(for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))?.state
    }

    @Test("P1 BX-6 acceptance, sessions, rows and records are one transaction, and a repeated call finds its receipt")
    func one() async throws {
        try await Self.with { place, requests, sessions in
            let answer = try await requests.request("1", Self.awaited("key"))
            let record = answer.erasure.status.erasure
            #expect(record.state == .done && record.receipt != nil && record.owner == nil && record.sealed == nil)
            #expect(!answer.isKnown && answer.handed?.isAccountRemoved == true && answer.erasure.dueAt != nil)
            let written = [
                "erasures", "requests", "tickets", "events", "steps", "ledger", "keepsakes", "audit", "sessions_ended",
            ].map { "SELECT xmin::text AS x FROM farewell.\($0)" }.joined(separator: " UNION ALL ")
            #expect(try await place.fixture.rows("SELECT count(DISTINCT x) FROM (\(written)) AS w") == ["1"])
            let state = try await place.fixture.rows("SELECT state, epoch, attempts, wrapped_key FROM farewell.erasures")
            #expect(state == ["done 1 1 -"])
            #expect(try await place.fixture.rows("SELECT ready_at FROM farewell.requests") == ["-"], "no worker claims it")
            let events = try await place.fixture.rows("SELECT string_agg(kind, ' ' ORDER BY id) FROM farewell.events")
            #expect(events == ["erasure.requested erasure.begun erasure.done"])
            let acts = try await place.fixture.rows(
                "SELECT entry::jsonb ->> 'sequence', entry::jsonb ->> 'actor', entry::jsonb ->> 'act' FROM farewell.audit")
            #expect(acts == ["1 service erasure.accepted", "2 engine erasure.done"])
            #expect(try await place.fixture.rows("SELECT subject FROM farewell.sessions_ended") == ["1"])
            #expect(sessions.published.withLock { $0 } == ["1"] && sessions.closed.withLock { $0 }.isEmpty)
            #expect(try await place.fixture.count("people") == 3)
            #expect(try await place.fixture.count("posts") == 6)

            for key in ["key", "another"] {
                let again = try await requests.request("1", Self.awaited(key))
                #expect(again.isKnown && again.erasure.id == record.id && again.erasure.receipt == record.receipt)
                #expect((again.ticket == answer.ticket) == (key == "key"))
            }
            let stored = try await requests.erasure(answer.ticket)
            #expect(stored?.receipt == record.receipt && stored?.dueAt == answer.erasure.dueAt)
        }
    }

    @Test("P1 requests of one moment share a transaction, each caller has their own receipt, and one subject has one erasure")
    func together() async throws {
        try await Self.with(people: 10, engine: { try await $0.withoutTime() }) { place, requests, sessions in
            let late = requests.arriving.begin()
            let people = ["1", "2", "3", "4", "5", "6", "6", "7"]
            let arrivals = people.map { ($0, requests.arriving.begin()) }
            let answers = try await withThrowingTaskGroup(of: ErasureAnswer.self) { calls in
                for (person, arrival) in arrivals {
                    calls.addTask { try await requests.request(person, Self.awaited(UUID().uuidString, arrival: arrival)) }
                }
                try await eventually { requests.arriving.count == 1 }
                #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.erasures") == ["0"])
                // It does not come.
                requests.arriving.end(late)
                return try await calls.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.erasure.state == .done } && answers.count(where: \.isKnown) == 1)
            #expect(Set(answers.compactMap(\.erasure.receipt)).count == 7 && Set(answers.map(\.ticket)).count == 8)
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.ledger GROUP BY xmin::text") == ["7"])
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["10", "8", "9"])
            #expect(
                try await place.fixture.rows("SELECT author, count(*) FROM posts GROUP BY author ORDER BY author") == [
                    "10 2", "8 2", "9 2",
                ])
            #expect(sessions.closed.withLock { $0 }.isEmpty)
        }
    }

    @Test("P1 P4 what is known of a subject stays: a live erasure, a hold, an earlier end, and a used key")
    func known() async throws {
        try await Self.with(people: 5) { place, requests, _ in
            let graceful = place.requests(ServiceRules(graceDays: 7, secondLook: 0, poll: 3_600))
            let live = try await graceful.request("1").erasure.id
            let answer = try await requests.request("1", Self.awaited("one"))
            #expect(answer.isKnown && answer.erasure.id == live && answer.erasure.state == .grace)

            let held = try await graceful.request("2").erasure
            _ = try await graceful.hold(held.id, reason: "lawsuit 7", by: "operator")
            _ = try await graceful.cancel(held.id, by: "2")
            #expect(try await requests.request("2", Self.awaited("two")).erasure.holdReason == "lawsuit 7")

            #expect(try await Self.end(of: "3", Self.awaited("three"), by: requests) == .done)
            try await place.fixture.run("INSERT INTO people VALUES (3, 'again@example.org')")
            #expect(try await Self.end(of: "3", Self.awaited("three"), by: requests) == .done)
            let isThere = try await place.fixture.rows("SELECT count(*) FROM people WHERE id = 3")
            #expect(isThere == ["1"], "the key was used for the first erasure")
            #expect(try await Self.end(of: "3", Self.awaited("four"), by: requests) == .done)
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["1", "2", "4", "5"])
            #expect(await code { _ = try await requests.request("99", Self.awaited("five")) } == "erasure.unknown")
        }
    }

    @Test("P2 P5 if the transaction fails, nothing of it stays, and the erasures are accepted and carried out apart")
    func failing() async throws {
        try await Self.with(failing: "2", engine: { try await $0.withoutTime() }) { place, requests, sessions in
            let arrivals = ["1", "2", "3"].map { ($0, requests.arriving.begin()) }
            let accepted = try await withThrowingTaskGroup(of: UUID.self) { calls in
                for (person, arrival) in arrivals {
                    calls.addTask {
                        try await requests.request(person, Self.awaited(person, arrival: arrival)).erasure.id
                    }
                }
                return try await calls.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(accepted).count == 3)
            try await eventually { try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["4"] }
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.sessions_ended") == ["0"])
            #expect(Set(sessions.closed.withLock { $0 }) == ["1", "2", "3"])
        }
    }

    @Test("P3 P4 in a group with a held subject no session ends before its own erasure begins, and the others are erased")
    func held() async throws {
        try await Self.with(engine: { try await $0.withoutTime() }) { place, requests, sessions in
            let graceful = place.requests(ServiceRules(graceDays: 7, secondLook: 0, poll: 3_600))
            let first = try await graceful.request("1").erasure
            _ = try await graceful.hold(first.id, reason: "lawsuit 7", by: "operator")
            _ = try await graceful.cancel(first.id, by: "1")
            let arrivals = ["1", "2"].map { ($0, requests.arriving.begin()) }
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for (person, arrival) in arrivals {
                    calls.addTask { _ = try await requests.request(person, Self.awaited(person, arrival: arrival)) }
                }
                try await calls.waitForAll()
            }
            try await eventually { try await place.fixture.count("people") == 3 }
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["1", "3", "4"])
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.sessions_ended") == ["0"])
            #expect(sessions.closed.withLock { $0 } == ["2"])
        }
    }

    @Test("P1 a row that another program has locked delays acceptance by a moment, and its erasure until the row is free")
    func locked() async throws {
        try await Self.with { place, requests, sessions in
            let accepted = try await place.fixture.database.withConnection { other in
                try await other.run("BEGIN")
                try await other.run("SELECT 1 FROM people WHERE id = 1 FOR UPDATE")
                let answer = try await requests.request("1", Self.awaited("key"))
                #expect(answer.erasure.state == .fenced && sessions.published.withLock { $0 }.isEmpty)
                try await other.run("ROLLBACK")
                return answer
            }
            let ended = try await requests.wait(for: accepted.erasure.id, handed: accepted.handed, atMost: .seconds(60))
            #expect(ended?.state == .done)
            #expect(try await place.fixture.count("people") == 3)
        }
    }

    @Test("SV-9 a proof is used up with the erasure that it began, and begins no other")
    func proof() async throws {
        try await Self.with { place, requests, _ in
            let proof = try await requests.stepUp(of: "1", for: .requestErasure)
            var asking = Self.awaited("key")
            asking.proof = proof
            let first = try await requests.request("1", asking)
            #expect(first.erasure.state == .done)
            #expect(try await requests.answered(byProof: asking, of: "1")?.erasure.id == first.erasure.id)
            try await place.fixture.run("INSERT INTO people VALUES (1, 'again@example.org')")
            asking.idempotencyKey = "another"
            let second = try await requests.request("1", asking)
            #expect(second.isKnown && second.erasure.id == first.erasure.id)
            #expect(try await place.fixture.count("people") == 4)
        }
    }

    @Test("P1 a request that comes alone waits for as many as the last group had, for two milliseconds at most")
    func gathering() async throws {
        let (waits, arriving) = (Guarded<[Duration]>([]), ArrivingRequests())
        let instant = Deadline(limit: .milliseconds(2), sleep: { limit in waits.withLock { $0.append(limit) } })
        let never = Deadline(limit: .milliseconds(2)) { _ in
            await untilCancelled()
            throw CancellationError()
        }
        let first = arriving.begin()
        await arriving.whenGathered(never, after: first)
        arriving.note(group: 3)
        let second = arriving.begin()
        await arriving.whenGathered(instant, after: second)
        #expect(waits.withLock { $0 } == [.milliseconds(2)])
        async let gathered: Void = arriving.whenGathered(never, after: second)
        _ = arriving.begin()
        _ = arriving.begin()
        await gathered
        arriving.note(group: 1)
        await arriving.whenGathered(never, after: arriving.begin())
    }
}
