// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import ServiceLifecycle

/// How many follow something at once, and no more than may.
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
    ///   - limit: How many follow in all.
    ///   - ofOne: How many of them follow one and the same; nil is as many as follow in all.
    init(limit: Int, ofOne limitOfOne: Int? = nil, metrics: ServerMetrics) {
        self.limit = limit
        self.limitOfOne = limitOfOne ?? limit
        self.metrics = metrics
    }

    /// A place for one more; nil where there is none.
    ///
    /// - Parameters:
    ///   - followed: What they follow, where it is one of many.
    ///   - connection: What they follow by. Where it is not known, that they have gone is noticed when they are written
    ///     to.
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

    /// A follower's place, given back when nobody holds it any more: also when the answer was never written.
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

        /// Says when to look again for the follower: at once, whenever something wakes, and after each `silence`. Ends
        /// when the server stops, and as soon as the follower has gone.
        func wakes(
            _ wakes: [AsyncStream<Void>], each silence: Duration,
            sleep: @escaping @Sendable (Duration) async throws -> Void
        ) -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let connection = connection
            let work = Task {
                await cancelWhenGracefulShutdown {
                    await withTaskGroup { group in
                        for ring in wakes {
                            group.addTask {
                                for await _ in ring { continuation.yield() }
                            }
                        }
                        group.addTask {
                            repeat { continuation.yield() } while (try? await sleep(silence)) != nil
                        }
                        if let connection {
                            group.addTask {
                                await connection.untilGone()
                                continuation.finish()
                            }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
            return stream
        }
    }
}
