// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The sessions that an act ends.
enum SessionSelection: Sendable, Hashable {
    case one(UUID)
    /// One session, if it belongs to this user.
    case own(UUID, of: UUID)
    case all(of: UUID)
    case others(than: UUID, of: UUID)
    /// The user's sessions that began at this time or earlier.
    case begun(until: Date, of: UUID)
}
