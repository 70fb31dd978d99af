// SPDX-License-Identifier: Apache-2.0

import Farewell
import Logging
import NIOCore
import ServiceLifecycle

/// Cuts off who asks, and takes nothing of what is written for them.
///
/// To a connection nobody reads from no more is written than its buffers hold: whoever writes waits. So it costs little
/// memory, but a connection, a place among followers, and all that the answer is made from. One task looks at all
/// connections; where some of an answer waits and none of it has gone for so long, the connection ends.
final class StalledReaders: Service, CustomStringConvertible {
    private struct Reader: Sendable {
        let channel: any Channel
        /// How often the room for what is written ended or came back.
        let turns: Guarded<Int>
    }

    private struct State: Sendable {
        var readers: [Int: Reader] = [:]
        var last = 0
    }

    /// A reader for whom there was no room, what waited for them, and how often in a row it was found so.
    private struct Stall: Sendable {
        let turns: Int
        let bytes: Int
        var looks = 0
    }

    /// How often it is looked within the limit.
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

    /// Looks at everybody once. Where there was room since, or less waits than before, the count begins anew.
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
                log.notice("cut off a reader who took nothing", metadata: ["waiting": "\(bytes)"])
                reader.channel.close(promise: nil)
            }
        }
        return stalls
    }
}
