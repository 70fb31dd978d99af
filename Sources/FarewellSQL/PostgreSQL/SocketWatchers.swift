// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The watchers of a database, which new connections are given by turns.
///
/// One for two processors: the others are for the database server, or for the waiting callers.
final class SocketWatchers: Sendable {
    private struct Ring: Sendable {
        var watchers: [SocketWatcher] = []
        var given = 0
    }

    private let count: Int
    private let ring = Guarded(Ring())

    init(most: Int) { count = max(1, min(most, ProcessInfo.processInfo.activeProcessorCount / 2)) }

    /// A watcher begins with the first connection that needs it.
    func next() -> SocketWatcher {
        ring.withLock { ring in
            defer { ring.given += 1 }
            if ring.watchers.count < count { ring.watchers.append(SocketWatcher()) }
            return ring.watchers[ring.given % ring.watchers.count]
        }
    }
}
