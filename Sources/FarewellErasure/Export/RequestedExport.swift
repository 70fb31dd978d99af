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

/// The limits of exports.
package struct ExportRules: Sendable, Hashable {
    /// The most bytes that the files of one export have.
    package var bytes = 1 << 30
    /// The most bytes of all exports that one server keeps.
    package var totalBytes = 10 << 30
    /// The seconds from the end of an export to its removal.
    package var life = 3_600
    /// How many exports are written at once; others wait.
    package var concurrency = 2
    /// The most exports that one server keeps, those that wait included.
    package var most = 1_000

    package init() {}
}
