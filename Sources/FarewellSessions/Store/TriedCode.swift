// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// A stored code with digits that an attempt may have meant.
struct TriedCode: Sendable {
    let user: UUID
    let code: [UInt8]
    let token: [UInt8]

    /// - Parameter row: `(user_id, code_hash, token_hash)`; `nil` for a code without digits.
    init?(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        user = try reader.requiredIdentifier()
        guard let code = try reader.bytes() else { return nil }
        (self.code, token) = (code, try reader.requiredBytes())
    }
}
