// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell

/// Identifies bytes at their source: a file of a folder or an item of a system, in one state.
struct ExportSource: Sendable, Hashable {
    /// In hexadecimal digits. A list of sources thus contains no name.
    let digest: String

    /// - Parameters:
    ///   - place: The folder or the system in the plan.
    ///   - mark: Another one when the contents are others.
    init(place: String, name: [UInt8], mark: String) {
        digest = Self.digest([Array(place.utf8), name, Array(mark.utf8)])
    }

    /// The SHA-256 of texts, in hexadecimal digits; no two lists of texts are written alike.
    static func digest(_ parts: [[UInt8]]) -> String {
        var hash = SHA256()
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: part)
        }
        return hash.finalize().hexadecimal
    }
}
