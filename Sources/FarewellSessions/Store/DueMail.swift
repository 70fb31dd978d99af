// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// A mail that a server has claimed, to send it.
struct DueMail: Sendable {
    let id: UUID
    let sealed: [UInt8]
    let requestedAt: Date
    let attempts: Int64
    let isPrepared: Bool
    let domain: [UInt8]?

    /// - Parameter row: `(id, sealed, wanted_at, attempts, user_id, domain_hash)`.
    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        (id, sealed) = (try reader.requiredIdentifier(), try reader.requiredBytes())
        (requestedAt, attempts) = (try reader.requiredDate(), try reader.requiredInteger())
        isPrepared = try reader.identifier() != nil
        domain = try reader.bytes()
    }
}
