// SPDX-License-Identifier: Apache-2.0

/// How a service that takes requests behaves.
public struct ServiceRules: Sendable, Hashable {
    /// How long a request can be taken back before it is carried out, in days: 0 to 30.
    public var graceDays: Int
    /// For how many days a request can really be taken back: the last day before it is due is for the work.
    public var daysInGrace: Int { min(graceDays, max(dueDays - 1, 0)) }
    /// When a request has to be over at the latest, in days (GDPR, Art. 12(3): one month).
    public var dueDays = 30
    /// How many days before that day operators are warned.
    public var warningDays = 5
    /// How old the proof of who somebody is may be, in seconds; 0 does not ask.
    public var recentSignIn: Int
    /// How long after the end it is looked again whether anything came back, in seconds; 0 never.
    public var secondLook: Int
    /// How many erasures a worker takes at once; `nil` leaves it to the plan: 50, or 10 where rows name two people.
    public var batch: Int?
    /// How many batches are worked on side by side in one process; 0 leaves the work to others.
    public var concurrency: Int
    /// Seconds after which a worker looks for work without having been told of any.
    public var poll: Int
    /// How often one erasure is tried again for the world's sake before it is parked.
    public var patience = 20

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

    /// After how many seconds it is looked again at what was erased of some subjects: when every token that they held
    /// has expired; `nil` never.
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
