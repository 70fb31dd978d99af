// SPDX-License-Identifier: Apache-2.0

import Farewell

extension RetryPolicy {
    /// Erasures that failed: from a second to five minutes.
    package static let erasures = RetryPolicy(first: .seconds(1), longest: .seconds(300))
    /// Transactions that other ones were in the way of: from 60 milliseconds to a second.
    static let contention = RetryPolicy(first: .milliseconds(60), longest: .seconds(1))
    /// Deliveries to endpoints: from five seconds to an hour.
    package static let deliveries = RetryPolicy(first: .seconds(5), longest: .seconds(3_600))
}
