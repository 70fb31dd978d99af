// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// The sealed data of a piece of retained rows, claimed until the transaction ends.
struct ClaimedRetention: Sendable, Hashable {
    let wrappedKey: [UInt8]?
    let sealed: [UInt8]?
    let subjectHash: String?

    /// - Parameter result: `(erasure, wrapped_key, sealed, subject_hash)`.
    @Sendable static func first(_ result: SQLResult) -> ClaimedRetention? {
        result.rows.first.map {
            ClaimedRetention(wrappedKey: $0[1].bytes, sealed: $0[2].bytes, subjectHash: $0[3].text)
        }
    }
}
