// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation

/// Bytes that no log, message, mirror or interpolation shows.
package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    package var key: SymmetricKey { SymmetricKey(data: bytes) }

    /// A key of 256 bits for one purpose (HKDF-SHA-256, RFC 5869): keys of other purposes cannot be made from it.
    func derived(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }
}
