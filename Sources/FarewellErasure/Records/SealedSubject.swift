// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// The data about the subject that a run needs until it ends: sealed in the control store, destroyed when done.
package struct SealedSubject: Sendable, Hashable, Codable {
    /// The key in the root table.
    package var key: StoredValue
    /// Values that name the subject elsewhere: a deep scan searches for them.
    package var identifiers: [String]
    /// Keys of rows that others link to, by column, to search for leftovers: under a later plan as well, unless the
    /// erasure was carried out at once (`SubjectResolver.Depth`).
    package var captured: [String: [StoredValue]]
    /// Whether more keys existed than are remembered.
    package var isCaptureBounded: Bool
    /// Retained places, with the end of the period if it is known.
    package var retainedUntil: [String: CalendarDay]
    /// Files named by columns, by folder.
    package var files: [String: [String]]
    /// The keyed hash of the subject's root row, for the ledger.
    package var incarnation: String
    /// Rows by place, before anything was changed.
    package var counts: [String: Int]
    /// The keys of retained rows for the end of their retention, by place.
    package var retained: [String: [[StoredValue?]]]? = nil
    /// Composite keys of rows that others link to, by their columns (`SchemaTable.keyName`).
    package var capturedKeys: [String: [[StoredValue]]]? = nil
    /// For how many seconds the token of the request was made, where its issuer is another than the server.
    package var tokenLife: Int? = nil
    /// How many rows of each table the request had searched for what names the person: 0 is all, `nil` is none.
    package var deepRows: Int? = nil
    /// Further names of the subject, beside the plan's identifiers: full names, numbers, and addresses in several
    /// rows. A deep scan searches for these too; they are no part of the incarnation.
    package var others: [String]? = nil
    /// The number of rows that the subject's links reach directly, if the rows were not counted place by place.
    package var directRows: Int? = nil
    /// The same by place.
    package var directCounts: [String: Int]? = nil
    /// Folders, and steps of systems, in which the subject's names are unknown: the rows that held them are gone.
    package var unnamed: [String]? = nil

    /// Whether the subject's names in a folder, or in a step's system, are unknown. Nothing is known of data there.
    package func isUnnamed(in place: String) -> Bool { unnamed?.contains(place) ?? false }
}
