// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// An export as its subject sees it.
struct ExportView: Encodable {
    let id: String
    let state: String
    let requested_at: String
    let expires_at: String?
    let tables_done: Int
    let tables_total: Int
    /// The bytes that are written.
    let bytes: Int
    /// Where the archive is, and how many bytes it has, once it is ready.
    let archive: String?
    let archive_bytes: Int?
    let cause: String?

    init(_ export: RequestedExport) {
        id = export.id.text
        state = export.state.rawValue
        requested_at = UTCTime.text(export.requestedAt)
        expires_at = export.expiresAt.map { UTCTime.text($0) }
        tables_done = export.progress.tablesDone
        tables_total = export.progress.tablesTotal
        bytes = export.progress.bytes
        archive = export.state == .ready ? "\(ExportRoutes.root)/\(id)/archive" : nil
        archive_bytes = export.archiveBytes
        cause = export.cause?.rawValue
    }
}
