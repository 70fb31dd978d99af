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

    func announce(on channel: String) -> SQLStatement? {
        dialect.hasNotifications ? SQLStatement("SELECT pg_notify($1, '')", [.text(channel)]) : nil
    }
}
