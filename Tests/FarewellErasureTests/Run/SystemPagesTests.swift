// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Says with every page that more is left.
private actor EndlessSystem: Connector {
    private let pages: [(erased: Int, cursor: String)]
    private(set) var calls = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [])

    /// - Parameter pages: Its answers, which begin again after the last.
    init(_ pages: [(erased: Int, cursor: String)]) { self.pages = pages }

    func count(_ request: ConnectorRequest) -> Int? { nil }
    func verify(_ request: ConnectorRequest) -> ConnectorReading { .cannotTell }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer {
        let page = pages[calls % pages.count]
        calls += 1
        return .more(page.erased, cursor: page.cursor)
    }
}

/// Ends after some pages that erase an item each, and then says what is left, each time.
private actor PagedSystem: Connector {
    private let pages: Int
    private let reading: ConnectorReading
    private(set) var calls = 0
    nonisolated let declaration = ConnectorDeclaration(abilities: [.verify])

    init(pages: Int, then reading: ConnectorReading) {
        self.pages = pages
        self.reading = reading
    }

    func count(_ request: ConnectorRequest) -> Int? { nil }
    func verify(_ request: ConnectorRequest) -> ConnectorReading { reading }

    func erase(_ request: ConnectorRequest) -> ConnectorAnswer {
        calls += 1
        let page = request.cursor.flatMap { Int($0) } ?? 0
        return page < pages ? .more(1, cursor: "\(page + 1)") : .erased(1)
    }
}

@Suite("Systems that never end their pages")
struct SystemPagesTests {
    /// One attempt by a worker, or a whole run without workers.
    private func outcome(
        of system: some Connector, from stored: StepProgress? = nil, slept: Guarded<Int> = Guarded(0),
        withoutWorkers waits: Bool = false, isInterrupted: Bool = false
    ) async -> ((any Error)?, StepProgress?) {
        let sleep: @Sendable (Duration) async throws -> Void = { _ in
            slept.withLock { $0 += 1 }
            if isInterrupted { throw CancellationError() }
        }
        var driver = ConnectorDriver("lists", system, sleep: sleep, chance: { 0.5 })
        driver.waitsBetweenPages = waits
        let kept = Guarded<StepProgress?>(stored)
        do {
            _ = try await driver.run(.init(key: "run/step", names: ["ada"]), from: stored) { progress in
                kept.withLock { $0 = progress }
            }
            return (nil, kept.withLock { $0 })
        } catch {
            return (error, kept.withLock { $0 })
        }
    }

    @Test("P4 a system that erases nothing and alternates between cursors is called no more once one comes again")
    func alternating() async {
        let system = EndlessSystem([(1, "a"), (0, "b"), (0, "c"), (0, "d"), (0, "b")])
        let (error, _) = await outcome(of: system)
        let garbled = error as? FarewellError
        #expect(garbled?.code == "connector.garbled" && garbled?.message.contains("same cursor again") == true)
        #expect(await system.calls == 5)
    }

    @Test("P4 a system that reports an item with the same cursor again and again delays no other erasure, and is parked in the end")
    func repeating() async throws {
        let slept = Guarded(0)
        let system = EndlessSystem([(1, "x")])
        var (ending, kept) = await outcome(of: system, slept: slept)
        var attempts = 1
        while let rest = ending as? SystemRest, attempts < 20 {
            #expect(rest.due == .after(SystemPages.pause) && rest.error.family == .tryAgain)
            #expect(await system.calls == attempts * SystemPages.perAttempt)
            // As another process reads it.
            let stored = try JSONDecoder().decode(StepProgress.self, from: JSONEncoder().encode(try #require(kept)))
            #expect(stored.cursor == "x" && stored.rest == rest.error.message)
            (ending, kept) = await outcome(of: system, from: stored, slept: slept)
            attempts += 1
        }
        let error = ending as? FarewellError
        #expect(error?.code == "connector.endless" && error?.family == .yoursToFix)
        #expect(error?.message.contains("still returns a cursor") == true, "\(String(describing: error))")
        let calls = await system.calls
        #expect(calls <= SystemPages.mostIdle + 1)
        #expect(attempts == SystemPages.mostIdle / SystemPages.perAttempt + 1)
        #expect(slept.withLock { $0 } == 0, "no worker waits")
        // Once released, the request is another one and begins at the first page.
        let progress = try #require(kept)
        #expect(progress.cursor == nil && progress.pages == nil && progress.round == 1)
        #expect(progress.counts["erased"] == calls)
    }

    @Test("P4 a large account whose pages erase in bulk under the same cursor ends, without a pause")
    func bulk() {
        var pages = SystemPages(from: nil)
        let others = (1..<SystemPages.most).filter { _ in pages.next(after: 200, cursor: "first") != .page }
        let last = pages.next(after: 200, cursor: "first")
        #expect(others.isEmpty && last == .endless)
    }

    @Test("SY-2 two cursors that Unicode treats as equal are two places")
    func alike() {
        var pages = SystemPages(from: "e\u{301}")
        let told = [(0, "\u{e9}"), (0, "\u{e9}")].map { pages.next(after: $0, cursor: $1) }
        #expect(told == [.page, .sameAgain])
    }

    @Test("P4 a cursor may come again after something was erased, and small pages with new cursors go on in a later attempt")
    func small() {
        var pages = SystemPages(from: "a")
        let told = [(1, "a"), (0, "b"), (1, "b"), (0, "b")].map { pages.next(after: $0, cursor: $1) }
        #expect(told == [.page, .page, .page, .sameAgain])
        var other = SystemPages(from: nil)
        let all = (1...SystemPages.perAttempt).map { other.next(after: 1, cursor: "\($0)") }
        #expect(all.dropLast().allSatisfy { $0 == .page } && all.last == .later)
        #expect(other.counts == .init(count: SystemPages.perAttempt))
        #expect(Double(SystemPages.perAttempt) / SystemPages.pause >= 10, "pages a second")
    }

    @Test("P4 the bound on a system's pages holds over all attempts, also where each erases something with a new cursor")
    func bounded() {
        let before = StepProgress.Pages(count: SystemPages.most - 2)
        var small = SystemPages(from: "a", after: before)
        #expect(["b", "c"].map { small.next(after: 1, cursor: $0) } == [.page, .endless])
        var bulk = SystemPages(from: "a", after: before)
        #expect(["b", "c"].map { bulk.next(after: 200, cursor: $0) } == [.page, .endless])
        var idle = SystemPages(from: "a", after: .init(count: 20_000, idle: SystemPages.mostIdle - 2))
        #expect(["b", "c"].map { idle.next(after: 0, cursor: $0) } == [.page, .endless])
    }

    @Test("P4 read-backs that find data count over all attempts, so that a system with many small pages is no exception")
    func leftovers() async throws {
        let system = PagedSystem(pages: SystemPages.perAttempt, then: .left(1))
        let slept = Guarded(0)
        var (ending, kept) = await outcome(of: system, slept: slept)
        var attempts = 1
        while ending is SystemRest, attempts < 20 {
            let stored = try JSONDecoder().decode(StepProgress.self, from: JSONEncoder().encode(try #require(kept)))
            #expect(stored.sweeps ?? 0 == attempts - 1 && stored.pages?.count == SystemPages.perAttempt)
            (ending, kept) = await outcome(of: system, from: stored, slept: slept)
            attempts += 1
        }
        #expect((ending as? FarewellError)?.code == "connector.leftovers", "\(String(describing: ending))")
        // Each attempt but the first ends one round and reads back.
        #expect(attempts == ConnectorDriver.sweeps + 2)
        #expect(await system.calls == (ConnectorDriver.sweeps + 1) * (SystemPages.perAttempt + 1))
        #expect(slept.withLock { $0 } == ConnectorDriver.sweeps, "only before each further round")
        #expect(kept?.round == ConnectorDriver.sweeps && kept?.sweeps == nil, "the next attempt sweeps as often")
        let earlier = try JSONDecoder().decode(StepProgress.self, from: Data(#"{"effect":1,"counts":{}}"#.utf8))
        #expect(earlier.sweeps == nil && earlier.pages == nil)
    }

    @Test("BX-9 an attempt after a pause that fails leaves its failure, and not the announcement of the former pause")
    func failureAfterPause() async throws {
        var stored = StepProgress(effect: 1)
        stored.cursor = "b"
        stored.rest = "The system lists is paused until 2026-01-01."
        let (ending, kept) = await outcome(of: EndlessSystem([(0, "b")]), from: stored)
        #expect((ending as? FarewellError)?.code == "connector.garbled", "\(String(describing: ending))")
        #expect(kept != nil && kept?.rest == nil && kept?.cursor == "b")
    }

    @Test("P4 without workers one run waits between many small pages and ends the erasure; an interruption ends the wait")
    func withoutWorkers() async {
        let pages = 2 * SystemPages.perAttempt
        let system = PagedSystem(pages: pages, then: .gone)
        let slept = Guarded(0)
        let (ending, kept) = await outcome(of: system, slept: slept, withoutWorkers: true)
        #expect(ending == nil, "\(String(describing: ending))")
        #expect(await system.calls == pages + 1)
        #expect(slept.withLock { $0 } == 2, "after each thousand")
        #expect(kept?.cursor == "\(pages)" && kept?.pages?.count == pages)
        #expect(kept?.rest == nil, "status does not announce that a worker goes on")

        let (cause, begun) = await outcome(of: system, withoutWorkers: true, isInterrupted: true)
        #expect(cause is CancellationError && begun?.cursor == "\(SystemPages.perAttempt)")
        let (again, _) = await outcome(of: system, from: begun, withoutWorkers: true)
        #expect(again == nil)
        #expect(await system.calls == 2 * (pages + 1), "it went on where it was")
    }

    @Test("P4 only workers hand an erasure back after many small pages: a direct run, a resumption and a release wait")
    func wiring() async throws {
        try await WorkerFixture.with(.sqlite) { place in
            let (direct, worker) = (place.engine.context(.init()), place.workers().batch({ _ in }).context)
            let contexts = [direct, direct.with(direct.prepared), worker, worker.with(worker.prepared)]
            let waits = contexts.map { context in
                SystemErasure(
                    context: context, system: SystemPlan(name: "lists", kind: "paged"),
                    connector: PagedSystem(pages: 1, then: .gone)
                ).driver.waitsBetweenPages
            }
            #expect(waits == [true, true, false, false])
        }
    }

    @Test("P4 an erasure that makes room for others rests for seconds, and one with a due date until that time")
    func rests() {
        #expect(SystemRest("lists", afterPages: 1_000, seconds: 5).seconds(from: 1_000_000) == 5)
        #expect(SystemRest("billing", until: 1_000_060, why: "it was paid for").seconds(from: 1_000_000) == 60)
        #expect(SystemRest("billing", until: 900_000, why: "it was paid for").seconds(from: 1_000_000) == 0)
    }
}
