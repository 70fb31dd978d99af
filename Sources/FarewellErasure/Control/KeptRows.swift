// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// What was retained when somebody left: some rows of one place, until a day. Which rows is sealed.
struct KeptRows: Sendable, Hashable {
    var erasure: UUID
    var piece: Int
    var place: String
    var count: Int
    /// The last day on which they are kept.
    var until: CalendarDay
    var wrappedKey: [UInt8]
    var sealed: [UInt8]
}
