// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// How processes on one PostgreSQL wake each other.
extension ControlStore {
    /// The channel on which PostgreSQL tells workers that there is something to do.
    package static let workChannel = "farewell_work"
    /// The channel on which PostgreSQL tells those who wait that something has ended.
    package static let endChannel = "farewell_ends"

    func announce(on channel: String) -> SQLStatement? {
        dialect.hasNotifications ? SQLStatement("SELECT pg_notify($1, '')", [.text(channel)]) : nil
    }
}
