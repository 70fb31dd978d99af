// SPDX-License-Identifier: Apache-2.0

import Farewell
import ServiceLifecycle

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
    ///
    /// - Parameter connection: What they follow by. Where it is not known, that they have gone is noticed when they are
    ///   written to.
    func enter(by connection: CallerConnection?) -> Seat? {
        let isIn = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isIn else { return nil }
        metrics.followerCame()
        return Seat(followers: self, connection: connection)
    }

    private func leave() {
        count.withLock { $0 -= 1 }
        metrics.followerWent()
    }

    /// A follower's place, given back when nobody holds it any more: also when the answer was never written.
    final class Seat: Sendable {
        private let followers: Followers
        private let connection: CallerConnection?

        fileprivate init(followers: Followers, connection: CallerConnection?) {
            self.followers = followers
            self.connection = connection
        }

        deinit { followers.leave() }

        /// Says when to look again for the follower: at once, whenever something rings, and after each `silence`. Ends
        /// when the server stops, and as soon as the follower has gone.
        func wakes(
            _ rings: [AsyncStream<Void>], each silence: Duration,
            sleep: @escaping @Sendable (Duration) async throws -> Void
        ) -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let connection = connection
            let work = Task {
                await cancelWhenGracefulShutdown {
                    await withTaskGroup { group in
                        for ring in rings {
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
