// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Whether the clock of a process may decide what cannot be undone.
package enum ClockStanding: Sendable, Hashable {
    case trusted
    /// It was not compared with anything yet, because the database or the state directory did not allow it.
    case unexamined
    /// PostgreSQL: this process's clock differs from the database's by these seconds; positive if it is ahead.
    case apart(TimeInterval)
    /// The clock that decides (on SQLite this machine's, on PostgreSQL the database's, which agrees with this
    /// machine's) moved by these seconds more than time has passed; negative if it moved back.
    case jumped(TimeInterval)
    /// The high-water mark of the clock cannot be read.
    case unreadable
    /// PostgreSQL: the state directory takes no high-water mark of the clock.
    case unmarked

    /// The fault; nil if there is none.
    package var trouble: String? {
        switch self {
        case .trusted: nil
        case .unexamined: "This machine's clock has not been compared yet."
        case .apart(let seconds):
            "This machine's clock is \(Self.span(seconds)) \(seconds > 0 ? "ahead of" : "behind") the database's."
        case .jumped(let seconds):
            "This machine's clock has jumped \(Self.span(seconds)) \(seconds > 0 ? "ahead" : "back")."
        case .unreadable: "The mark of this machine's clock (\(ClockFile.name)) was changed."
        case .unmarked: "The mark of the clock (\(ClockFile.name)) cannot be written to the state directory."
        }
    }

    /// The operator's remedy.
    package var remedy: String? {
        switch self {
        case .trusted: nil
        case .unexamined: "Check that the database answers and that Farewell can write to its state directory."
        case .apart: "Set this machine's clock by NTP."
        case .jumped, .unreadable:
            "Set the clock by NTP. Once it is right, confirm it: farewell doctor --confirm-clock."
        case .unmarked: "Let Farewell write to its state directory."
        }
    }

    /// The acts that wait until then.
    package static let consequence =
        "Until then no retention and no grace period begins or ends, no expired data is deleted, and no second "
        + "look takes place."

    /// A length of time in words.
    private static func span(_ seconds: TimeInterval) -> String {
        let length = abs(seconds)
        let units = [(365.25 * 86_400, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (unit, name) = units.first { length >= $0.0 } ?? (1, "second")
        let count = Int(min((length / unit).rounded(), 1e6))
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
