// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// A stored session of the console, with what decides whether it still counts.
struct FoundConsoleSession: Sendable {
    let session: ConsoleSession
    /// A keyed hash of the key or provider that opened it.
    let origin: [UInt8]
    /// The present role of the user whose token opened it; `nil` if the token belongs to no user's session.
    let personRole: String?

    init(_ row: [SQLValue]) throws {
        var reader = RowReader(row)
        let id = try reader.requiredIdentifier()
        let (name, role) = (try reader.requiredText(), try reader.requiredText())
        origin = try reader.requiredBytes()
        session = ConsoleSession(
            id: id, name: name, role: role, beganAt: try reader.requiredDate(), endsAt: try reader.requiredDate())
        personRole = try reader.text()
    }
}
