// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A secret shared with other services, of at least 32 bytes. Its description is redacted.
public struct SharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Throws `authority.weak-secret` for fewer than 32 bytes of UTF-8 (RFC 7518, 3.2).
    public init(_ text: String) throws {
        guard text.utf8.count >= 32 else {
            throw FarewellError(
                "authority.weak-secret", .yoursToFix, "The shared secret for tokens has fewer than 32 bytes.",
                remedy: "Create a new one, for instance with openssl rand -base64 48.")
        }
        bytes = Array(text.utf8)
    }

    public var description: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
