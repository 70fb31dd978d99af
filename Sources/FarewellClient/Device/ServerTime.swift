// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The server's clock as this device knows it: from the dates of its answers, carried on by a clock that never jumps.
struct ServerTime: Sendable {
    private var anchor: (date: Date, elapsed: Duration)?

    /// Takes over the time of an answer.
    mutating func learn(_ date: Date?, at elapsed: Duration) {
        if let date { anchor = (date, elapsed) }
    }

    /// The server's time now; the device's own clock until the server has said anything.
    func now(_ environment: ClientEnvironment) -> Date {
        guard let anchor else { return environment.now() }
        return anchor.date.addingTimeInterval((environment.elapsed() - anchor.elapsed) / .seconds(1))
    }
}
