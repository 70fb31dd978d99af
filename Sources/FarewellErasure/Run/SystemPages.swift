// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The pages of one attempt at a system's erasure: decides whether to call for the next page, and whether in this
/// attempt.
///
/// A system that says with every page that more is left would keep the erasure running for good. So the counts of all
/// attempts have limits, and each attempt ends after some small pages, so that other erasures run meanwhile. Without
/// workers there are none, and the attempts follow one another in one call.
struct SystemPages {
    /// The counts of this attempt and of all earlier ones at the same request.
    private(set) var counts: StepProgress.Pages
    /// How many pages of this attempt erased something.
    private var erasing = 0
    /// How many pages of this attempt erased less than a bulk page does.
    private var small = 0
    /// The cursors by their hashes, each with the number of pages that had erased something when it was last returned.
    private var seen: [Int: Int] = [:]

    enum Next: Sendable, Hashable {
        case page
        /// The next page, by a later attempt.
        case later
        /// Nothing was erased since the system returned the same cursor: its answers would only repeat themselves.
        case sameAgain
        /// There were more pages than the largest account has.
        case endless
    }

    /// A page that erases as much as this comes from a system that works in bulk, and ends no attempt.
    private static let bulk = 100
    /// The number of small pages after which an attempt ends, and the seconds until the next attempt. A system whose
    /// pages each erase something is slowed down little: it could pass 200 pages a second.
    static let perAttempt = 1_000
    static let pause = 5.0
    static let mostIdle = 10_000
    static let most = 100_000

    /// - Parameters:
    ///   - cursor: The cursor with which this attempt requests its first page.
    ///   - counts: Those of the earlier attempts.
    init(from cursor: String?, after counts: StepProgress.Pages? = nil) {
        self.counts = counts ?? StepProgress.Pages()
        if let cursor { seen[Self.label(cursor)] = 0 }
    }

    /// A cursor may hold a name, and two names that Unicode treats as equal are two.
    private static func label(_ cursor: String) -> Int { ExactText(cursor).hashValue }

    /// Begins another attempt, which knows what the earlier ones have seen.
    mutating func beginAttempt() { small = 0 }

    /// Notes a page that says that more is left.
    ///
    /// - Parameter erased: The number of items erased with it.
    mutating func next(after erased: Int, cursor: String) -> Next {
        counts.count += 1
        if erased > 0 { erasing += 1 }
        let before = seen.updateValue(erasing, forKey: Self.label(cursor))
        if before != nil { counts.repeats += 1 }
        guard erased > 0 || before != erasing else { return .sameAgain }
        guard erased < Self.bulk else { return counts.count < Self.most ? .page : .endless }
        small += 1
        if erased <= 0 || before != nil { counts.idle += 1 }
        guard counts.count < Self.most, counts.idle < Self.mostIdle else { return .endless }
        return small < Self.perAttempt ? .page : .later
    }
}
