// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The findings of a search about one subject.
package struct SearchOutcome: Sendable, Hashable {
    package var columns = 0
    package var rows = 0
    /// Values by column.
    package var left: [String: Int] = [:]
    package var similar: [String: Int] = [:]
    /// Why, by table or column.
    package var notSearched: [String: String] = [:]
    /// Whether every row of every table was read.
    package var isComplete = true

    /// The most unsearched places that a receipt names.
    private static let mostPlaces = 200

    mutating func add(_ verdict: NameMatch.Verdict, _ values: Int, in place: String) {
        switch verdict {
        case .left: left[place, default: 0] += values
        case .similar: similar[place, default: 0] += values
        }
    }

    /// The same in the form of receipts.
    package var inReceipt: ReceiptVerification.DeepScan {
        let places = notSearched.sorted { ExactText($0.key) < ExactText($1.key) }
        var named = places.prefix(Self.mostPlaces).map { UnsearchedPlace(place: $0.key, reason: $0.value) }
        if places.count > Self.mostPlaces {
            named.append(
                UnsearchedPlace(place: "others", reason: "\(places.count - Self.mostPlaces) more tables and columns"))
        }
        return ReceiptVerification.DeepScan(
            extent: isComplete ? .complete : .bounded, columns: columns, rows: rows,
            left: left.values.reduce(0, +), leftIn: left.keys.exactlyDistinct,
            similar: similar.values.reduce(0, +), similarIn: similar.keys.exactlyDistinct, notSearched: named)
    }
}
