// SPDX-License-Identifier: Apache-2.0

/// SQLite's action for a row that would break a constraint with `ON CONFLICT`
/// (https://www.sqlite.org/lang_conflict.html). PostgreSQL's constraints have no such clause.
public enum ConflictAction: String, Sendable, Hashable, Codable, CaseIterable {
    case rollback, abort, fail
    /// The row is not changed, and nothing is reported.
    case ignore
    /// Rows that hold the value already are deleted; a null becomes the column's default.
    case replace

    /// Whether a change can have another result than intended without an error.
    public var isSilent: Bool { self == .ignore || self == .replace }
}
