// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Requests for an erasure")
struct ErasureRequestsTests {
    private static let graceful = ServiceRules(graceDays: 14, secondLook: 0, poll: 1)

    @Test("P4 F7 64 simultaneous requests for one subject are one erasure, and each ticket opens it", arguments: SQLDialect.allCases)
    func manyAtOnce(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let desks = [place.requests(), try await place.again(owner: "here:2:b").requests()]
            let answers = try await withThrowingTaskGroup(of: ErasureAnswer.self) { group in
                for number in 0..<64 {
                    group.addTask { try await desks[number % 2].request("1", .init(idempotencyKey: "key \(number)")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.erasure.id)).count == 1)
            #expect(answers.count { !$0.isKnown } == 1)
            #expect(Set(answers.map(\.ticket.text)).count == 64)
            for answer in answers.prefix(5) {
                #expect(try await place.requests().erasure(answer.ticket)?.id == answer.erasure.id)
            }
            #expect(try await place.states() == ["requested"])
            #expect(try await place.fixture.count("people") == 3, "asking destroys nothing")
            #expect(try await place.engine.verifyAudit() == 1)
        }
    }

    @Test("Item 39 F8: the same key gets the same answer, and is refused with another body", arguments: SQLDialect.allCases)
    func keys(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let mine = try ErasureTicket(String(repeating: "A", count: 44))
            let first = try await requests.request("1", .init(idempotencyKey: "k", ticket: mine))
            let again = try await requests.request("1", .init(idempotencyKey: "k", ticket: mine))
            #expect(first.ticket == mine && again.ticket == mine && again.isKnown)
            #expect(first.erasure.id == again.erasure.id)
            #expect(await code { _ = try await requests.request("1", .init(idempotencyKey: "k")) } == "erasure.key-reused")
            let other = try await requests.request("2", .init(idempotencyKey: "k"))
            let same = try await requests.request("2", .init(idempotencyKey: "k"))
            #expect(other.erasure.id != first.erasure.id, "a key is one person's")
            #expect(other.ticket == same.ticket, "the server's ticket is made again, not kept")
            #expect(try await requests.erasure(try ErasureTicket(String(repeating: "B", count: 44))) == nil)
            let kept = try await place.fixture.rows("SELECT * FROM \(place.fixture.control("tickets"))").joined()
            #expect(!kept.contains(mine.text) && !kept.contains(other.ticket.text))
            #expect(throws: FarewellError.self) { try ErasureTicket("short") }
            #expect(throws: FarewellError.self) { try ErasureTicket("not base64url at all!") }
        }
    }

    @Test("SV-9 once the account is gone, ticket, key and subject still find the result of the erasure", arguments: SQLDialect.allCases)
    func afterwards(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let asked = try await requests.request("1", .init(idempotencyKey: "k"))
            try await place.working { _ = try await requests.wait(for: asked.erasure.id, atMost: 60) }
            #expect(try await requests.erasure(asked.ticket)?.state == .done)
            #expect(try await requests.erasure(asked.ticket)?.receipt != nil)
            let again = try await requests.request("1", .init(idempotencyKey: "k"))
            #expect(again.isKnown && again.erasure.state == .done && again.ticket == asked.ticket)
            let late = try await requests.request("1")
            #expect(late.isKnown && late.erasure.id == asked.erasure.id && late.erasure.state == .done)
            #expect(try await requests.latest(of: "1")?.id == asked.erasure.id)
            #expect(try await requests.latest(of: "2") == nil)
            #expect(await code { _ = try await requests.request("77") } == "erasure.unknown")
            #expect(await code { _ = try await requests.request("nobody") } == "erasure.identifier-form")
        }
    }

    @Test("SV-7 in grace nothing changes, and only the user can cancel their erasure, once", arguments: SQLDialect.allCases)
    func grace(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1")
            #expect(asked.erasure.state == .grace)
            let until = try #require(asked.erasure.graceUntil)
            #expect(abs(until.timeIntervalSinceNow - 14 * 86_400) < 3_600)
            #expect(abs(try #require(asked.erasure.dueAt).timeIntervalSinceNow - 30 * 86_400) < 3_600)
            #expect(await place.workers().claimed()?.isEmpty == true, "not before its day")
            #expect(await code { _ = try await requests.cancel(asked.erasure.id, by: "2") } == "erasure.not-found")
            #expect(try await requests.cancel(asked.erasure.id, by: "1").state == .cancelled)
            #expect(try await requests.cancel(asked.erasure.id, by: "1").state == .cancelled, "twice is fine")
            try await place.ripen()
            #expect(await place.workers().claimed()?.isEmpty == true)
            #expect(try await place.fixture.count("people") == 3)
            let sealed = try await place.fixture.rows("SELECT sealed, wrapped_key FROM \(place.fixture.control("erasures"))")
            #expect(sealed == ["- -"], "what was sealed is destroyed")
            let second = try await requests.request("1")
            #expect(!second.isKnown, "who took it back may ask again")
            try await place.ripen()
            try await place.working { _ = try await requests.wait(for: second.erasure.id, atMost: 60) }
            #expect(try await requests.erasure(second.ticket)?.state == .done)
            let reused = ErasureRequest(idempotencyKey: "new", ticket: asked.ticket)
            #expect(await code { _ = try await requests.request("2", reused) } == "erasure.key-reused")
            #expect(try await place.fixture.count("people") == 2, "with a ticket of another erasure nothing begins")
            #expect(try await place.states().count == 2)
            #expect(await code { _ = try await requests.cancel(second.erasure.id, by: "1") } == "erasure.too-late")
        }
    }

    @Test(
        "F19 cancelling races against the end of grace 420 times, half of them on each database: one winner each",
        arguments: SQLDialect.allCases)
    func race(_ dialect: SQLDialect) async throws {
        let (waves, people) = (42, 5)
        try await WorkerFixture.with(dialect, people: waves * people) { place in
            let requests = place.requests(Self.graceful)
            var won = (taken: 0, claimed: 0)
            for wave in 0..<waves {
                var subjects: [UUID: String] = [:]
                for number in 1...people {
                    let subject = "\(wave * people + number)"
                    let id = try await requests.request(subject).erasure.id
                    subjects[id] = subject
                }
                try await place.ripen()
                // Either side is ahead by so much, from wave to wave by another measure: else one of them always won.
                let (taken, claimed) = try await raced(subjects, place, claimsBehind: wave % 41 - 20)
                #expect(taken.count + claimed.count == people, "wave \(wave)")
                for id in subjects.keys {
                    let isTaken = taken.contains(id)
                    #expect(isTaken != claimed.contains(id), "wave \(wave): one winner, and no erasure was forgotten")
                    let state = try await place.fixture.rows(Self.exactState(of: id, place))
                    #expect(state == [isTaken ? "cancelled - 0 0 destroyed ended never" : "fenced here:1:a 1 1 sealed open never"])
                }
                won.taken += taken.count
                won.claimed += claimed.count
            }
            #expect(won.taken >= 10 && won.claimed >= 10, "a race is one that either side can win: \(won)")
            #expect(try await place.fixture.count("people") == waves * people)
            #expect(try await place.engine.verifyAudit() == waves * people + won.taken, "who lost has left no trace")
        }
    }

    /// Has people take back what is due, while as many claims come for it.
    private func raced(
        _ subjects: [UUID: String], _ place: WorkerFixture, claimsBehind lag: Int
    ) async throws -> (taken: [UUID], claimed: [UUID]) {
        let requests = place.requests(Self.graceful)
        let workers = place.workers(ServiceRules(secondLook: 0, batch: 1, poll: 1))
        return try await withThrowingTaskGroup(of: (taken: [UUID], claimed: [UUID]).self) { group in
            for (id, subject) in subjects {
                group.addTask {
                    try await Self.pass(-lag, place)
                    do {
                        return ([try await requests.cancel(id, by: subject).id], [])
                    } catch let error as FarewellError where error.code == "erasure.too-late" {
                        return ([], [])
                    }
                }
                group.addTask {
                    try await Self.pass(lag, place)
                    return ([], try #require(await workers.claimed()).map(\.id))
                }
            }
            return try await group.reduce(into: (taken: [UUID](), claimed: [UUID]())) { all, one in
                all.taken += one.taken
                all.claimed += one.claimed
            }
        }
    }

    /// Lets as much time pass as so many questions to the database take.
    private static func pass(_ questions: Int, _ place: WorkerFixture) async throws {
        for _ in 0..<max(questions, 0) { _ = try await place.fixture.rows("SELECT 1") }
    }

    private static func exactState(of id: UUID, _ place: WorkerFixture) -> String {
        """
        SELECT e.state, e.owner, e.epoch, e.attempts, \
        CASE WHEN e.sealed IS NULL AND e.wrapped_key IS NULL THEN 'destroyed' ELSE 'sealed' END, \
        CASE WHEN e.finished_at IS NULL THEN 'open' ELSE 'ended' END, \
        CASE WHEN r.ready_at IS NULL THEN 'never' ELSE 'ready' END \
        FROM \(place.fixture.control("erasures")) AS e JOIN \(place.fixture.control("requests")) AS r ON r.erasure = e.id \
        WHERE e.id = '\(id.uuidString.lowercased())'
        """
    }

    @Test("F20 a hold stops an erasure before its next step, and the erasure continues after its end", arguments: SQLDialect.allCases)
    func hold(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let waiting = try await requests.request("1")
            #expect(try await requests.hold(waiting.erasure.id, reason: "lawsuit 7", by: "operator").holdReason == "lawsuit 7")
            #expect(await place.workers().claimed()?.isEmpty == true)

            // One that is being worked on: held between closing the subject and the first step.
            let running = try await requests.request("2")
            let id = running.erasure.id
            let closing = RememberedClosing(meanwhile: {
                if try await requests.erasure(id)?.holdReason == nil {
                    _ = try await requests.hold(id, reason: "lawsuit 8", by: "operator")
                }
            })
            try await place.working(place.workers(closing: closing)) {
                try await eventually { try await requests.erasure(id)?.holdReason != nil }
            }
            #expect(try await requests.erasure(id)?.state == .fenced)
            #expect(try await place.fixture.count("people") == 3)
            #expect(try await place.fixture.count("posts") == 6)

            _ = try await requests.endHold(of: id, by: "operator")
            _ = try await requests.endHold(of: waiting.erasure.id, by: "operator")
            try await place.working {
                _ = try await requests.wait(for: id, atMost: 60)
                _ = try await requests.wait(for: waiting.erasure.id, atMost: 60)
            }
            #expect(try await place.states() == ["done", "done"])
            let acts = try await place.engine.verifyAudit()
            #expect(await code { _ = try await requests.hold(id, reason: "late", by: "operator") } == "erasure.too-late")
            _ = try await requests.endHold(of: id, by: "operator")
            #expect(try await place.engine.verifyAudit() == acts, "what changes nothing is not told")
            #expect(await code { _ = try await requests.hold(UUID(), reason: "none", by: "operator") } == "erasure.not-found")
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("Item 29: a proof is valid once, for one user and one act", arguments: SQLDialect.allCases)
    func stepUp(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests()
            let proof = try await requests.stepUp(of: "1", for: .requestErasure)
            let refused = "erasure.step-up-invalid"
            #expect(await code { try await requests.spend(proof, of: "2", for: .requestErasure) } == refused)
            #expect(await code { try await requests.spend(proof, of: "1", for: .cancelErasure) } == refused)
            #expect(await code { try await requests.spend(StepUp("x"), of: "1", for: .requestErasure) } == refused)
            let wins = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 { group.addTask { (try? await requests.spend(proof, of: "1", for: .requestErasure)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(wins == 1)
            let old = try await requests.stepUp(of: "1", for: .requestErasure)
            try await place.fixture.run("UPDATE \(place.fixture.control("step_ups")) SET expires_at = '2001-01-01T00:00:00.000Z'")
            #expect(await code { try await requests.spend(old, of: "1", for: .requestErasure) } == refused)
            #expect("\(proof) \(old)" == "*** ***")
        }
    }
}
