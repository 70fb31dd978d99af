// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The server's clock as this device knows it: from the dates of its answers, carried on by a clock that never jumps.
struct ServerTime: Sendable {
    private var anchor: (date: Date, elapsed: Duration)?
    /// How far the server's clock was ahead of the device's, as an earlier process has learned it.
    private var recalled: TimeInterval = 0

    /// Takes over the time of an answer.
    mutating func learn(_ date: Date?, at elapsed: Duration) {
        if let date { anchor = (date, elapsed) }
    }

    /// Takes over what an earlier process has stored, for the time before the first answer.
    ///
    /// - Parameter lead: In seconds. A negative one is not used: if the device's clock has been set right since, a
    ///   token would be used after its end. A positive one then costs one renewal.
    mutating func recall(_ lead: TimeInterval?) { recalled = max(0, lead ?? 0) }

    /// The server's time now; until the server has said anything, by the device's own clock.
    func now(_ environment: ClientEnvironment) -> Date {
        guard let anchor else { return environment.now().addingTimeInterval(recalled) }
        return anchor.date.addingTimeInterval((environment.elapsed() - anchor.elapsed) / .seconds(1))
    }

    /// How far the server's clock is ahead of the device's, in seconds.
    func lead(_ environment: ClientEnvironment) -> TimeInterval {
        now(environment).timeIntervalSince(environment.now())
    }
}
