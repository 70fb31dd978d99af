// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The signed-in user of this device.
public struct DeviceUser: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// The provider's name for the user.
    public let id: String
    public var email: String?
    /// Apple's name for the user, if they signed in with Apple here: their credential is checked at launch.
    public var appleUserID: String?
    /// By what the account signs in, in the provider's words, such as `email` and `apple`; `nil` if it is not known.
    public var providers: [String]?

    public init(id: String, email: String? = nil, appleUserID: String? = nil, providers: [String]? = nil) {
        self.id = id
        self.email = email
        self.appleUserID = appleUserID
        self.providers = providers
    }

    public var description: String { "DeviceUser(***)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
