// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Pauses the calls to a system that keeps failing. Pure: times are seconds of any monotonic clock.
package struct CircuitBreaker: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case closed(failures: Int)
        /// No call is made until then; the first one afterwards tests the system for all.
        case open(until: Double, times: Int)
        /// One call is tried; the others wait for its result.
        case trying(until: Double, times: Int)
    }

    package private(set) var state = State.closed(failures: 0)
    /// The number of failures in a row that opens it.
    package static let failures = 5
    private static let retry = RetryPolicy(first: .seconds(5), longest: .seconds(60))

    package init() {}

    /// - Returns: `nil` if the call may start; otherwise the seconds until the next question.
    package mutating func admit(at now: Double) -> Double? {
        switch state {
        case .closed: return nil
        case .open(let until, let times), .trying(let until, let times):
            guard now >= until else { return until - now }
            // Should the one that tries be lost, the next may try after the same time.
            state = .trying(until: now + Self.pause(times), times: times)
            return nil
        }
    }

    package mutating func succeed() { state = .closed(failures: 0) }

    package mutating func fail(at now: Double) {
        switch state {
        case .closed(let failures):
            state =
                failures + 1 < Self.failures
                ? .closed(failures: failures + 1) : .open(until: now + Self.pause(0), times: 0)
        case .open: break
        case .trying(_, let times): state = .open(until: now + Self.pause(times + 1), times: times + 1)
        }
    }

    /// Seconds; without jitter, since one call tries for all.
    private static func pause(_ times: Int) -> Double {
        retry.delay(afterFailures: times + 1) / .seconds(1)
    }
}
