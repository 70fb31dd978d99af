// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The high-water mark of a machine's wall clock: the clock must agree with it to be trusted.
///
/// Within one start of the machine the wall clock is compared with the monotonic clock, so it makes no difference which
/// process reads it and how long none ran. After a restart the time that the machine was off is unknown; the wall clock
/// must then be within a day of the last trusted reading.
struct ClockMark: Sendable, Hashable, Codable {
    /// The first trusted reading since the machine started, or the one that an operator confirmed: milliseconds since
    /// 1970, milliseconds since the start, and the start's name.
    private var wall: Int64
    private var uptime: Int64
    private var boot: String
    /// The latest trusted reading of the wall clock, in milliseconds since 1970.
    private var seen: Int64

    /// How far the wall clock may move more than time has passed, in seconds.
    static let tolerance: TimeInterval = 86_400

    /// Trusts a reading.
    init(trusting reading: ClockReading) {
        wall = Self.milliseconds(reading.wall.timeIntervalSince1970)
        uptime = Self.milliseconds(reading.uptime)
        boot = reading.boot
        seen = wall
    }

    /// The mark of an installation without a reading yet: the time at which its keys were made.
    init(since: Date) { self.init(trusting: ClockReading(wall: since, uptime: 0, boot: "")) }

    /// By how many seconds the wall clock has moved more than time has passed; negative if it moved back.
    func jump(to reading: ClockReading) -> TimeInterval {
        let now = reading.wall.timeIntervalSince1970
        guard reading.boot == boot else { return now - Double(seen) / 1_000 }
        return (now - Double(wall) / 1_000) - (reading.uptime - Double(uptime) / 1_000)
    }

    /// - Parameter isConfirmed: Whether another clock says the same. Across a restart of the machine, whose length
    ///   nothing measures, such a reading may be later by any time.
    func standing(of reading: ClockReading, isConfirmed: Bool = false) -> ClockStanding {
        let jump = jump(to: reading)
        if isConfirmed, reading.boot != boot, jump > 0 { return .trusted }
        return abs(jump) > Self.tolerance ? .jumped(jump) : .trusted
    }

    /// The mark after a trusted reading. Within one start the first reading stays, so that many small jumps add up.
    func advanced(to reading: ClockReading) -> ClockMark {
        var next = ClockMark(trusting: reading)
        next.seen = max(seen, next.seen)
        if reading.boot == boot { (next.wall, next.uptime) = (wall, uptime) }
        return next
    }

    /// Any time that a clock can show; others are as far off as that.
    private static func milliseconds(_ seconds: TimeInterval) -> Int64 {
        Int64(min(max(seconds, -1e12), 1e12) * 1_000)
    }
}
