// SPDX-License-Identifier: Apache-2.0

/// How a call that erases ended.
public enum ConnectorAnswer: Sendable, Hashable {
    /// So much was erased now, and the system says that this was all.
    case erased(Int)
    /// The system reports that the subject has no data there.
    case nothingThere
    /// So much was erased now, and there is more: call again with this cursor.
    case more(Int, cursor: String)
    /// The system has begun and reports later: call again with this cursor after so many seconds.
    case accepted(cursor: String, seconds: Double)
    /// The remaining data has a due date, before which nothing can be done: call again with this cursor, from `until`
    /// on, in seconds since 1970. `why` is for operators, and contains nothing personal.
    case resting(cursor: String, until: Double, why: String)
    /// The system says that it will, or has; it never says more.
    case acknowledged(Int)
}
