// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A code that was sent to a user, and that a caller has shown.
struct SentCode: Sendable {
    let user: UUID
    /// The hash of the token in the link.
    let token: [UInt8]
    /// The hash of the challenge with which the mail was requested. `nil` without one, and for digits, which need none.
    let challenge: [UInt8]?
}
