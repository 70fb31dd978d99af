// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The public facts about a stored signing key.
struct StoredKey: Sendable {
    let id: String
    let algorithm: String
    let madeAt: Date
    let activeFrom: Date

    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        (id, algorithm) = (try reader.requiredText(), try reader.requiredText())
        (madeAt, activeFrom) = (try reader.requiredDate(), try reader.requiredDate())
    }
}
