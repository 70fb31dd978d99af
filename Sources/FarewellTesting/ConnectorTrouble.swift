// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What can go wrong with a call of an outside system.
public enum ConnectorTrouble: String, Sendable, Hashable, CaseIterable {
    /// The system answers 500; nothing has happened.
    case broken
    /// 429, with `Retry-After`.
    case throttled
    /// No answer, and nothing has happened.
    case lateBefore = "late before"
    /// No answer, and it has happened.
    case lateAfter = "late after"
    /// The answer is ten megabytes long.
    case endless
    /// The answer comes byte by byte and never ends.
    case drip
    /// 200, with a page.
    case malformed
    /// 401.
    case unknownKey = "unknown key"
    /// 403.
    case noRight = "no right"
    /// What was answered before is answered again.
    case stale
    /// The process ends here (`CancellationError`): nothing remembers but what was kept.
    case killedBefore = "killed before"
    /// The same, after it has happened.
    case killedAfter = "killed after"

    /// What the matrix says of a trouble that comes once.
    public enum Outcome: String, Sendable, Hashable {
        /// The run ends by itself.
        case done
        /// The run is taken up by another worker, and ends.
        case resumed
        /// A person has to look, and the message says for what.
        case parked
    }

    public var outcome: Outcome {
        switch self {
        case .broken, .throttled, .lateBefore, .lateAfter, .endless, .drip, .malformed, .stale: .done
        case .killedBefore, .killedAfter: .resumed
        case .unknownKey, .noRight: .parked
        }
    }
}
