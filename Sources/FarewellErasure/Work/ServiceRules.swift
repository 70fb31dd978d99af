// SPDX-License-Identifier: Apache-2.0

/// How a service that takes requests behaves.
public struct ServiceRules: Sendable, Hashable {
    /// How long a request can be cancelled before it is performed, in days: 0 to 30.
    public var graceDays: Int
    /// For how many days a request can really be taken back: the last day before it is due is for the work.
    public var daysInGrace: Int { min(graceDays, max(dueDays - 1, 0)) }
    /// When a request must be over at the latest, in days (GDPR, Art. 12(3): one month).
    public var dueDays = 30
    /// How many days before that day operators are warned.
    public var warningDays = 5
    /// The highest age of the proof of identity, in seconds; 0 requires none.
    public var recentSignIn: Int
    /// Seconds from the end to the second look; 0 for none.
    public var secondLook: Int
    /// The number of erasures a worker takes at once; `nil` leaves it to the plan: 50, or 10 if rows name two subjects.
    public var batch: Int?
    /// How many batches are worked on concurrently in one process; 0 leaves the work to others.
    public var concurrency: Int
    /// Seconds after which a worker polls for work without a signal.
    public var poll: Int
    /// The number of attempts at an erasure that fail because of its surroundings before it is parked.
    public var maximumAttempts = 20

    public init(
        graceDays: Int = 0, recentSignIn: Int = 300, secondLook: Int = 3_720, batch: Int? = nil, concurrency: Int = 2,
        poll: Int = 2
    ) {
        self.graceDays = min(max(graceDays, 0), 30)
        self.recentSignIn = max(recentSignIn, 0)
        self.secondLook = max(secondLook, 0)
        self.batch = batch.map { max($0, 1) }
        self.concurrency = max(concurrency, 0)
        self.poll = max(poll, 1)
    }

    /// The former name of `maximumAttempts`.
    @available(*, deprecated, renamed: "maximumAttempts")
    public var patience: Int {
        get { maximumAttempts }
        set { maximumAttempts = newValue }
    }

    /// Seconds to the second look at some erased subjects: when every token that they held has expired; `nil` for none.
    func lookAfter(_ subjects: some Sequence<SealedSubject>) -> Int? {
        guard secondLook > 0 else { return nil }
        let lives = subjects.compactMap { $0.tokenLife.map { $0 + Self.afterTokens } }
        return min(max(secondLook, lives.max() ?? 0), Self.longestRetainedIdentity - 3_600)
    }

    /// Seconds between the end of the longest token and the second look: clocks differ, and a request takes its time.
    package static let afterTokens = 120

    /// The longest that anything sealed is kept beyond the end of a run, in seconds: three days.
    static let longestRetainedIdentity = 3 * 86_400
}
