// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// A stored signing key whose private half is sealed.
struct SealedKey: Sendable {
    let id: String
    let algorithm: String
    let sealed: [UInt8]
    let activeFrom: Date

    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        (id, algorithm) = (try reader.requiredText(), try reader.requiredText())
        (sealed, activeFrom) = (try reader.requiredBytes(), try reader.requiredDate())
    }
}
