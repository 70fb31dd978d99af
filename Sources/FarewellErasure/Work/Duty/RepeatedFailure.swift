// SPDX-License-Identifier: Apache-2.0

/// Decides which failures of repeated work are logged: the first one, one with another code, and the same one again
/// after a minute. Otherwise the log of an hour without a database would be many thousand equal lines.
struct RepeatedFailure {
    private var last: (code: String, time: Duration)?

    /// How long the same failure is not logged again.
    static let silence = Duration.seconds(60)

    /// Whether a failure is to be logged.
    ///
    /// - Parameters:
    ///   - code: That of the error.
    ///   - now: By a clock that only runs forward.
    mutating func isWorthALine(_ code: String, at now: Duration) -> Bool {
        if let last, last.code == code, now - last.time < Self.silence { return false }
        last = (code, now)
        return true
    }

    /// After a success, the next failure is the first again.
    mutating func succeeded() { last = nil }
}
