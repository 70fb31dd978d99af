// SPDX-License-Identifier: Apache-2.0

/// Data that stays after the erasure.
public struct RetainedPlace: Sendable, Hashable, Codable {
    public var place: String
    /// How many rows or files.
    public var rows: Int
    /// The reason, in words for the user.
    public var reason: String
    /// The last day it is kept; `nil` if no end is set.
    public var until: CalendarDay?

    private enum CodingKeys: String, CodingKey { case place, reason, rows, until }

    public init(place: String, rows: Int, reason: String, until: CalendarDay?) {
        self.place = place
        self.rows = rows
        self.reason = reason
        self.until = until
    }
}
