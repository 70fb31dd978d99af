// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Keeps the high-water mark of the clock in the state directory: on SQLite of this machine's clock, on PostgreSQL of
/// the database's. All processes of one machine share it, and so do users' sessions and their erasures.
package struct ClockFile: Sendable {
    private let directory: StateDirectory

    static let name = "clock.json"
    /// A separate lock: a process that is stopped while it moves the mark delays nothing else.
    private static let lockName = "clock.lock"

    package init(_ directory: StateDirectory) { self.directory = directory }

    /// Compares a reading with the mark, and moves the mark forward if it agrees.
    ///
    /// - Parameters:
    ///   - since: When the keys of the installation were made: all that is known before there is a mark.
    ///   - isConfirmed: Whether another clock says the same. If there is no mark yet, or the machine has restarted,
    ///     the reading then only has to be later than the known times.
    /// - Throws: errors of the state directory.
    func check(_ reading: ClockReading, since: Date, isConfirmed: Bool = false) throws -> ClockStanding {
        func advance() throws -> ClockStanding {
            let found = try marked()
            guard found != .unreadable else { return .unreadable }
            let first = isConfirmed && reading.wall >= since ? reading.wall : since
            let mark = found.mark ?? ClockMark(since: first)
            let standing = mark.standing(of: reading, isConfirmed: isConfirmed)
            if standing == .trusted {
                let next = mark.advanced(to: reading)
                if next != found.mark { try write(next) }
            }
            return standing
        }
        if let standing = try directory.lockedIfFree(Self.lockName, advance) { return standing }
        // Another process moves the mark on at this moment, or was stopped while it did.
        switch try marked() {
        case .none: return try directory.locked(Self.lockName, advance)
        case .unreadable: return .unreadable
        case .mark(let mark): return mark.standing(of: reading, isConfirmed: isConfirmed)
        }
    }

    /// The relation of a reading to the mark; nil if none is stored yet. Changes nothing.
    ///
    /// - Throws: errors of the state directory.
    package func standing(of reading: ClockReading) throws -> ClockStanding? {
        switch try marked() {
        case .none: nil
        case .unreadable: .unreadable
        case .mark(let mark): mark.standing(of: reading)
        }
    }

    /// Accepts a reading as right, because an operator confirmed it.
    ///
    /// - Throws: errors of the state directory.
    package func confirm(_ reading: ClockReading) throws {
        try directory.locked(Self.lockName) { try write(ClockMark(trusting: reading)) }
    }

    private enum Found: Hashable {
        case none, unreadable
        case mark(ClockMark)

        var mark: ClockMark? {
            if case .mark(let mark) = self { return mark }
            return nil
        }
    }

    private func marked() throws -> Found {
        guard let data = try directory.read(Self.name, limit: 1 << 12) else { return .none }
        return (try? CanonicalJSON.value(ClockMark.self, from: data)).map(Found.mark) ?? .unreadable
    }

    private func write(_ mark: ClockMark) throws {
        try directory.replace(Self.name, with: try CanonicalJSON.data(mark) + Data("\n".utf8))
    }
}
