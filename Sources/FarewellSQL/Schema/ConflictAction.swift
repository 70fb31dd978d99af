// SPDX-License-Identifier: Apache-2.0

/// What SQLite does where a row would break a constraint that says so (`ON CONFLICT`,
/// https://www.sqlite.org/lang_conflict.html). PostgreSQL's constraints have no such clause.
public enum ConflictAction: String, Sendable, Hashable, Codable, CaseIterable {
    case rollback, abort, fail
    /// The row is not changed, and nothing is reported.
    case ignore
    /// Rows that hold the value already are deleted; a null becomes the column's default.
    case replace

    /// Whether a change can end otherwise than asked for without an error.
    public var isSilent: Bool { self == .ignore || self == .replace }
}
