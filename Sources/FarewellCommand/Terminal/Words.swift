// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Numbers, durations and times in words.
enum Words {
    /// `1234567` as `1,234,567`.
    static func grouped(_ number: Int) -> String {
        var text = ""
        let digits = String(number.magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + text
    }

    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.001: "less than 1 ms"
        case ..<1: "\(Int((seconds * 1000).rounded())) ms"
        case ..<60: "\(Double(Int(seconds * 10)) / 10) s"
        default: "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
        }
    }

    /// `2025-11-21 11:08:00 UTC`.
    static func time(_ date: Date) -> String {
        let text = UTCTime.text(date)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
}
