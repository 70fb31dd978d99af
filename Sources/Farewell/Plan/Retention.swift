// SPDX-License-Identifier: Apache-2.0

/// Why rows are kept although the person leaves, and until when (GDPR Art. 17(3), Art. 5(1)(e)).
public struct Retention: Sendable, Hashable {
    /// The legal or contractual ground, in words for the person.
    public var reason: String
    /// How long after `start` the rows are kept.
    public var period: Period
    /// The date column the period starts from, the latest of the person's rows; `nil`: the day of erasure.
    public var start: String?
    /// What happens to the rows at the end.
    public var then: Ending

    /// What happens to retained rows when their time has come.
    public enum Ending: String, Sendable, Hashable, CaseIterable { case erase, anonymise }

    public init(reason: String, period: Period, start: String? = nil, then: Ending = .erase) {
        self.reason = reason
        self.period = period
        self.start = start
        self.then = then
    }
}
