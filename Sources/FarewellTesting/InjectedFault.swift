// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A fault that a conformance suite injects into a call to a third-party system.
public enum InjectedFault: String, Sendable, Hashable, CaseIterable {
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
    /// The answer arrives byte by byte and never ends.
    case drip
    /// 200, with a page.
    case malformed
    /// 401.
    case unknownKey = "unknown key"
    /// 403.
    case noRight = "no right"
    /// An earlier answer is returned again.
    case stale
    /// The process ends here (`CancellationError`): nothing remembers but what was kept.
    case killedBefore = "killed before"
    /// The same, after it has happened.
    case killedAfter = "killed after"

    /// The expected outcome of a fault that occurs once.
    public enum Outcome: String, Sendable, Hashable {
        /// The run completes without an operator.
        case done
        /// Another worker resumes the run, which completes.
        case resumed
        /// An operator must look, and the message names the cause.
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

/// The former name of `InjectedFault`.
@available(*, deprecated, renamed: "InjectedFault")
public typealias ConnectorTrouble = InjectedFault
