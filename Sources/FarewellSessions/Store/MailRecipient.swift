// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

/// A user whom a requested mail may be for.
struct MailRecipient: Sendable {
    let user: UUID
    /// Whether the user has signed in from the requesting source; false where the query does not ask.
    let knowsSource: Bool

    /// - Parameter row: The user, and perhaps the number of known sources among the requesting ones.
    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        user = try reader.requiredIdentifier()
        knowsSource = row.count > 1 ? try reader.requiredInteger() > 0 : false
    }
}
