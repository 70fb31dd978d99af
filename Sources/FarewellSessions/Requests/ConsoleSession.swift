// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A session at the operators' console.
package struct ConsoleSession: Sendable, Hashable {
    package let id: UUID
    /// A keyed hash of the operator's identity.
    package let name: String
    package let role: String
    package let beganAt: Date
    package let endsAt: Date
}
