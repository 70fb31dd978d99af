// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A random value that binds an identity token to one request: its hash goes to Apple, itself to the server.
public struct AppleNonce: Sendable, Hashable {
    public let text: String
    /// SHA-256 of the text, in hexadecimal.
    public var hashed: String { DeviceCrypto.hash(Data(text.utf8)).hexadecimal }

    /// A fresh one of 256 random bits.
    ///
    /// - Throws: `device.crypto-failed`.
    public init() throws {
        text = try DeviceCrypto.makeSecret(count: 32).withUnsafeBytes { Base64URL.text($0) }
    }
}
