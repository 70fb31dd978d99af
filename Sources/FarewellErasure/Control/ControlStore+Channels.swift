// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// How processes on one PostgreSQL wake each other.
extension ControlStore {
    /// The channel on which PostgreSQL notifies workers of new work.
    package static let workChannel = "farewell_work"
    /// The channel on which PostgreSQL notifies waiting calls of finished erasures.
    package static let endChannel = "farewell_ends"

    /// - Parameter erasures: The erasures that the message names. Without names, or with more than a message can hold,
    ///   the message is about all.
    func announce(on channel: String, about erasures: [UUID] = []) -> SQLStatement? {
        guard dialect.hasNotifications else { return nil }
        let named = erasures.count > Self.mostAnnounced ? [] : erasures
        let payload = named.map(\.text).joined(separator: " ")
        return SQLStatement("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
    }

    /// PostgreSQL's messages have less than 8,000 bytes.
    private static let mostAnnounced = 200

    /// The erasures that a message is about; `nil` if it is about all.
    static func announced(in payload: String) -> [UUID]? {
        let words = payload.split(separator: " ")
        let erasures = words.compactMap { UUID(uuidString: String($0)) }
        return erasures.isEmpty || erasures.count < words.count ? nil : erasures
    }
}
