// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A receipt as the database keeps it.
package struct IssuedReceipt: Sendable, Hashable {
    /// The identifier that its file is named after: the receipt's own, which is the erasure's unless the erasure ended
    /// twice because its database was restored.
    package let erasure: UUID
    /// The receipt as a compact JWS (RFC 7515).
    package let signed: String
    package let finishedAt: Date

    package init(erasure: UUID, signed: String, finishedAt: Date) {
        self.erasure = erasure
        self.signed = signed
        self.finishedAt = finishedAt
    }
}
