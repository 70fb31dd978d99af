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

    /// Returns once the server is silent.
    ///
    /// - Parameter asked: The connection on which an answer is awaited; nil while there is none.
    /// - Throws: `CancellationError`.
    func found(by hearing: ServerHearing, asked: () -> PostgreSQLConnection?) async throws {
        var (last, quiet) = (hearing.count, 0)
        let wasSilent = hearing.isSilent
        while true {
            try await pause()
            let (now, connection) = (hearing.count, asked())
            quiet = now != last || connection?.hasUnread == true ? 0 : quiet + 1
            last = now
            if quiet >= (wasSilent ? looksAgain : connection == nil ? looksForConnection : looks) { break }
        }
        hearing.noteSilence(since: last)
    }
}

/// How often something was heard from a server, on all connections of one database.
final class ServerHearing: Sendable {
    private struct State: Sendable {
        var count = 0
        /// The count at which the server was found silent.
        var silentAt: Int?
    }

    private let state = Guarded(State())

    var count: Int { state.withLock { $0.count } }

    /// Whether nothing has been heard since the server was found silent.
    var isSilent: Bool { state.withLock { $0.silentAt == $0.count } }

    func noteAnswer() { state.withLock { $0.count &+= 1 } }

    func noteSilence(since count: Int) { state.withLock { $0.silentAt = count } }
}
