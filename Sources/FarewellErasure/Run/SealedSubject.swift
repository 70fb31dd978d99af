// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// What a run must remember of the person until it ends: sealed in the control store, destroyed when done.
package struct SealedSubject: Sendable, Hashable, Codable {
    /// The key in the root table.
    package var key: StoredValue
    /// Values that name the person elsewhere: what a deep scan looks for.
    package var identifiers: [String]
    /// Keys of rows that others link to, by column, so that leftovers can be asked for: under a later plan as well.
    package var captured: [String: [StoredValue]]
    /// Whether more keys existed than are remembered.
    package var isCaptureBounded: Bool
    /// Retained places, with the end of the period where it could be told.
    package var retainedUntil: [String: CalendarDay]
    /// Files named by columns, by folder.
    package var files: [String: [String]]
    /// The keyed hash of the person's root row, for the ledger.
    package var incarnation: String
    /// Rows by place, before anything was changed.
    package var counts: [String: Int]
    /// What retained rows are known by when their time ends, by place.
    package var retained: [String: [[StoredValue?]]]? = nil
    /// Composite keys of rows that others link to, by their columns (`SchemaTable.keyName`).
    package var capturedKeys: [String: [[StoredValue]]]? = nil
    /// For how many seconds the token of the request was made, where its issuer is another than the server.
    package var tokenLife: Int? = nil
    /// How many rows of each table the request had searched for what names the person: 0 is all, `nil` is none.
    package var deepRows: Int? = nil
}
