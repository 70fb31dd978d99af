// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A signing key as it is shown to those who look after it: never the key itself.
package struct SigningKeyRecord: Sendable, Hashable {
    /// How a key stands at one moment.
    package enum Standing: Sendable, Hashable {
        /// Published, and signs from its time on.
        case coming
        case signing
        /// Signs no more; what it signed is good until then. `nil` where nothing but its removal ends that.
        case verifying(until: Date?)
    }

    /// The name that its tokens bear (`kid`).
    package let id: String
    /// `ES256` or `EdDSA`.
    package let algorithm: String
    package let madeAt: Date
    package let signsFrom: Date
    package let standing: Standing
}
