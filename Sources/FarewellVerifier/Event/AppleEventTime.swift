// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The time of an event at Apple: `event_time`, which Apple documents in seconds and sends in milliseconds. A
/// notification may come long after its event.
package enum AppleEventTime {
    /// From this number on it is in milliseconds: as seconds, it would be after the year 5000.
    private static let firstMilliseconds: Double = 100_000_000_000
    /// An event in a whole second may have happened at its end.
    private static let second: TimeInterval = 0.999

    /// The latest time at which an event can have happened.
    ///
    /// - Parameters:
    ///   - event: The JSON object with `type`, `sub` and `event_time`.
    ///   - issuedAt: The second in which the notification was issued. No event is later; if the event states no time
    ///     that can be read, this is its time.
    package static func latest(of event: JSONValue, issuedAt: Date) -> Date {
        let issued = issuedAt + second
        let number: Double? =
            switch event["event_time"] {
            case .integer(let value): Double(value)
            case .number(let value): value
            case .string(let text): Int64(text).map { Double($0) }
            default: nil
            }
        guard let number, number > 0 else { return issued }
        let isWhole = number < firstMilliseconds && number == number.rounded()
        let stated = number < firstMilliseconds ? number : number / 1_000
        return min(Date(timeIntervalSince1970: isWhole ? stated + second : stated), issued)
    }
}
