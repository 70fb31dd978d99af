// SPDX-License-Identifier: Apache-2.0

/// A connection whose rows can be read without a copy of each value.
package protocol TextReading: SQLConnection {
    /// Runs one statement and `work` at the same time. If `work` throws, this function throws once the statement has
    /// ended.
    func texts(_ statement: SQLStatement, meanwhile work: () throws -> Void) async throws -> TextRows
}
