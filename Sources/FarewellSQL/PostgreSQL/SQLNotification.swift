// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Another session's `NOTIFY`.
public struct SQLNotification: Sendable, Hashable {
    public let channel: String
    /// Up to 8,000 bytes; empty when none was given.
    public let payload: String

    public init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
