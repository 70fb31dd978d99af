// SPDX-License-Identifier: Apache-2.0

import Farewell

/// When the next call may go, so that a budget is held exactly and none of it is wasted. Pure: times are seconds of any
/// clock that only goes forward.
package struct CallPacing: Sendable, Hashable {
    private let interval: Double
    private let slack: Double
    /// The time at which all calls so far would have been sent at an even rate.
    private var even: Double = -.infinity

    package init(_ budget: RateBudget) {
        interval = 1 / budget.perSecond
        slack = interval * Double(budget.burst - 1)
    }

    /// Takes the next place.
    ///
    /// - Returns: how many seconds to wait before the call may go.
    package mutating func take(at now: Double) -> Double {
        let due = max(even, now)
        even = due + interval
        return max(due - slack - now, 0)
    }

    /// Starts no call for this number of seconds; calls that have a slot already keep it.
    package mutating func rest(_ seconds: Double, at now: Double) {
        even = max(even, now + seconds + slack)
    }
}
