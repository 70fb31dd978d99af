// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Sign in with Apple for a page of the web.
public struct AppleWeb: Sendable, Hashable {
    /// The Services ID; the authority's settings name it among Apple's clients as well.
    public var client: String
    /// The address of Apple's sign-in page.
    public var authorize: String

    public init(client: String, authorize: String = "https://appleid.apple.com/auth/authorize") {
        self.client = client
        self.authorize = authorize
    }
}
