// SPDX-License-Identifier: Apache-2.0

/// The permitted calls to a system: a burst, and a number each second.
public struct RateBudget: Sendable, Hashable {
    /// Calls that may follow each other without a pause.
    public var burst: Int
    /// Calls a second in the long run.
    public var perSecond: Double

    /// Both permit at least one call a minute.
    public init(burst: Int = 25, perSecond: Double = 25) {
        self.burst = max(burst, 1)
        self.perSecond = max(perSecond, 1.0 / 60)
    }
}
