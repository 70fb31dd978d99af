// SPDX-License-Identifier: Apache-2.0

import Eventually
@testable import FarewellErasure
import Testing

@Suite("When somebody who works looks again")
struct WakesTests {
    @Test("who rests after a ring is woken once more by those that came meanwhile", .timeLimit(.minutes(1)))
    func rests() async {
        let bell = WorkBell()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let wakes = Wakes(bell.rings, every: .seconds(3_600), rest: .milliseconds(1)) { pause in
            guard pause == .milliseconds(1) else { return try await ContinuousClock().sleep(for: pause) }
            begin.yield()
            for await _ in ended { return }
        }
        var woken = wakes.stream.makeAsyncIterator()
        var resting = begun.makeAsyncIterator()
        let first: Void? = await woken.next()
        #expect(first != nil, "at once")
        for _ in 0..<3 {
            for _ in 0..<5 { bell.ring() }
            let next: Void? = await woken.next()
            let rest: Void? = await resting.next()
            #expect(next != nil && rest != nil)
            for _ in 0..<5 { bell.ring() }
            end.yield()
            let again: Void? = await woken.next()
            let restAgain: Void? = await resting.next()
            #expect(again != nil && restAgain != nil)
            end.yield()
        }
    }

    @Test("who rests after a ring is woken at once by what is urgent", .timeLimit(.minutes(1)))
    func urgent() async {
        let (bell, stops) = (WorkBell(), WorkBell())
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let wakes = Wakes(bell.rings, every: .seconds(3_600), rest: .milliseconds(1), urgent: stops.rings) { pause in
            if pause == .milliseconds(1) { begin.yield() }
            await untilCancelled()
            throw CancellationError()
        }
        var woken = wakes.stream.makeAsyncIterator()
        var resting = begun.makeAsyncIterator()
        let first: Void? = await woken.next()
        bell.ring()
        let next: Void? = await woken.next()
        let rest: Void? = await resting.next()
        #expect(first != nil && next != nil && rest != nil)
        stops.ring()
        let last: Void? = await woken.next()
        #expect(last != nil)
    }
}
