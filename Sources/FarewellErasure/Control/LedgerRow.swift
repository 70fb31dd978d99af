// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// An entry of the ledger in the database.
struct LedgerRow: Sendable, Hashable {
    let receipt: UUID
    let subjectHash: String?
    private let text: String?

    /// No entry that Farewell writes is longer, in bytes.
    private static let longest = 1_024

    /// - Parameter result: `(receipt, subject_hash, entry)`.
    @Sendable static func all(_ result: SQLResult) -> [LedgerRow] {
        result.rows.compactMap { row in
            guard row.count == 3, let receipt = ControlStore.receipt(row[0]) else { return nil }
            return LedgerRow(receipt: receipt, subjectHash: row[1].text, text: row[2].text)
        }
    }

    /// The entry; `nil` if it cannot be read.
    var entry: LedgerEntry? {
        text.flatMap { try? CanonicalJSON.value(LedgerEntry.self, from: Data($0.utf8)) }
    }

    /// The entry as an erasure wrote it; `nil` for any other.
    var genuineEntry: LedgerEntry? {
        guard let text, text.utf8.count <= Self.longest, let entry, entry.receipt == receipt,
            entry.subject.rawValue == subjectHash, (try? CanonicalJSON.text(entry)) == text
        else { return nil }
        return entry
    }
}
