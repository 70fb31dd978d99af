// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// A ticket that was issued for an idempotency key.
struct IssuedTicket: Sendable, Hashable {
    let erasure: UUID
    let hash: String?
    let bodyHash: String?

    /// - Parameter result: `(hash, erasure, body_hash)`.
    static func first(_ result: SQLResult) -> IssuedTicket? {
        guard let row = result.rows.first, let erasure = row[1].identifier else { return nil }
        return IssuedTicket(erasure: erasure, hash: row[0].text, bodyHash: row[2].text)
    }
}
