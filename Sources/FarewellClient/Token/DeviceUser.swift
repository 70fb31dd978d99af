// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Who is signed in on this device.
public struct DeviceUser: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// What the provider calls the person.
    public let id: String
    public var email: String?
    /// What Apple calls the person, where they signed in with Apple here: their credential is checked at launch.
    public var appleUserID: String?
    /// By what the account signs in, in the provider's words, such as `email` and `apple`; `nil` where it is not known.
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
