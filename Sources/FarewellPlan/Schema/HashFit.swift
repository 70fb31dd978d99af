// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// Whether a keyed hash, which is hexadecimal text or made into a UUID, can be stored in a column.
enum HashFit {
    /// A hash is cut to its column's length, but never below this many characters.
    static let shortest = 16

    static func fits(_ column: SchemaColumn) -> Bool {
        guard column.labels == nil else { return false }
        let length = column.maximumLength ?? .max
        return column.kind == .uuid || column.kind == .text && length >= shortest
    }
}
