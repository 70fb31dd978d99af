// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// The stored data for checking a password.
struct StoredCredentials: Sendable {
    let id: UUID
    let passwordHash: String?
    let bannedUntil: Date?
    let isConfirmed: Bool
    /// Of a sign-up with this account's address, by a caller who did not know the account. Empty if there were several
    /// with different passwords.
    let declinedHash: String?

    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        id = try reader.requiredIdentifier()
        passwordHash = try reader.text()?.nonEmpty
        bannedUntil = try reader.date()
        isConfirmed = try reader.date() != nil
        declinedHash = try reader.text()?.nonEmpty
    }
}
