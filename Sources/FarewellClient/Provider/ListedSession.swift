// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// One signed-in device of the user in their list.
public struct ListedSession: Sendable, Hashable, Identifiable {
    public let id: String
    public let device: String?
    public let platform: String?
    public let appVersion: String?
    /// The last use, exact to a few minutes.
    public let lastSeenAt: Date?
    /// Whether it is the session of this device.
    public let isCurrent: Bool

    public init(
        id: String, device: String?, platform: String?, appVersion: String?, lastSeenAt: Date?, isCurrent: Bool
    ) {
        self.id = id
        self.device = device
        self.platform = platform
        self.appVersion = appVersion
        self.lastSeenAt = lastSeenAt
        self.isCurrent = isCurrent
    }
}
