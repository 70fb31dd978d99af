// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An awaited erasure is handed to the workers of the same process")
struct HandoverTests {
    private static let rules = ServiceRules(secondLook: 0, poll: 3_600)

    private static func awaited(_ key: String? = nil) -> ErasureRequest {
        var request = ErasureRequest(idempotencyKey: key)
        request.isAwaited = true
        return request
    }

    /// Whether there is a free place; it stays free.
    private static func hasPlace(_ handover: Handover) -> Bool {
        guard let place = handover.place() else { return false }
        place.close()
        return true
    }

    /// A database that counts its round trips.
    private static func counted(_ database: any SQLDatabase, in roundTrips: Guarded<Int>) -> WatchedDatabase {
        WatchedDatabase(database) { statements, _ in
            roundTrips.withLock { $0 += 1 }
            return statements
        }
    }

    /// Requests that hand over to these workers.
    private func handing(
        _ place: WorkerFixture, _ workers: ErasureWorkers, _ rules: ServiceRules = rules, on database: (any SQLDatabase)? = nil
    ) -> ErasureRequests {
        var requests = ErasureRequests(
            database.map(place.engine.on) ?? place.engine, rules: rules, signals: place.signals)
        requests.handover = workers.handover
        return requests
    }

    @Test("P1 BX-6 an awaited erasure is accepted as claimed and carried out past the queue; a repeated call finds its receipt")
    func awaited() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let closing = RememberedClosing(meanwhile: {
                let people = try await place.fixture.count("people")
                #expect(people == 4, "sessions end before the first row goes")
                let standing = try await place.fixture.rows("SELECT state, attempts, epoch FROM farewell.erasures")
                let ready = try await place.fixture.rows("SELECT ready_at FROM farewell.requests")
                let fences = try await place.fixture.rows("SELECT epoch FROM farewell.fences")
                #expect(standing == ["fenced 1 1"] && ready == ["-"] && fences == ["1"])
            })
            let workers = place.workers(Self.rules, closing: closing)
            let requests = handing(place, workers)
            try await place.working(workers) {
                // No place is free before the workers run.
                try await eventually { Self.hasPlace(workers.handover) }
                let answer = try await requests.request("1", Self.awaited("key"))
                #expect(answer.erasure.state.isBegun)
                let ended = try #require(try await requests.wait(for: answer.erasure.id, atMost: 60))
                #expect(ended.state == .done && ended.receipt != nil)
                let again = try await requests.request("1", Self.awaited("key"))
                #expect(again.isKnown && again.erasure.id == answer.erasure.id && again.ticket == answer.ticket)
            }
            #expect(closing.closed.withLock { $0 } == ["1"])
            #expect(try await place.fixture.count("people") == 3)
            #expect(try await place.fixture.count("posts") == 6)
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            #expect(try await place.engine.verifyAudit() == 2)
            // The end is noted when a duty next looks.
            let events = try await place.fixture.rows("SELECT kind FROM farewell.events WHERE kind <> 'erasure.done'")
            #expect(events == ["erasure.begun", "erasure.requested"])
        }
    }

    @Test("P1 the caller of an awaited erasure needs three round trips to the database, and other erasures' ends add none")
    func roundTrips() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let workers = place.workers(Self.rules, closing: RememberedClosing(meanwhile: { place.signals.ends.wake() }))
            let roundTrips = Guarded(0)
            let counted = Self.counted(place.fixture.database, in: roundTrips)
            let requests = handing(place, workers, on: counted)
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                let answer = try await requests.request("1", Self.awaited("key"))
                #expect(answer.erasure.dueAt != nil && answer.erasure.holdReason == nil)
                // Without the look of each second, which a slow machine would add.
                await answer.handed?.ended()
                let ended = try await requests.wait(for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))
                #expect(ended?.state == .done && answer.handed?.isAccountRemoved == true)
            }
            // One for the records with the subject's data, and two for the acceptance.
            #expect(roundTrips.withLock { $0 } == 3)
        }
    }

    @Test("P1 a call that waits in the queue looks at the beginning and at its own end, and not when others end")
    func looks() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let roundTrips = Guarded(0)
            let counted = Self.counted(place.fixture.database, in: roundTrips)
            let engine = try await place.withoutTime(on: counted, owner: "there:1:a")
            let requests = ErasureRequests(engine, rules: Self.rules, signals: place.signals)
            let mine = try await requests.request("1").erasure.id
            let before = roundTrips.withLock { $0 }
            async let ended = requests.wait(for: mine, atMost: 3_600)
            try await eventually { roundTrips.withLock { $0 } == before + 1 }
            for look in 2...6 {
                place.signals.ends.wake(about: [UUID()])
                place.signals.ends.wake(about: [mine, UUID()])
                try await eventually { roundTrips.withLock { $0 } == before + look }
            }
            try await place.working(place.workers(Self.rules)) {
                try await eventually { try await place.fixture.count("people") == 3 }
            }
            #expect(try await ended?.state == .done)
            // A worker that begins to listen may have missed ends: then the call looks once more.
            #expect(roundTrips.withLock { $0 } <= before + 8)
        }
    }

    @Test("P1 without a running worker, a free place or a waiting caller, and in grace, the erasure goes through the queue")
    func queued() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let workers = place.workers(Self.rules)
            let requests = handing(place, workers)
            #expect(try await requests.request("1", Self.awaited()).erasure.state == .requested)
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                let graceful = handing(place, workers, ServiceRules(graceDays: 7, secondLook: 0, poll: 3_600))
                #expect(try await graceful.request("3", Self.awaited()).erasure.state == .grace)
                // All places are taken: the erasure waits until a worker claims it.
                let taken = (0..<8).compactMap { _ in workers.handover.place() }
                #expect(taken.count == Self.rules.concurrency)
                let last = try await requests.request("4", Self.awaited())
                taken.forEach { $0.close() }
                #expect(try await requests.wait(for: last.erasure.id, atMost: 60)?.state == .done)
            }
            #expect(workers.handover.place() == nil, "stopped workers take nothing")
        }
    }

    @Test("P4 BX-9 a held subject's awaited erasure stays in the queue, and a dead process's awaited erasure is taken over")
    func heldAndDead() async throws {
        try await WorkerFixture.with(.postgresql, people: 4) { place in
            let graceful = place.requests(ServiceRules(graceDays: 7, secondLook: 0, poll: 1))
            let first = try await graceful.request("1").erasure
            _ = try await graceful.hold(first.id, reason: "lawsuit 7", by: "operator")
            _ = try await graceful.cancel(first.id, by: "1")
            let workers = place.workers(Self.rules)
            let requests = handing(place, workers)
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                let held = try await requests.request("1", Self.awaited()).erasure
                #expect(held.state == .requested && held.holdReason == "lawsuit 7")
                #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
                #expect(Self.hasPlace(workers.handover))
            }
            #expect(try await place.fixture.count("people") == 4)

            // It is accepted as claimed by a process that dies before it does anything.
            let dying = try await place.again(owner: "here:9:z")
            let lost = Handover(places: 1)
            let running = Task { await lost.run { _ in } }
            try await eventually { Self.hasPlace(lost) }
            var asking = ErasureRequests(dying.engine, rules: Self.rules, signals: WakeSignals())
            asking.handover = lost
            let abandoned = try await asking.request("2", Self.awaited()).erasure
            #expect(abandoned.state == .fenced)
            lost.close()
            await running.value
            let heir = try await place.again(owner: "here:1:b", dead: ["here:9:z"])
            try await heir.working(heir.workers(WorkerFixture.brisk)) {
                let end = try await heir.requests().wait(for: abandoned.id, atMost: 60)
                #expect(end?.state == .done)
            }
            #expect(try await place.fixture.count("people") == 3)
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("P1 simultaneous awaited erasures are looked up, accepted and erased together, and each caller has their own receipt")
    func together() async throws {
        try await WorkerFixture.with(.postgresql, people: 30) { place in
            let workers = place.workers(Self.rules)
            let (lookUps, looks) = (Guarded(0), Guarded(0))
            let counted = WatchedDatabase(place.fixture.database) { statements, _ in
                if statements.contains(where: { $0.text.contains("key_hash = ") }) { lookUps.withLock { $0 += 1 } }
                if statements.contains(where: { $0.text.contains("FROM farewell.steps") }) { looks.withLock { $0 += 1 } }
                return statements
            }
            let requests = handing(place, workers, on: counted)
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                let receipts = try await withThrowingTaskGroup(of: UUID.self) { calls in
                    for person in 1...25 {
                        calls.addTask {
                            let answer = try await requests.request("\(person)", Self.awaited("\(person)"))
                            let ended = try await requests.wait(
                                for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))
                            #expect(ended?.state == .done && ended?.receipt != nil && !answer.isKnown)
                            return answer.erasure.id
                        }
                    }
                    return try await calls.reduce(into: Set()) { $0.insert($1) }
                }
                looks.withLock { $0 = 0 }
                let latest = try await withThrowingTaskGroup(of: UUID?.self) { calls in
                    for person in 1...25 { calls.addTask { try await requests.latest(of: "\(person)")?.id } }
                    return try await calls.reduce(into: Set<UUID>()) { if let id = $1 { $0.insert(id) } }
                }
                #expect(receipts.count == 25 && latest == receipts)
            }
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["26", "27", "28", "29", "30"])
            #expect(try await place.fixture.count("posts") == 10)
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            #expect(try await place.engine.verifyAudit() == 50)
            let acceptances = try await place.fixture.rows("SELECT count(DISTINCT xmin::text) < 25 FROM farewell.tickets")
            let ends = try await place.fixture.rows("SELECT count(DISTINCT xmin::text) < 25 FROM farewell.ledger")
            #expect(acceptances == ["true"] && ends == ["true"], "none went together")
            #expect(lookUps.withLock { $0 } < 25 && looks.withLock { $0 } < 25, "each looked alone")
        }
    }

    @Test("P1 awaited requests that find every place taken gather until one is free, and pass the queue; other requests do not wait")
    func gathered() async throws {
        try await WorkerFixture.with(.postgresql, people: 8) { place in
            let engine = try await place.withoutTime()
            let workers = ErasureWorkers(engine, rules: Self.rules, signals: place.signals)
            var requests = ErasureRequests(engine, rules: Self.rules, signals: place.signals)
            requests.handover = workers.handover
            let asking = requests
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                let taken = (0..<8).compactMap { _ in workers.handover.place() }
                let handed = try await withThrowingTaskGroup(of: Bool.self) { calls in
                    for person in 1...6 {
                        calls.addTask {
                            let answer = try await asking.request("\(person)", Self.awaited())
                            let ended = try await asking.wait(
                                for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))
                            return ended?.state == .done && answer.handed != nil
                        }
                    }
                    // It takes longer than the others' look-ups, and they are still not accepted.
                    #expect(try await asking.request("7").handed == nil)
                    #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.erasures") == ["1"])
                    taken.forEach { $0.close() }
                    return try await calls.reduce(into: []) { $0.append($1) }
                }
                #expect(handed == Array(repeating: true, count: 6), "some went through the queue")
            }
            #expect(try await place.fixture.rows("SELECT id FROM people WHERE id <> 7") == ["8"])
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("P1 after one wait for a place in vain, no further request waits until a place has become free")
    func slow() async throws {
        let handover = Handover(places: 1)
        let running = Task { await handover.run { _ in } }
        try await eventually { Self.hasPlace(handover) }
        let place = try #require(handover.place())
        let waits = Guarded(0)
        let patience = Deadline(limit: .zero) { _ in waits.withLock { $0 += 1 } }
        for _ in 1...3 { await handover.whenFree(patience) }
        #expect(waits.withLock { $0 } == 1)
        place.close()
        await handover.whenFree(patience)
        #expect(waits.withLock { $0 } == 1, "a place is free")
        let again = try #require(handover.place())
        await handover.whenFree(patience)
        #expect(waits.withLock { $0 } == 2)
        again.close()
        handover.close()
        await running.value
    }

    @Test(
        "P4 simultaneous requests of one subject are one erasure, and a ticket that opens another erasure refuses its own request only",
        arguments: SQLDialect.allCases)
    func alike(dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 8) { place in
            let requests = place.requests()
            let known = try await requests.request("8").ticket
            let answers = try await withThrowingTaskGroup(of: (String, Result<ErasureAnswer, FarewellError>).self) { calls in
                for call in 0..<12 {
                    calls.addTask {
                        let person = "\(call / 2 + 1)"
                        return (person, .success(try await requests.request(person)))
                    }
                }
                calls.addTask {
                    do {
                        return ("7", .success(try await requests.request("7", ErasureRequest(ticket: known))))
                    } catch let error as FarewellError {
                        return ("7", .failure(error))
                    }
                }
                return try await calls.reduce(into: [:]) { $0[$1.0, default: []].append($1.1) }
            }
            for person in 1...6 {
                let own = try #require(answers["\(person)"]).map { try $0.get() }
                #expect(own.count == 2 && own[0].erasure.id == own[1].erasure.id)
                #expect(own.filter(\.isKnown).count == 1)
            }
            guard case .failure(let refusal) = try #require(answers["7"]?.first) else {
                Issue.record("The ticket opened two erasures.")
                return
            }
            #expect(refusal.code == "erasure.key-reused")
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(place.fixture.control("erasures"))") == ["7"])
            #expect(try await place.engine.verifyAudit() == 7)
        }
    }

    @Test("P1 a large account among simultaneous erasures delays no small one's receipt, and both are erased")
    func largeAmongSmall() async throws {
        try await WorkerFixture.with(.postgresql, people: 12) { place in
            try await place.fixture.run("INSERT INTO posts SELECT 1000 + n, 1, 'many' FROM generate_series(1, 200) AS n")
            let workers = ErasureWorkers(
                place.engine, rules: Self.rules, options: ErasureOptions(largeAccount: 100), signals: place.signals)
            let requests = handing(place, workers)
            try await place.working(workers) {
                try await eventually { Self.hasPlace(workers.handover) }
                try await withThrowingTaskGroup(of: Void.self) { calls in
                    for person in 1...10 {
                        calls.addTask {
                            let answer = try await requests.request("\(person)", Self.awaited())
                            let ended = try await requests.wait(
                                for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))
                            #expect(ended?.state == .done)
                        }
                    }
                    try await calls.waitForAll()
                }
            }
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["11", "12"])
            #expect(try await place.fixture.count("posts") == 4)
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("P1 a connection that no longer answers holds up its own transaction of acceptance, and no other request")
    func silent() async throws {
        try await WorkerFixture.with(.postgresql, people: 6) { place in
            let (isArmed, isSilent) = (Guarded(false), Guarded(false))
            // One connection no longer answers once it has asked for the audit log's lock.
            let database = WatchedDatabase(place.fixture.database) { statements, _ in
                let isLocking = statements.contains { $0.text.contains("farewell.audit") }
                let isChosen =
                    isLocking
                    && isArmed.withLock { armed in
                        defer { armed = false }
                        return armed
                    }
                guard isChosen else { return statements }
                isSilent.withLock { $0 = true }
                await untilCancelled()
                throw CancellationError()
            }
            var environment = place.fixture.environment(owner: "there:1:a")
            // The limit has passed once a connection is silent.
            environment.sleep = { _ in try await eventually { isSilent.withLock { $0 } } }
            let engine = try await ErasureEngine.open(
                database, plan: try await WorkerFixture.plan(place.fixture), folder: place.fixture.folder,
                state: place.fixture.state, environment: environment)
            let requests = ErasureRequests(engine, rules: Self.rules, signals: place.signals)
            isArmed.withLock { $0 = true }
            let accepted = try await withThrowingTaskGroup(of: UUID.self) { calls in
                for person in 1...5 { calls.addTask { try await requests.request("\(person)").erasure.id } }
                return try await calls.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(accepted.count == 5 && isSilent.withLock { $0 })
        }
    }
}
