// SPDX-License-Identifier: Apache-2.0

/// Why rows are kept after the erasure, and until when (GDPR Art. 17(3), Art. 5(1)(e)).
public struct Retention: Sendable, Hashable {
    /// The legal or contractual ground, in words for the user.
    public var reason: String
    /// How long after `start` the rows are kept.
    public var period: Period
    /// The date column with which the period starts, the latest of the subject's rows; `nil`: the day of erasure.
    public var start: String?
    /// The treatment of the rows at the end.
    public var then: Ending

    /// The treatment of retained rows after their last day.
    public enum Ending: String, Sendable, Hashable, CaseIterable { case erase, anonymise }

    public init(reason: String, period: Period, start: String? = nil, then: Ending = .erase) {
        self.reason = reason
        self.period = period
        self.start = start
        self.then = then
    }
}
