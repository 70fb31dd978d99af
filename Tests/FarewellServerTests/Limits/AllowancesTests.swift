// SPDX-License-Identifier: Apache-2.0

@testable import FarewellServer
import Testing

@Suite("The limits of each caller")
struct AllowancesTests {
    @Test("Item 36: each caller may make a burst of calls, then as many as the window allows")
    func bucket() {
        var allowances = Allowances(perWindow: 60, window: 60, burst: 3)
        for _ in 0..<3 { #expect(allowances.take(1, at: 0) == .allowed) }
        #expect(allowances.take(1, at: 0) == .refused(retryAfter: 1))
        #expect(allowances.take(2, at: 0) == .allowed)
        #expect(allowances.take(1, at: 1) == .allowed)
        #expect(allowances.take(1, at: 1.5) == .refused(retryAfter: 1))
    }

    @Test("the answer names the time of the next try")
    func retryAfter() {
        var allowances = Allowances(perWindow: 1, window: 300, burst: 1)
        #expect(allowances.take(1, at: 0) == .allowed)
        #expect(allowances.take(1, at: 100) == .refused(retryAfter: 200))
        #expect(allowances.take(1, at: 299) == .refused(retryAfter: 1))
        #expect(allowances.take(1, at: 301) == .allowed)
    }

    @Test("a stopped clock, or one that jumps back, allows no extra call")
    func clock() {
        var allowances = Allowances(perWindow: 1, window: 10, burst: 1)
        #expect(allowances.take(1, at: 100) == .allowed)
        #expect(allowances.take(1, at: 50) != .allowed)
        #expect(allowances.take(1, at: 100) == .allowed)
    }

    @Test("callers with many addresses do not fill the memory, and limited ones stay limited")
    func bounded() {
        var allowances = Allowances(perWindow: 1, window: 1_000, burst: 2, capacity: 100)
        for _ in 0..<3 { _ = allowances.take(-1, at: 0) }
        for key in 0..<10_000 {
            _ = allowances.take(key, at: 1)
            #expect(allowances.count <= 100)
        }
        #expect(allowances.take(-1, at: 1) != .allowed)
    }
}
