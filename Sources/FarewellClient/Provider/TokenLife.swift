// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The lifetime of an access token, as providers report it.
enum TokenLife {
    private static let year: TimeInterval = 31_536_000

    /// Seconds: a number, or one in a text, as Firebase writes it. An hour by default; `nil` for text that is no
    /// number, negative numbers, or more than a year.
    static func seconds(_ value: JSONValue?) -> TimeInterval? {
        let seconds: TimeInterval?
        switch value {
        case nil, .null: seconds = 3_600
        case .integer(let number): seconds = TimeInterval(number)
        case .number(let number): seconds = number
        case .string(let text): seconds = TimeInterval(text)
        default: seconds = nil
        }
        // `nan` is in no range.
        guard let seconds, (0...year).contains(seconds) else { return nil }
        return seconds
    }
}
