// SPDX-License-Identifier: Apache-2.0

import Farewell
package import Foundation

/// An export that its subject has requested, with its state.
package struct RequestedExport: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        case waiting, running, ready, failed
    }

    package let id: UUID
    package let requestedAt: Date
    /// The sign-in that requested it, as the caller of `ExportRequests.request` named it; nil if it named none.
    package let signIn: String?
    package var state = State.waiting
    package var progress = ExportMeter.Progress()
    /// When it is removed; nil until it has ended.
    package var expiresAt: Date?
    /// The size of the archive; nil until it is ready.
    package var archiveBytes: Int?
    /// Why it failed: `export.too-large`, `export.nothing` where the subject has no data, `export.failed`.
    package var cause: FarewellError.Code?

    init(id: UUID, requestedAt: Date, signIn: String?) {
        self.id = id
        self.requestedAt = requestedAt
        self.signIn = signIn
    }
}
