// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Logging

/// The clock that a store's times come from, and whether it may decide what cannot be undone.
///
/// PostgreSQL: the database's clock, read now and then and carried forward by the monotonic clock of this process, so
/// that all processes write times of one clock and no statement asks for it. SQLite: the wall clock of this machine.
/// Either is compared with the high-water mark in the state directory (`ClockMark`): if PostgreSQL runs on the same
/// machine, its clock and ours are one, and they jump together.
package final class StoreClock: Sendable {
    private let database: any SQLDatabase
    private let keys: KeyStore
    private let process: EngineEnvironment
    private let state = Guarded(State())

    private struct State: Sendable {
        /// The time of PostgreSQL's clock, and the uptime at which it was read.
        var anchor: Anchor?
        var look: Look?
        /// The uptime at which trouble was last logged.
        var loggedAt: Duration?
    }

    private struct Anchor: Sendable {
        let time: Date
        let uptime: Duration
    }

    private struct Look: Sendable {
        let standing: ClockStanding
        let wall: Date
        let uptime: Duration
    }

    /// How many seconds the clocks of a process and of PostgreSQL may differ.
    package static let tolerance: TimeInterval = 60
    /// How long a check is valid for an act that makes none itself.
    private static let lasting = Duration.seconds(60)
    private static let betweenLines = Duration.seconds(3_600)

    /// - Parameter process: The clocks of this process; its `wall` is compared, and not its `now`.
    package init(_ database: any SQLDatabase, keys: KeyStore, _ process: EngineEnvironment) {
        self.database = database
        self.keys = keys
        self.process = process
    }

    /// The store's time, for stored values. Makes no query.
    var now: Date {
        guard database.dialect.hasClock else { return process.wall() }
        if let databaseNow = process.databaseNow { return databaseNow() }
        guard let anchor = state.withLock({ $0.anchor }) else { return process.wall() }
        return anchor.time.addingTimeInterval((process.uptime() - anchor.uptime) / .seconds(1))
    }

    /// Whether the clock was trusted when last looked at, and has not jumped since.
    package var isTrusted: Bool { fault == nil }

    /// Why the clock is not trusted; nil while it is. Makes no query.
    package var fault: ClockStanding? {
        guard let look = state.withLock({ $0.look }) else { return .unexamined }
        return fault(since: look)
    }

    private func fault(since look: Look) -> ClockStanding? {
        guard look.standing == .trusted else { return look.standing }
        let jump = jump(since: look)
        return abs(jump) > (database.dialect.hasClock ? Self.tolerance : ClockMark.tolerance) ? .jumped(jump) : nil
    }

    /// The store's time for acts that cannot be undone; nil, and a line in the log at first and every hour, while the
    /// clock cannot be trusted.
    ///
    /// - Throws: errors of the database or the state directory.
    package func decisive() async throws -> Date? {
        let standing = try await look()
        log(standing)
        return standing == .trusted ? now : nil
    }

    /// The same for acts that are too frequent for a check each time: checks again after a minute, or when the clock of
    /// this process has jumped.
    package func mayDecide() async throws -> Bool {
        if let look = state.withLock({ $0.look }), process.uptime() - look.uptime < Self.lasting,
            abs(jump(since: look)) <= Self.tolerance
        {
            return look.standing == .trusted
        }
        return try await decisive() != nil
    }

    /// Refuses to store a day that is counted from today and decides later, while the clock cannot be trusted.
    ///
    /// - Throws: `erasure.clock`; errors of the database or the state directory.
    package func requireTrusted() async throws {
        if try await mayDecide() { return }
        // It may have been confirmed a moment ago.
        let standing = try await look()
        if standing != .trusted { throw Self.refusal(standing) }
    }

    /// The same by the last check, for use without a connection.
    ///
    /// - Throws: `erasure.clock`.
    package func requireTrustedBefore() throws {
        let standing: ClockStanding? = fault
        if let standing { throw Self.refusal(standing) }
    }

    private static func refusal(_ standing: ClockStanding) -> FarewellError {
        let trouble = standing.trouble ?? "The clock was not trusted a moment ago."
        return FarewellError(
            "erasure.clock", .tryAgain,
            "\(trouble) No retention or grace period is counted from today until the clock is trusted again.",
            remedy: standing.remedy ?? "Try again.")
    }

    /// The check at the start of a process: reads PostgreSQL's clock and moves the mark forward. If SQLite's mark
    /// cannot be written, only the acts that need it fail.
    ///
    /// - Throws: PostgreSQL's errors.
    package func begin() async throws {
        guard database.dialect.hasClock else {
            if let standing = try? await look() { log(standing) }
            return
        }
        log(try await look())
    }

    /// Keeps the store's time right in a long-running process: reads PostgreSQL's clock if the last reading is a minute
    /// old. Other users of the database notice if it does not answer.
    package func refresh() async {
        if database.dialect.hasClock { _ = try? await mayDecide() }
    }

    /// Looks again while the clock is not trusted, once a minute at most: it may have been set right, or confirmed.
    package func recheck() async { if fault != nil { _ = try? await mayDecide() } }

    /// By how many seconds this process's clock has moved more than time has passed since.
    private func jump(since look: Look) -> TimeInterval {
        process.wall().timeIntervalSince(look.wall) - (process.uptime() - look.uptime) / .seconds(1)
    }

    private func look() async throws -> ClockStanding {
        let reading = process.reading
        let uptime = process.uptime()
        let standing =
            database.dialect.hasClock
            ? try await compared() : try ClockFile(keys.directory).check(reading, since: keys.signingSince)
        state.withLock { $0.look = Look(standing: standing, wall: reading.wall, uptime: uptime) }
        return standing
    }

    /// Compares PostgreSQL's clock with this machine's, and, if they agree, with the high-water mark.
    private func compared() async throws -> ClockStanding {
        let standing = try await apart()
        guard standing == .trusted else { return standing }
        var reading = process.reading
        reading.wall = now
        do {
            return try ClockFile(keys.directory).check(reading, since: keys.signingSince, isConfirmed: true)
        } catch {
            return .unmarked
        }
    }

    /// Reads PostgreSQL's clock; it is taken to have been read in the middle of the round trip.
    private func apart() async throws -> ClockStanding {
        if let databaseNow = process.databaseNow {
            let apart = process.wall().timeIntervalSince(databaseNow())
            return abs(apart) > Self.tolerance ? .apart(apart) : .trusted
        }
        let clocks = process
        let (before, theirs, ours, after) = try await database.withConnection { connection in
            let before = clocks.uptime()
            let answer = try await connection.run(.clock).scalar?.date
            return (before, answer, clocks.wall(), clocks.uptime())
        }
        guard let theirs else {
            throw FarewellError("clock.unreadable", .tryAgain, "The database's clock could not be read.")
        }
        let half = (after - before) / 2
        state.withLock { $0.anchor = Anchor(time: theirs, uptime: before + half) }
        let apart = ours.timeIntervalSince(theirs) - half / .seconds(1)
        return abs(apart) > Self.tolerance + half / .seconds(1) ? .apart(apart) : .trusted
    }

    private func log(_ standing: ClockStanding) {
        let uptime = process.uptime()
        let isDue = state.withLock { state -> Bool in
            guard standing != .trusted else {
                state.loggedAt = nil
                return false
            }
            if let last = state.loggedAt, uptime - last < Self.betweenLines { return false }
            state.loggedAt = uptime
            return true
        }
        guard isDue, let trouble = standing.trouble else { return }
        process.log.error("\(trouble) \(standing.remedy ?? "") \(ClockStanding.consequence)")
    }
}
