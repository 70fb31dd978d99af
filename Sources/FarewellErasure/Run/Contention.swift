// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Remembers that transactions of this process have stood in each other's way.
///
/// PostgreSQL takes a second to detect a deadlock, and ends one of the transactions. With subjects that share rows that
/// would happen again and again; so for a while they are erased one after the other.
final class Contention: Sendable {
    private let last = Guarded<Duration?>(nil)
    private static let memory = Duration.seconds(60)

    /// Whether an error means that transactions were in each other's way.
    static func isMeant(by error: any Error) -> Bool {
        (error as? FarewellError).map { ["sql.40001", "sql.40P01"].contains($0.code) } ?? false
    }

    /// Whether an error means that another transaction holds a lock.
    static func isHeld(by error: any Error) -> Bool { (error as? FarewellError)?.code == "sql.55P03" }

    /// - Parameter uptime: The environment's.
    func met(at uptime: Duration) { last.withLock { $0 = uptime } }

    func isRecent(at uptime: Duration) -> Bool {
        last.withLock { $0.map { uptime - $0 < Self.memory } ?? false }
    }
}

extension ErasureContext {
    /// PostgreSQL: whether a transaction that deletes the rows of this many subjects should be Farewell's only one
    /// that does so at the time.
    func isAlone(of people: Int) -> Bool {
        // One of several subjects in the request may have to be alone.
        CountedDeletes.mustBeAlone(of: people, in: prepared) || CountedDeletes.mustBeAlone(of: 1, in: prepared)
            || isContended
    }

    /// Whether transactions of subjects who share rows have just blocked each other.
    var isContended: Bool { prepared.hasSharedRows && contention.isRecent(at: environment.uptime()) }

    func note(_ error: any Error) {
        if Contention.isMeant(by: error) { contention.met(at: environment.uptime()) }
    }
}
