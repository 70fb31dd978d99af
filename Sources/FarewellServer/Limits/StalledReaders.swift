// SPDX-License-Identifier: Apache-2.0

import Farewell
import Logging
import NIOCore
import ServiceLifecycle

/// Disconnects callers who read nothing of their answers.
///
/// A connection whose peer does not read takes no more than its buffers hold: the writer waits. It costs little memory,
/// but a connection, a follower's place, and the data of the answer. One task checks all connections; if part of an
/// answer waits and none of it has left for the limit, the connection ends.
final class StalledReaders: Service, CustomStringConvertible {
    private struct Reader: Sendable {
        let channel: any Channel
        /// How often the channel became writable or unwritable.
        let turns: Guarded<Int>
    }

    private struct State: Sendable {
        var readers: [Int: Reader] = [:]
        var last = 0
    }

    /// A reader without room in its buffers, the bytes that waited for it, and the number of checks in a row that found
    /// this.
    private struct Stall: Sendable {
        let turns: Int
        let bytes: Int
        var looks = 0
    }

    /// The number of checks within the limit.
    private static let looks = 4

    private let interval: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let log: Logger
    private let state = Guarded(State())

    init(limit: Duration, log: Logger, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        interval = limit / Self.looks
        self.log = log
        self.sleep = sleep
    }

    var description: String { "StalledReaders" }

    /// - Parameter turns: Counts how often `channel` became writable or ceased to be.
    /// - Returns: the number by which the connection `leave`s.
    func enter(_ channel: any Channel, turns: Guarded<Int>) -> Int {
        state.withLock { state in
            state.last += 1
            state.readers[state.last] = Reader(channel: channel, turns: turns)
            return state.last
        }
    }

    func leave(_ number: Int) {
        state.withLock { $0.readers[number] = nil }
    }

    /// Looks until the server stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var stalls: [Int: Stall] = [:]
            while (try? await self.sleep(self.interval)) != nil { stalls = await self.looked(after: stalls) }
        }
    }

    /// Checks all connections. If room appeared since, or fewer bytes wait than before, the count restarts.
    private func looked(after before: [Int: Stall]) async -> [Int: Stall] {
        var stalls: [Int: Stall] = [:]
        for (number, reader) in state.withLock({ $0.readers }) where !reader.channel.isWritable {
            let turns = reader.turns.withLock { $0 }
            guard let bytes = try? await reader.channel.getOption(.bufferedWritableBytes).get() else { continue }
            var stall = Stall(turns: turns, bytes: bytes)
            if let last = before[number], last.turns == turns, last.bytes == bytes { stall.looks = last.looks + 1 }
            if stall.looks < Self.looks {
                stalls[number] = stall
            } else {
                log.notice("closed the connection of a reader that read nothing", metadata: ["waiting": "\(bytes)"])
                reader.channel.close(promise: nil)
            }
        }
        return stalls
    }
}
