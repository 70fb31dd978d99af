// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A system can do no more before a day, and the erasure rests until then: this is no failure, and no worker waits.
package struct SystemRest: Error, Sendable {
    /// The time of the next try, in seconds since 1970.
    package let until: Double
    package let error: FarewellError

    package static let code: FarewellError.Code = "connector.resting"

    package init(_ system: String, until: Double, why: String) {
        self.until = until
        let day = CalendarDay(Date(timeIntervalSince1970: until))
        error = FarewellError(Self.code, .tryAgain, "The system \(system) is paused until \(day): \(why).")
    }
}
