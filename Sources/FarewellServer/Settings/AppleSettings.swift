// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Crypto
import Farewell
import FarewellSessions
import Foundation
import NIOCore
import NIOHTTP1

/// The settings for exchanging Apple's authorization codes.
public struct AppleSettings: Sendable, Hashable {
    public var team: String
    public var keyID: String
    /// The private key of Sign in with Apple, a `.p8` file.
    public var keyFile: String
    /// Where codes are exchanged.
    public var tokens: String

    public init(team: String, keyID: String, keyFile: String, tokens: String) {
        self.team = team
        self.keyID = keyID
        self.keyFile = keyFile
        self.tokens = tokens
    }
}
