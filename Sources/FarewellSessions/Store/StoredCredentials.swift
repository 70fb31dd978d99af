// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The stored data for checking a password.
struct StoredCredentials: Sendable {
    let id: UUID
    let passwordHash: String?
    let bannedUntil: Date?
    let isConfirmed: Bool

    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        id = try reader.requiredIdentifier()
        passwordHash = try reader.text()?.nonEmpty
        bannedUntil = try reader.date()
        isConfirmed = try reader.date() != nil
    }
}
