// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// A ticket that was issued for an idempotency key.
struct IssuedTicket: Sendable, Hashable {
    let erasure: UUID
    let hash: String?
    let bodyHash: String?

    /// - Parameter result: `(hash, erasure, body_hash)`.
    static func first(_ result: SQLResult) -> IssuedTicket? { result.rows.first.flatMap(IssuedTicket.init(row:)) }

    /// - Parameter result: `(hash, erasure, body_hash, key_hash)`.
    static func byKey(_ result: SQLResult) -> [String: IssuedTicket] {
        var tickets: [String: IssuedTicket] = [:]
        for row in result.rows {
            if let key = row[3].text, let ticket = IssuedTicket(row: row) { tickets[key] = ticket }
        }
        return tickets
    }

    private init?(row: [SQLValue]) {
        guard let erasure = row[1].identifier else { return nil }
        (self.erasure, hash, bodyHash) = (erasure, row[0].text, row[2].text)
    }
}
