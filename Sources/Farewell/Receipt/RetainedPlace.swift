// SPDX-License-Identifier: Apache-2.0

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
