// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

struct CallPacingTests {
    @Test("calls keep a rate budget exactly, and waste none of it")
    func pacing() {
        var pacing = CallPacing(RateBudget(burst: 5, perSecond: 10))
        let waits = (0..<1_000).map { _ in pacing.take(at: 100) }
        #expect(waits.prefix(5).allSatisfy { $0 == 0 })
        // In any window the burst and the rate: the n-th call goes when its place has come, and not later.
        for (place, wait) in waits.enumerated() {
            #expect(abs(wait - max(Double(place - 4) * 0.1, 0)) < 1e-6)
        }
        // After a rest the burst is whole again.
        #expect((0..<5).allSatisfy { _ in pacing.take(at: 1_000) < 1e-6 })
        #expect(pacing.take(at: 1_000) > 0.05)
    }

    @Test("F10 a system that keeps failing is left alone, then tried by one call, then used again")
    func breaker() {
        var breaker = CircuitBreaker()
        for _ in 1...CircuitBreaker.failures {
            #expect(breaker.admit(at: 0) == nil)
            breaker.fail(at: 0)
        }
        #expect(breaker.admit(at: 1) == 4)
        #expect(breaker.admit(at: 5) == nil)
        #expect(breaker.admit(at: 5) == 5)
        breaker.fail(at: 6)
        #expect(breaker.admit(at: 6) == 10)
        #expect(breaker.admit(at: 16) == nil)
        breaker.succeed()
        #expect(breaker.admit(at: 16) == nil)
        #expect(breaker.state == .closed(failures: 0))
    }
}
