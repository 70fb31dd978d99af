// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A statement about the rows of some subjects, whose values are filled in later.
///
/// Its text holds catalog names and `$n` only, so that it is the same for every subject and is prepared once.
package struct RowStatement: Sendable, Hashable {
    /// The meaning of a parameter.
    package enum Slot: Sendable, Hashable {
        /// The subjects' keys in the form a column of this kind holds them.
        case subjects(SchemaColumn.Kind)
        /// PostgreSQL: the one subject's key in the form a column of this kind holds it.
        case subject(SchemaColumn.Kind)
        /// A UUID held as text: the one subject's key in this spelling if it is a UUID, otherwise unchanged.
        case subjectUUID(UUIDSpelling)
        /// The members leading into a JSON document.
        case path([String])
        /// A value written in the plan.
        case text(String)
        case integer(Int)
        /// One pad of the key under which a column is hashed (RFC 2104: inner 0x36, outer 0x5c).
        case hashPad(ColumnName, UInt8)
        /// The hash key of a column itself.
        case hashKey(ColumnName)
        /// Keys of this node's rows, read before they were erased; the column by its place in the table.
        case captured(node: Int, column: Int, kind: SchemaColumn.Kind)
        /// Composite keys of this node's rows, read before they were erased; the columns by their places in the table.
        case capturedKeys(node: Int, columns: [Int])
        case limit
    }

    /// The selections at the beginning (`WITH f0 AS …`), or "". Statements with the same selections share their text: a
    /// selection of a hundred tables may be the beginning of hundreds of statements.
    private(set) var selections: String
    /// The text behind the selections.
    private(set) var rest: String
    package var slots: [Slot]

    init(_ selections: String = "", text: String, slots: [Slot]) {
        self.selections = selections
        self.rest = text
        self.slots = slots
    }

    package var text: String {
        get { selections + rest }
        set { (selections, rest) = ("", newValue) }
    }

    /// The same statement with a further text behind it.
    func adding(_ text: String) -> RowStatement { RowStatement(selections, text: rest + text, slots: slots) }

    /// PostgreSQL: the name of the transaction setting that keeps the keys of a node's rows.
    static func setting(node: Int, column: Int) -> String { "farewell.captured_\(node)_\(column)" }

    /// The same for composite keys.
    static func setting(node: Int, columns: [Int]) -> String {
        "farewell.keys_\(node)_" + columns.map(String.init).joined(separator: "_")
    }
}
