// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The state of every participant on the device, one line for each.
public struct WipeReport: Sendable, Hashable {
    public let lines: [Line]

    public init(_ lines: [Line]) { self.lines = lines }

    /// Whether everything that should be deleted is deleted.
    public var isClean: Bool { lines.allSatisfy(\.isClean) }

    /// The state of one participant.
    public struct Line: Sendable, Hashable {
        public let name: String
        public let holds: String
        public let outcome: Outcome

        public init(name: String, holds: String, outcome: Outcome) {
            self.name = name
            self.holds = holds
            self.outcome = outcome
        }

        public var isClean: Bool { outcome == .cleared || outcome == .kept }
    }

    /// The outcome.
    public enum Outcome: Sendable, Hashable {
        /// Cleared, and looked at again: nothing is left.
        case cleared
        /// Not to be cleared on this occasion.
        case kept
        /// Cleared, yet these are still there.
        case leftovers([String])
        /// It could not be cleared, or not be looked at again.
        case failed(FarewellError)
        /// Not tried, because this one, which had to be first, was not cleared.
        case waiting(for: String)
    }
}
