// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// The sealed subject of an erasure, while it is kept beyond the run.
struct RetainedIdentity: Sendable, Hashable {
    let erasure: UUID
    let wrappedKey: [UInt8]?
    let sealed: [UInt8]?

    /// - Parameter result: `(erasure, wrapped_key, sealed)`.
    @Sendable static func all(_ result: SQLResult) -> [RetainedIdentity] {
        result.rows.compactMap { row in
            row[0].identifier.map { RetainedIdentity(erasure: $0, wrappedKey: row[1].bytes, sealed: row[2].bytes) }
        }
    }

    /// An erasure's record with this in place of what was sealed with the run.
    func restored(in record: ErasureRecord) -> ErasureRecord {
        var record = record
        record.wrappedKey = wrappedKey
        record.sealed = sealed
        return record
    }
}
