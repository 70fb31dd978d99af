// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The first place where the audit log is not as it was written.
package struct AuditDamage: Sendable, Hashable, CustomStringConvertible {
    /// The sequence number at which it shows.
    package let sequence: Int
    package let kind: Kind

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A field of the entry was changed.
        case edited
        /// Entries before this one are missing.
        case dropped
        /// The entry is in another place than it was written, or twice.
        case reordered
        /// The entry is whole but does not follow the one before: history was rewritten.
        case replaced
        /// Entries from here on are missing, although the signed head names them.
        case truncated
    }

    package init(sequence: Int, kind: Kind) {
        self.sequence = sequence
        self.kind = kind
    }

    package var description: String {
        switch kind {
        case .edited: "Entry \(sequence) was changed after it was written."
        case .dropped: "Entries are missing before entry \(sequence)."
        case .reordered: "Entry \(sequence) is not in its place."
        case .replaced: "Entry \(sequence) does not follow the entry before it: the log was rewritten."
        case .truncated: "Entries from \(sequence) on are missing, although the signed head contains them."
        }
    }
}
