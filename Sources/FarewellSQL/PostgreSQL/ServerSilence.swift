// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Tells a silent server from a busy one.
///
/// While anything is heard on any connection, the server is busy and not silent, however long a caller waits for a
/// connection or an answer. The limit counts looks and not time, so a process that has waited for a processor reads
/// the answer before it decides.
struct ServerSilence: Sendable {
    /// The number of consecutive looks that must find nothing new after the server was asked.
    private let looks: Int
    /// The same while the question waits for a connection, because none is free or can be opened. It is higher,
    /// because the process itself takes part in opening one.
    private let looksForConnection: Int
    /// The same while nothing has been heard since the server was last found silent.
    private let looksAgain: Int
    private let pause: @Sendable () async throws -> Void

    /// Ten looks in a second: a server is silent after four seconds, or after seven without a connection.
    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.init(looks: 40, looksForConnection: 70, looksAgain: 10) { try await clock.sleep(for: .milliseconds(100)) }
    }

    /// - Parameter pause: Waits between two looks.
    init(
        looks: Int, looksForConnection: Int, looksAgain: Int, pause: @escaping @Sendable () async throws -> Void
    ) {
        (self.looks, self.looksForConnection, self.looksAgain) = (looks, looksForConnection, looksAgain)
        self.pause = pause
    }

    /// What a caller waits for.
    enum Awaited: Sendable, Equatable {
        /// The answer to a statement.
        case answer
        /// A connection that is being opened.
        case connection
        /// A connection that other callers hold: nothing is asked of the server meanwhile.
        case turn
    }

    /// Comes back once nothing has been heard for long, with what the caller has waited for all that time. Only a
    /// server that was asked is silent: while all connections are in use, none can be asked, and it may be well.
    ///
    /// - Parameter awaited: What the caller waits for now, and whether something has arrived that nothing has read.
    /// - Throws: `CancellationError`.
    func found(by hearing: ServerHearing, awaited: () -> (Awaited, hasUnread: Bool)) async throws -> Awaited {
        var (last, quiet, before) = (hearing.count, 0, awaited().0)
        while true {
            try await pause()
            let (now, (present, hasUnread)) = (hearing.count, awaited())
            quiet = now != last || present != before || hasUnread ? 0 : quiet + 1
            (last, before) = (now, present)
            // Another caller may have found it silent meanwhile.
            if quiet >= (hearing.isSilent ? looksAgain : present == .answer ? looks : looksForConnection) { break }
        }
        if before != .turn { hearing.noteSilence(since: last) }
        return before
    }
}

/// How often something was heard from a server, on all connections of one database.
final class ServerHearing: Sendable {
    private struct State: Sendable {
        var count = 0
        /// The count at which the server was found silent.
        var silentAt: Int?
        var isPooled: Bool
    }

    private let state: Guarded<State>

    init(isPooled: Bool = false) { state = Guarded(State(isPooled: isPooled)) }

    var count: Int { state.withLock { $0.count } }

    /// Whether nothing has been heard since the server was found silent.
    var isSilent: Bool { state.withLock { $0.silentAt == $0.count } }

    func noteAnswer() { state.withLock { $0.count &+= 1 } }

    /// Whether a pooler was in front of the server when a connection was last asked.
    var isPooled: Bool { state.withLock { $0.isPooled } }

    func notePooler(_ isPooled: Bool) { state.withLock { $0.isPooled = isPooled } }

    func noteSilence(since count: Int) { state.withLock { $0.silentAt = count } }
}
