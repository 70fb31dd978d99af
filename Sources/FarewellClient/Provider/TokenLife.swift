// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// For how long an access token is good, as providers say it.
enum TokenLife {
    private static let year: TimeInterval = 31_536_000

    /// Seconds: a number, or one in a text, as Firebase writes it. An hour where nothing is said; `nil` for what is no
    /// number, negative, or more than a year.
    static func seconds(_ value: JSONValue?) -> TimeInterval? {
        let seconds: TimeInterval?
        switch value {
        case nil, .null: seconds = 3_600
        case .integer(let number): seconds = TimeInterval(number)
        case .number(let number): seconds = number
        case .string(let text): seconds = TimeInterval(text)
        default: seconds = nil
        }
        // What is no number (`nan`) is in no range.
        guard let seconds, (0...year).contains(seconds) else { return nil }
        return seconds
    }
}
