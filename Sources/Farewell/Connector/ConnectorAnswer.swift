// SPDX-License-Identifier: Apache-2.0

/// How a call that erases ended.
public enum ConnectorAnswer: Sendable, Hashable {
    /// This number was erased now, and the system says that this was all.
    case erased(Int)
    /// The system reports that the subject has no data there.
    case nothingThere
    /// This number was erased now, and more is left: call again with this cursor.
    case more(Int, cursor: String)
    /// The system has begun and reports later: call again with this cursor after this number of seconds.
    case accepted(cursor: String, seconds: Double)
    /// Nothing can be done before a time, such as the due date of the remaining data, or until the system calls back:
    /// call again with this cursor, from `until` on, in seconds since 1970. `why` is for operators, and holds nothing
    /// personal.
    case resting(cursor: String, until: Double, why: String)
    /// The system confirms the request, and never reports the result.
    case acknowledged(Int)
}
