// SPDX-License-Identifier: Apache-2.0

/// The rule for the rows of one table that belong to the subject.
public enum Rule: Sendable, Hashable {
    /// The rows are deleted.
    case erase
    /// The rows stay and stop being personal: every column has a `ColumnRule`.
    case anonymise
    /// The rows stay for a stated reason until a stated date; columns may still be anonymised at once.
    case retain(Retention)
    /// The table holds nothing that can lead to a person.
    case notPersonal
}
