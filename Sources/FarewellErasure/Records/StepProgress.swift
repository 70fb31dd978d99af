// SPDX-License-Identifier: Apache-2.0

/// The stored cursor of a long step: its completed part.
package struct StepProgress: Sendable, Hashable, Codable {
    /// How many of the program's effects are finished.
    package var effect: Int
    /// Rows or files changed so far for each place.
    package var counts: [String: Int]
    /// The position in a third-party system, or the key of the last completed row; sealed under the run's key.
    package var cursor: String?
    /// The reason for waiting, in words; contains nothing personal.
    package var rest: String?
    /// The places whose rows the database's cascade deletes with those of other tables: `effect` counts in that order.
    package var cascaded: [String]?
    /// How often a third-party system's part was restarted, each time under another idempotency key; `nil` if never.
    package var round: Int?
    /// The part of the second look; `nil` before a third-party system's step is done, and for names that also belonged
    /// to another subject at first.
    package var look: Look?
    /// The fingerprint of the place in a third-party system where data of the subject was found; `nil` if none was.
    package var place: String?
    /// The pages of the request to a third-party system that is under way; `nil` before the first.
    package var pages: Pages?
    /// How many read-backs of a third-party system have found data since an attempt last ended because of that; `nil`
    /// if none did. An attempt may end before its read-back, so no single attempt counts them.
    package var sweeps: Int?
    /// Whether the attempts ended because a third-party system that has accepted the request has not reported: its
    /// report still counts, and without one the next attempt makes another request. `nil` if they did not.
    package var isUnreported: Bool?
    /// Whether a third-party system that has accepted the request is to report, and had not when it was last asked;
    /// `nil` if not.
    package var awaitsReport: Bool?
    /// Until when a third-party system asked not to be called, in seconds since 1970; `nil` if it asked for no pause.
    package var pausedUntil: Double?
    /// Whether the system asked for that pause before its data was counted; `nil` if not.
    package var isUncounted: Bool?

    /// The pages that said that more is left, in all attempts at one request.
    package struct Pages: Sendable, Hashable, Codable {
        package var count = 0
        /// How many of them returned a cursor of an earlier one.
        package var repeats = 0
        /// How many small ones erased nothing or returned a cursor of an earlier one.
        package var idle = 0
    }

    package enum Look: String, Sendable, Codable {
        /// A request of the second look is under way.
        case asking
        /// Nothing is under way: only the round is kept, so that no later request has the key of an earlier one.
        case ended
    }

    package init(effect: Int = 0, counts: [String: Int] = [:], cursor: String? = nil) {
        self.effect = effect
        self.counts = counts
        self.cursor = cursor
    }
}
