// SPDX-License-Identifier: Apache-2.0

/// How a call that erases ended.
public enum ConnectorAnswer: Sendable, Hashable {
    /// So much was erased now, and the system says that this was all.
    case erased(Int)
    /// The system says that nothing of the person is there.
    case nothingThere
    /// So much was erased now, and there is more: call again with this cursor.
    case more(Int, cursor: String)
    /// The system has begun and tells later: call again with this cursor after so many seconds.
    case accepted(cursor: String, seconds: Double)
    /// What is left has its day, and nothing is to be done before: call again with this cursor, from `until` on, in
    /// seconds since 1970. `why` is for whoever looks after the erasure, and names nobody.
    case resting(cursor: String, until: Double, why: String)
    /// The system says that it will, or has; it never says more.
    case acknowledged(Int)
}
