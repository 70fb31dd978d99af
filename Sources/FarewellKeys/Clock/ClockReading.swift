// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The readings of this machine's clocks at one moment.
package struct ClockReading: Sendable, Hashable {
    /// The wall clock.
    package var wall: Date
    /// The monotonic clock, in seconds since the start that `boot` names.
    package var uptime: TimeInterval
    /// Names the start of the machine that the monotonic clock counts from.
    package var boot: String

    package init(wall: Date, uptime: TimeInterval, boot: String) {
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
    }
}
