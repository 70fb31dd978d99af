// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Some rows of one place that an erasure retains until a day. The keys that identify them are sealed.
struct SealedRetention: Sendable, Hashable {
    var erasure: UUID
    var piece: Int
    var place: String
    var count: Int
    /// The last day on which they are kept.
    var until: CalendarDay
    var wrappedKey: [UInt8]
    var sealed: [UInt8]
}
