// SPDX-License-Identifier: Apache-2.0

/// A calendar period such as `10 years` or `30 days`.
public struct Period: Sendable, Hashable, CustomStringConvertible {
    /// A unit of the calendar. Months and years vary in length.
    public enum Unit: String, Sendable, Hashable, CaseIterable { case day, month, year }
    public var count: Int
    public var unit: Unit

    public init(_ count: Int, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    public var description: String { "\(count) \(unit.rawValue)\(count == 1 ? "" : "s")" }

    /// Reads `1 year`, `30 days`, `18 months`; `nil` when malformed, negative or above 1,000 years.
    public init?(parsing text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, let count = Int(words[0]), count >= 0, count <= 365_000 else { return nil }
        let singular = words[1].hasSuffix("s") ? String(words[1].dropLast()) : String(words[1])
        guard let unit = Unit(rawValue: singular) else { return nil }
        self.init(count, unit)
    }
}
