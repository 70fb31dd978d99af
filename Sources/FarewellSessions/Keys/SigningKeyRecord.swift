// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A signing key as operators see it: never the key itself.
package struct SigningKeyRecord: Sendable, Hashable {
    /// The state of a key at one moment.
    package enum Standing: Sendable, Hashable {
        /// Published, and signs from its time on.
        case coming
        case signing
        /// Signs no more; its tokens are valid until then. `nil` if only its removal ends that.
        case verifying(until: Date?)
    }

    /// The key's name in its tokens (`kid`).
    package let id: String
    /// `ES256` or `EdDSA`.
    package let algorithm: String
    package let madeAt: Date
    package let signsFrom: Date
    package let standing: Standing
}
