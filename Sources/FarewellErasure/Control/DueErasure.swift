// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// An erasure that must be over soon.
struct DueErasure: Sendable, Hashable {
    let id: UUID
    let dueAt: Date?

    /// - Parameter result: `(erasure, due_at)`.
    static func all(_ result: SQLResult) -> [DueErasure] {
        result.rows.compactMap { row in row[0].identifier.map { DueErasure(id: $0, dueAt: row[1].date) } }
    }
}
