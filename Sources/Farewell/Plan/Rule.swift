// SPDX-License-Identifier: Apache-2.0

/// What happens to the rows of one table that belong to the person.
public enum Rule: Sendable, Hashable {
    /// The rows are deleted.
    case erase
    /// The rows stay and stop being personal: every column has a `ColumnRule`.
    case anonymise
    /// The rows stay for a stated reason until a stated date; columns may still be anonymised at once.
    case retain(Retention)
    /// The table holds nothing that can lead to a person.
    case notPersonal

    /// The word used for this rule in the plan file, in pictures and in receipts.
    public var word: String {
        switch self {
        case .erase: "erase"
        case .anonymise: "anonymise"
        case .retain: "retain"
        case .notPersonal: "not personal"
        }
    }
}

/// Why rows are kept although the person leaves, and until when (GDPR Art. 17(3), Art. 5(1)(e)).
public struct Retention: Sendable, Hashable {
    /// The legal or contractual ground, in words for the person.
    public var reason: String
    /// How long after `start` the rows are kept.
    public var period: Period
    /// The date column the period starts from, the latest of the person's rows; `nil`: the day of erasure.
    public var start: String?
    /// What happens to the rows at the end.
    public var then: Ending

    /// What happens to retained rows when their time has come.
    public enum Ending: String, Sendable, Hashable, CaseIterable { case erase, anonymise }

    public init(reason: String, period: Period, start: String? = nil, then: Ending = .erase) {
        self.reason = reason
        self.period = period
        self.start = start
        self.then = then
    }
}

/// A calendar period such as `10 years` or `30 days`.
public struct Period: Sendable, Hashable, CustomStringConvertible {
    /// A unit of the calendar; months and years are of different lengths.
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

/// What happens to one column of a row that stays.
public enum ColumnRule: Sendable, Hashable {
    /// Set to null.
    case null
    /// Set to the same text for everybody; cast to the column's type by the database.
    case constant(String)
    /// Replaced by a keyed hash of its value under a key that is destroyed with the run.
    case keyedHash
    /// Replaced by what an expression makes of the row's own columns.
    case expression(ColumnExpression)
    /// Kept for the reason of the table's retention.
    case retain
    /// Holds nothing that can lead to a person.
    case notPersonal
}
