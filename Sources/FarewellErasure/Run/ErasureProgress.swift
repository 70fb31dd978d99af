// SPDX-License-Identifier: Apache-2.0

import Farewell
public import Foundation

/// The progress of a running erasure. Holds nothing personal.
public struct ErasureProgress: Sendable, Hashable {
    /// The recorded event.
    public enum Event: Sendable, Hashable {
        /// The erasure is recorded and will be completed, whatever happens to this process.
        case accepted
        /// A step is recorded as begun.
        case began(step: String)
        /// Part of a long step is committed: `done` of all rows, files or columns.
        case advanced(step: String, done: Int, of: Int)
        /// A step's effect and its record are committed.
        case finished(step: String)
        /// Every planned place was read back, and nothing is left.
        case verified
        /// The ledger's journal has the entry.
        case entered
        /// The receipt is issued; the erasure is done.
        case done
        /// Parked with a cause in words, until an operator releases it.
        case parked(cause: String)
    }

    public var erasure: UUID
    public var event: Event

    public init(erasure: UUID, event: Event) {
        self.erasure = erasure
        self.event = event
    }
}

/// Receives every recorded transition directly after its commit.
public typealias ErasureObserver = @Sendable (ErasureProgress) async -> Void
