// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// A provider's refresh token for one user. Its description is redacted.
public struct ProviderCredential: Sendable, CustomStringConvertible, CustomReflectable {
    public let refreshToken: String
    public let clientID: String

    public var description: String { "ProviderCredential(***)" }
    public var customMirror: Mirror { Mirror(self, children: ["clientID": clientID]) }
}
