// SPDX-License-Identifier: Apache-2.0

/// The numbers of erased, anonymised and retained rows of a table, or files of a folder.
public struct PlaceCount: Sendable, Hashable, Codable {
    /// A table's or a folder's name; never a value.
    public var place: String
    public var erased: Int
    public var anonymised: Int
    public var retained: Int
    /// The total size of the erased files, in bytes; `nil` for a table, and where it is unknown.
    public var bytes: Int?

    private enum CodingKeys: String, CodingKey { case anonymised, bytes, erased, place, retained }

    public init(place: String, erased: Int = 0, anonymised: Int = 0, retained: Int = 0, bytes: Int? = nil) {
        self.place = place
        self.erased = erased
        self.anonymised = anonymised
        self.retained = retained
        self.bytes = bytes
    }

    /// Adds another place's counts. A sum that is too large for an `Int` becomes the largest one.
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
