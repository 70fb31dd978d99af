// SPDX-License-Identifier: Apache-2.0

import FarewellErasure

/// The shapes of exports.
extension APISchemas {
    static let export = Schema.object([
        .must("id", .formatted("uuid")),
        .must("state", .oneOfTexts(RequestedExport.State.allCases.map(\.rawValue))),
        .must("requested_at", .formatted("date-time")), .may("expires_at", .formatted("date-time")),
        .must("tables_done", .integer(nil)), .must("tables_total", .integer(nil)), .must("bytes", .integer(nil)),
        .may("archive", .text), .may("archive_bytes", .integer(nil)), .may("cause", .text),
    ])
}
