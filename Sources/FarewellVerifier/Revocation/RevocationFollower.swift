// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Logging

/// Follows a server's feed of revocations into a ``RevocationList``, for as long as it runs: resumes where it stopped,
/// and reconnects, with growing pauses, when the feed breaks or falls silent.
public final class RevocationFollower: Sendable {
    private struct State: Sendable {
        var reader = EventStreamReader()
        var cursor: String?
        var failures = 0
        var state = FeedState.connecting
        var unreadable = 0
        /// When a byte came last; not before this connection was made.
        var heardAt = Duration.zero
    }

    private struct Silent: Error {}

    private let streaming: any RevocationStreaming
    private let list: RevocationList
    private let silence: Duration
    private let environment: VerifierEnvironment
    private let state = Guarded(State())

    /// After `silence` without a byte the feed counts as broken. The server's own heartbeat comes at least every 15
    /// seconds.
    public init(
        _ streaming: any RevocationStreaming, into list: RevocationList, silence: Duration = .seconds(45),
        environment: VerifierEnvironment
    ) {
        self.streaming = streaming
        self.list = list
        self.silence = silence
        self.environment = environment
    }

    /// The state of the feed.
    public var freshness: FeedFreshness {
        let age = list.age
        return state.withLock {
            FeedFreshness(state: $0.state, age: age, cursor: $0.cursor, unreadableEvents: $0.unreadable)
        }
    }

    /// Follows until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await followOnce()
                broken(by: nil)
            } catch {
                broken(by: error)
            }
            try? await environment.sleep(delay())
        }
    }

    private func followOnce() async throws {
        let now = environment.uptime()
        let cursor = state.withLock { state in
            state.reader = EventStreamReader()
            state.heardAt = now
            return state.cursor
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.streaming.follow(after: cursor) { try self.receive($0) } }
            group.addTask { try await self.watch() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func receive(_ bytes: [UInt8]) throws {
        let now = environment.uptime()
        let events = try state.withLock { state in
            if state.state != .following { state.state = .catchingUp }
            state.failures = 0
            state.heardAt = now
            return try state.reader.read(bytes)
        }
        for event in events { take(event) }
        if state.withLock({ $0.state == .following }) { list.heard() }
    }

    /// An unreadable event is skipped, counted and logged: the events after it matter too.
    private func take(_ event: ServerSentEvent) {
        if event.name == RevocationEvent.name {
            if let tokens = RevocationEvent.tokens(event.data) {
                list.note(tokens)
            } else {
                state.withLock { $0.unreadable += 1 }
                environment.log.error("An entry of the feed of revocations cannot be read.")
            }
        }
        state.withLock { state in
            // Only processed events are not requested again.
            state.cursor = event.id ?? state.cursor
            if event.name == RevocationEvent.current { state.state = .following }
        }
    }

    /// Ends, throwing, when nothing was heard for too long.
    private func watch() async throws {
        while true {
            let quiet = environment.uptime() - state.withLock { $0.heardAt }
            guard quiet < silence else { throw Silent() }
            try await environment.sleep(silence - quiet)
        }
    }

    private func broken(by error: (any Error)?) {
        if Task.isCancelled { return }
        let status = (error as? RevocationFeedRefusal)?.status
        let isFirst = state.withLock { state in
            defer { state.state = .lost }
            if error != nil { state.failures += 1 }
            // If the server does not know the cursor, the follower requests the whole feed.
            if let status, [400, 404, 410, 416].contains(status) { state.cursor = nil }
            return state.state != .lost
        }
        guard isFirst, let error else { return }
        environment.log.warning(
            "The feed of revocations was lost; it is tried again.",
            metadata: ["reason": "\(status.map { "status \($0)" } ?? ConnectionFailure.words(error))"])
    }

    private func delay() -> Duration {
        let failures = state.withLock { $0.failures }
        return Self.retry.delay(afterFailures: failures + 1, chance: environment.random())
    }

    private static let retry = RetryPolicy(first: .milliseconds(100), longest: .seconds(10))
}
