// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
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

@Suite("Systems that never end their pages")
struct SystemPagesTests {
    private func outcome(of system: EndlessSystem, slept: Guarded<Int> = Guarded(0)) async -> (FarewellError?, StepProgress?) {
        let sleep: @Sendable (Duration) async throws -> Void = { _ in slept.withLock { $0 += 1 } }
        let driver = ConnectorDriver("lists", system, sleep: sleep, chance: { 0.5 })
        let kept = Guarded<StepProgress?>(nil)
        do {
            _ = try await driver.run(.init(key: "run/step", names: ["ada"]), from: nil) { progress in
                kept.withLock { $0 = progress }
            }
            return (nil, kept.withLock { $0 })
        } catch {
            return (error as? FarewellError, kept.withLock { $0 })
        }
    }

    @Test("P4 a system that erases nothing and alternates between cursors is called no more once one comes again")
    func alternating() async {
        let system = EndlessSystem([(1, "a"), (0, "b"), (0, "c"), (0, "d"), (0, "b")])
        let (error, _) = await outcome(of: system)
        #expect(error?.code == "connector.garbled" && error?.message.contains("same cursor again") == true)
        #expect(await system.calls == 5)
    }

    @Test("P4 a system that reports an item with the same cursor again and again is slowed down, then parked with the cause")
    func repeating() async throws {
        let slept = Guarded(0)
        let system = EndlessSystem([(1, "x")])
        let (error, kept) = await outcome(of: system, slept: slept)
        #expect(error?.code == "connector.endless" && error?.family == .yoursToFix)
        #expect(error?.message.contains("still returns a cursor") == true, "\(String(describing: error))")
        let calls = await system.calls
        #expect(calls <= SystemPages.mostIdle + 1)
        #expect(slept.withLock { $0 } > calls / 2)
        // Once released, the request is another one and begins at the first page.
        let progress = try #require(kept)
        #expect(progress.cursor == nil && progress.round == 1 && progress.counts["erased"] == calls)
    }

    @Test("P4 a large account whose pages erase in bulk under the same cursor ends, without a pause")
    func bulk() {
        var pages = SystemPages(from: nil)
        let others = (1..<SystemPages.most).filter { _ in pages.next(after: 200, cursor: "first") != .page(after: .zero) }
        let last = pages.next(after: 200, cursor: "first")
        #expect(others.isEmpty && last == .endless)
    }

    @Test("P4 a cursor may come again after something was erased, and small pages with new cursors are only slowed down")
    func small() {
        var pages = SystemPages(from: "a")
        let told = [(1, "a"), (0, "b"), (1, "b"), (0, "b")].map { pages.next(after: $0, cursor: $1) }
        let next = SystemPages.Next.page(after: .zero)
        #expect(told == [next, next, next, .sameAgain])
        var other = SystemPages(from: nil)
        let pauses = (0..<20_000).map { other.next(after: 1, cursor: "\($0)") }
        #expect(pauses.first == .page(after: .zero) && pauses.last == .page(after: .seconds(1)))
    }
}
