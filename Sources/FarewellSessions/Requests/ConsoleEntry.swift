// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A verified sign-in at the console: its key or provider, and how long it can be valid.
package struct ConsoleEntry: Sendable {
    /// A keyed hash of the key or provider that opened the session.
    let origin: [UInt8]
    /// The session to which the presented token belongs; nil for an operators' key.
    let session: UUID?
    /// When the presented token expires; nil if it does not expire.
    let expiry: Date?
}
