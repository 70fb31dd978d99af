// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The times at which a worker looks again")
struct WakeStreamTests {
    @Test("a worker that rests after a signal wakes once more for the signals of the meantime", .timeLimit(.minutes(30)))
    func rests() async {
        let signal = WakeSignal()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let wakes = WakeStream(signal.wakes, every: .seconds(3_600), rest: .milliseconds(1)) { pause in
            guard pause == .milliseconds(1) else { return try await ContinuousClock().sleep(for: pause) }
            begin.yield()
            for await _ in ended { return }
        }
        var woken = wakes.stream.makeAsyncIterator()
        var resting = begun.makeAsyncIterator()
        let first: Void? = await woken.next()
        #expect(first != nil, "at once")
        for _ in 0..<3 {
            for _ in 0..<5 { signal.wake() }
            let next: Void? = await woken.next()
            let rest: Void? = await resting.next()
            #expect(next != nil && rest != nil)
            for _ in 0..<5 { signal.wake() }
            end.yield()
            let again: Void? = await woken.next()
            let restAgain: Void? = await resting.next()
            #expect(again != nil && restAgain != nil)
            end.yield()
        }
    }

    @Test("an urgent signal wakes a resting worker at once", .timeLimit(.minutes(30)))
    func urgent() async {
        let (signal, stops) = (WakeSignal(), WakeSignal())
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let wakes = WakeStream(signal.wakes, every: .seconds(3_600), rest: .milliseconds(1), urgent: stops.wakes) { pause in
            if pause == .milliseconds(1) { begin.yield() }
            await untilCancelled()
            throw CancellationError()
        }
        var woken = wakes.stream.makeAsyncIterator()
        var resting = begun.makeAsyncIterator()
        let first: Void? = await woken.next()
        signal.wake()
        let next: Void? = await woken.next()
        let rest: Void? = await resting.next()
        #expect(first != nil && next != nil && rest != nil)
        stops.wake()
        let last: Void? = await woken.next()
        #expect(last != nil)
    }

    /// Three signals once the gate is open. The source is counted when all were taken.
    private func signals(behind gate: AsyncStream<Void>, counting taken: Guarded<Int>) -> AsyncStream<Void> {
        let left = Guarded(3)
        return AsyncStream(unfolding: {
            for await _ in gate {}
            let isSignal = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isSignal { return () }
            taken.withLock { $0 += 1 }
            return nil
        })
    }

    @Test("all signals of all sources before a worker's next turn are one wake")
    func oneWake() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (urgentGate, openUrgent) = AsyncStream.makeStream(of: Void.self)
        let taken = Guarded(0)
        let wakes = WakeStream(
            signals(behind: gate, counting: taken), every: .seconds(3_600),
            urgent: signals(behind: urgentGate, counting: taken), sleep: { _ in throw CancellationError() })
        var woken = wakes.stream.makeAsyncIterator()
        let first: Void? = await woken.next()
        #expect(first != nil, "at once")
        open.finish()
        openUrgent.finish()
        try await eventually { taken.withLock { $0 } == 2 }
        let (next, last): (Void?, Void?) = (await woken.next(), await woken.next())
        #expect(next != nil && last == nil, "every source has ended")
    }

    @Test("a worker that stops without being cancelled leaves nothing that waits")
    func leaves() async throws {
        let signal = WakeSignal()
        func turn() async -> Bool {
            let wakes = WakeStream(signal.wakes, every: .seconds(3_600)) { _ in
                await untilCancelled()
                throw CancellationError()
            }
            for await _ in wakes.stream { return true }
            return false
        }
        #expect(await turn())
        try await eventually { signal.waiters == 0 }
    }

    @Test("P1 a signal about some erasures wakes the waiters for those and for all, and no others")
    func ofOne() async {
        let signal = WakeSignal()
        let (mine, other) = (UUID(), UUID())
        let (own, all) = (signal.wakes(about: mine), signal.wakes)
        let waiting = Task { () -> Int in
            var count = 0
            for await _ in signal.wakes(about: other) { count += 1 }
            return count
        }
        signal.wake(about: [UUID(), mine])
        var (ownWakes, allWakes) = (own.makeAsyncIterator(), all.makeAsyncIterator())
        let (first, second): (Void?, Void?) = (await ownWakes.next(), await allWakes.next())
        #expect(first != nil && second != nil)
        waiting.cancel()
        #expect(await waiting.value == 0)
    }

    @Test("P1 a message names the erasures that have ended; one that names none, too many or something else is about all")
    func announced() throws {
        let control = ControlStore(dialect: .postgresql)
        func payload(_ erasures: [UUID]) throws -> String {
            let message = try #require(control.announce(on: ControlStore.endChannel, about: erasures))
            return try #require(message.parameters.last?.text)
        }
        let some = (0..<200).map { _ in UUID() }
        #expect(ControlStore.announced(in: try payload(some)) == some)
        #expect(try payload(some).utf8.count < 8_000)
        #expect(ControlStore.announced(in: try payload(some + [UUID()])) == nil)
        #expect(ControlStore.announced(in: try payload([])) == nil)
        #expect(ControlStore.announced(in: "\(some[0].text) more") == nil)
    }
}
