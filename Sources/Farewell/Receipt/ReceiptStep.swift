// SPDX-License-Identifier: Apache-2.0

/// One step of an erasure as its receipt tells it.
public struct ReceiptStep: Sendable, Hashable, Codable {
    /// The step's name in the plan, e.g. `rows`.
    public var name: String
    /// The system it acted on, e.g. `postgresql` or `photos`.
    public var store: String
    public var outcome: Outcome
    /// What happened in each table or folder.
    public var places: [PlaceCount]

    private enum CodingKeys: String, CodingKey { case name, outcome, places, store }

    public init(name: String, store: String, outcome: Outcome, places: [PlaceCount] = []) {
        self.name = name
        self.store = store
        self.outcome = outcome
        self.places = places
    }

    /// How a step ended.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case erased, anonymised, retained
        /// There was nothing of the person: asked and answered, not assumed.
        case nothingThere = "nothing-there"
        /// The other system said that it will; nobody has looked.
        case acknowledged
        /// Done, but there is no way to look.
        case notVerifiable = "not-verifiable"
        case failed
    }
}

/// How many rows (of a table) or files (of a folder) met which fate.
public struct PlaceCount: Sendable, Hashable, Codable {
    /// A table's or a folder's name; never a value.
    public var place: String
    public var erased: Int
    public var anonymised: Int
    public var retained: Int
    /// The size of what was erased, where it is known; files only.
    public var bytes: Int?

    private enum CodingKeys: String, CodingKey { case anonymised, bytes, erased, place, retained }

    public init(place: String, erased: Int = 0, anonymised: Int = 0, retained: Int = 0, bytes: Int? = nil) {
        self.place = place
        self.erased = erased
        self.anonymised = anonymised
        self.retained = retained
        self.bytes = bytes
    }

    /// Adds another place's counts to these; a total that does not fit stays at the largest number.
    mutating func add(_ other: PlaceCount) {
        erased = Self.sum(erased, other.erased)
        anonymised = Self.sum(anonymised, other.anonymised)
        retained = Self.sum(retained, other.retained)
        if let more = other.bytes { bytes = Self.sum(bytes ?? 0, more) }
    }

    // A receipt may come from outside: a hostile count must not trap.
    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}

/// What stays although the person left.
public struct RetainedPlace: Sendable, Hashable, Codable {
    public var place: String
    /// How many rows or files.
    public var rows: Int
    /// Why, in words for the person.
    public var reason: String
    /// The last day it is kept; `nil` where no end is set.
    public var until: CalendarDay?

    private enum CodingKeys: String, CodingKey { case place, reason, rows, until }

    public init(place: String, rows: Int, reason: String, until: CalendarDay?) {
        self.place = place
        self.rows = rows
        self.reason = reason
        self.until = until
    }
}
