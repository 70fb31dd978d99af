// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A provider whose identity tokens sign users in.
public struct IdentityProvider: Sendable, Hashable {
    /// `apple`, `google`: the name in the contract.
    public var name: String
    /// Exactly the issuers it signs as. The first is the one it is remembered by.
    public var issuers: [String]
    /// The applications whose tokens count: Apple's client and bundle ids, Google's client ids.
    public var audiences: Set<String>

    public init(name: String, issuers: [String], audiences: Set<String>) {
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
    }

    /// Sign in with Apple, for these client and bundle ids.
    public static func apple(clientIDs: Set<String>) -> IdentityProvider {
        IdentityProvider(name: "apple", issuers: ["https://appleid.apple.com"], audiences: clientIDs)
    }

    /// Sign in with Google, which signs under two spellings of its name.
    public static func google(clientIDs: Set<String>) -> IdentityProvider {
        IdentityProvider(
            name: "google", issuers: ["https://accounts.google.com", "accounts.google.com"], audiences: clientIDs)
    }
}
