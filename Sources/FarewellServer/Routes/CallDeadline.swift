// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The time by which a call must end, checked by computing code: a computing task cannot be interrupted, and its timer
/// may wait for the very thread that it holds.
struct CallDeadline: Sendable {
    /// By the clock of `ServerWorld.elapsed`.
    let due: Duration
    let elapsed: @Sendable () -> Duration

    var isPast: Bool { elapsed() >= due }

    /// Whether `check` throws.
    var isOver: Bool { isPast || Task.isCancelled }

    /// How long the call may wait for something else and still answer in time: a quarter of what is left, at most two
    /// seconds, is kept for the answer.
    var longestWait: Duration {
        let left = max(.zero, due - elapsed())
        return left - min(.seconds(2), left / 4)
    }

    /// - Throws: `auth.request_timeout` past the deadline; `CancellationError` when the caller has gone.
    func check() throws {
        if isPast { throw Self.passed }
        try Task.checkCancellation()
    }

    static let passed = FarewellError(
        "auth.request_timeout", .tryAgain, "Processing this request timed out, please retry after a moment.")
}
