// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Tells a silent server from a busy one.
///
/// While anything is heard on any connection, the server is busy at most, however long a caller waits for a
/// connection or an answer. Looks are counted rather than time, so that a process that gets no processor itself reads
/// the answer first.
struct ServerSilence: Sendable {
    /// How many looks in a row must find that nothing was heard: four seconds by default.
    var looks = 40
    /// The same as long as nothing has been heard since the last silence.
    var looksAgain = 10
    var pause: @Sendable () async throws -> Void = { try await ContinuousClock().sleep(for: .milliseconds(100)) }

    /// Comes back once the server is silent.
    ///
    /// - Parameter hasAnswer: Whether an answer has arrived that nothing has read yet.
    /// - Throws: `CancellationError`.
    func found(by hearing: ServerHearing, hasAnswer: () -> Bool) async throws {
        var (last, quiet) = (hearing.count, 0)
        let most = hearing.isSilent ? looksAgain : looks
        while quiet < most {
            try await pause()
            let now = hearing.count
            (last, quiet) = (now, now != last || hasAnswer() ? 0 : quiet + 1)
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
