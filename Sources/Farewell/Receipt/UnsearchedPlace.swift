// SPDX-License-Identifier: Apache-2.0

/// A place that the search for a subject's identifiers could not read, or could not read in full.
public struct UnsearchedPlace: Sendable, Hashable, Codable {
    /// A table or a column; never a value.
    public var place: String
    /// Why it was not searched, in words for readers.
    public var reason: String

    private enum CodingKeys: String, CodingKey { case place, reason }

    public init(place: String, reason: String) {
        self.place = place
        self.reason = reason
    }
}
