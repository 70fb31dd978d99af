// SPDX-License-Identifier: Apache-2.0

import AsyncAlgorithms
import Farewell
import FarewellKeys
import Foundation
import ServiceLifecycle

/// Counts and limits the callers that follow a stream at the same time.
final class Followers: Sendable {
    private struct State: Sendable {
        var all = 0
        var ofOne: [UUID: Int] = [:]
    }

    private let state = Guarded(State())
    private let limit: Int
    private let limitOfOne: Int
    private let metrics: ServerMetrics

    /// - Parameters:
    ///   - limit: The largest number of followers.
    ///   - ofOne: The largest number of followers of one erasure; `nil`: the same as `limit`.
    init(limit: Int, ofOne limitOfOne: Int? = nil, metrics: ServerMetrics) {
        self.limit = limit
        self.limitOfOne = limitOfOne ?? limit
        self.metrics = metrics
    }

    /// A seat for one more follower; `nil` if none is free.
    ///
    /// - Parameters:
    ///   - followed: The erasure that the follower follows; `nil` for a stream that all share.
    ///   - connection: The follower's connection. If it is unknown, the next write detects that the follower has gone.
    func enter(following followed: UUID? = nil, by connection: CallerConnection?) -> Seat? {
        let isIn = state.withLock { state in
            let ofOne = followed.map { state.ofOne[$0, default: 0] } ?? 0
            guard state.all < limit, ofOne < limitOfOne else { return false }
            state.all += 1
            if let followed { state.ofOne[followed] = ofOne + 1 }
            return true
        }
        guard isIn else { return nil }
        metrics.followerCame()
        return Seat(followers: self, followed: followed, connection: connection)
    }

    private func leave(_ followed: UUID?) {
        state.withLock { state in
            state.all -= 1
            guard let followed, let ofOne = state.ofOne[followed] else { return }
            state.ofOne[followed] = ofOne > 1 ? ofOne - 1 : nil
        }
        metrics.followerWent()
    }

    /// A follower's seat. It becomes free when nothing refers to it, even if the answer was never written.
    final class Seat: Sendable {
        private let followers: Followers
        private let followed: UUID?
        private let connection: CallerConnection?

        fileprivate init(followers: Followers, followed: UUID?, connection: CallerConnection?) {
            self.followers = followers
            self.followed = followed
            self.connection = connection
        }

        deinit { followers.leave(followed) }

        private enum Wake: Sendable { case look, gone }

        /// The times at which the caller looks for news: at once, at every signal, and after each `silence`. Signals
        /// between two looks cause one look. Ends when the server stops, or as soon as the follower has gone.
        func wakes(
            _ signals: AsyncStream<Void>, _ others: AsyncStream<Void> = AsyncStream { $0.finish() },
            each silence: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
        ) -> some AsyncSequence & Sendable {
            let connection = connection
            let silences = AsyncStream<Void>(unfolding: { try? await sleep(silence) })
            let absence = AsyncStream<Wake>(unfolding: {
                guard let connection else { return nil }
                await connection.untilGone()
                return .gone
            })
            let looks = merge(signals, others, chain([()].async, silences)).map { Wake.look }
            return merge(looks, absence).prefix { $0 == .look }.newest().cancelOnGracefulShutdown()
        }
    }
}
