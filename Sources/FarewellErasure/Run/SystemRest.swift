// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A system is not called for a while, and the erasure rests meanwhile: no worker waits.
package struct SystemRest: Error, Sendable {
    /// When the next try is due.
    package enum Due: Sendable, Hashable {
        /// At a time in seconds since 1970: before it the system can do no more.
        case at(Double)
        /// Some seconds after the erasure was handed back.
        case after(Double)
    }

    package let due: Due
    package let error: FarewellError
    /// Whether the rest counts as a failed attempt, because the system did not do what was asked.
    package let isFailure: Bool

    package static let code: FarewellError.Code = "connector.resting"

    package init(_ system: String, until: Double, why: String) {
        due = .at(until)
        isFailure = false
        let day = CalendarDay(Date(timeIntervalSince1970: until))
        error = FarewellError(Self.code, .tryAgain, "The system \(system) is paused until \(day): \(why).")
    }

    /// After many small pages, so that the worker carries out other erasures meanwhile.
    package init(_ system: String, afterPages count: Int, seconds: Double) {
        due = .after(seconds)
        isFailure = false
        error = FarewellError(
            Self.code, .tryAgain,
            "The system \(system) has more to erase after \(count) pages: the erasure continues after a short pause.")
    }

    /// After a failure for which the system asks for a pause longer than a worker waits.
    package init(after failure: FarewellError, seconds: Double) {
        due = .after(seconds)
        error = failure
        isFailure = true
    }

    /// The seconds until the next try.
    ///
    /// - Parameter now: The time by this process's clock, in seconds since 1970.
    package func seconds(from now: Double) -> Double {
        switch due {
        case .at(let time): max(time - now, 0)
        case .after(let seconds): seconds
        }
    }
}
