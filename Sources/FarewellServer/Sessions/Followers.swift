// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How many follow the feed at once, and no more than may.
final class Followers: Sendable {
    private let count = Guarded(0)
    private let limit: Int
    private let metrics: ServerMetrics

    init(limit: Int, metrics: ServerMetrics) {
        self.limit = limit
        self.metrics = metrics
    }

    /// A place for one more; nil where there is none.
    func enter() -> Seat? {
        let isIn = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isIn else { return nil }
        metrics.followerCame()
        return Seat(followers: self)
    }

    private func leave() {
        count.withLock { $0 -= 1 }
        metrics.followerWent()
    }

    /// A follower's place, given back when nobody holds it any more: also when the answer was never written.
    final class Seat: Sendable {
        private let followers: Followers

        fileprivate init(followers: Followers) { self.followers = followers }

        deinit { followers.leave() }
    }
}
