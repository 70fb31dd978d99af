// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan

/// A preview as its asker sees it.
struct PreviewView: Encodable {
    let places: [Place]
    let erased: Int
    let kept: Int
    /// Keys of the database that would stop the erasure today: an operator must look at them.
    let blockers: Int

    struct Place: Encodable {
        let place: String
        let rule: String
        let count: Int
        let reason: String?
        let until: String?
        /// Whether that day is past: the rows still stay during the erasure, and the retention ends next.
        let is_over: Bool
        let is_others: Bool
    }

    init(_ preview: Preview) {
        places = preview.places.map { place in
            Place(
                place: place.place, rule: place.rule.word, count: place.count, reason: place.rule.retention?.reason,
                until: place.until.map { "\($0)" }, is_over: place.isOver, is_others: place.isOthers)
        }
        erased = preview.erased
        kept = preview.kept
        blockers = preview.blockers.count
    }
}
