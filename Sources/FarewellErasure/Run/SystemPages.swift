// SPDX-License-Identifier: Apache-2.0

/// The pages of one system's erasure: decides whether to call for the next page, and after which pause.
///
/// The number of pages has a limit: a system that says with every page that more is left would otherwise keep the
/// erasure running for good.
struct SystemPages {
    /// The number of pages.
    private(set) var count = 0
    /// How many of them returned a cursor of an earlier one.
    private(set) var repeats = 0
    /// How many of them erased something.
    private var erasing = 0
    /// How many of them erased less than a bulk page does.
    private var small = 0
    /// How many small pages erased nothing or returned a cursor of an earlier one.
    private var idle = 0
    /// The cursors by their hashes, each with the number of pages that had erased something when it was last returned.
    private var seen: [Int: Int] = [:]

    enum Next: Sendable, Hashable {
        /// The next page, after a pause.
        case page(after: Duration)
        /// Nothing was erased since the system returned the same cursor: its answers would only repeat themselves.
        case sameAgain
        /// There were more pages than the largest account has.
        case endless
    }

    /// A page that erases as much as this comes from a system that works in bulk, and is never slowed down.
    private static let bulk = 100
    /// Small pages without a pause, and the pause after each further one.
    private static let quick = 1_000
    private static let pause: Duration = .seconds(1)
    static let mostIdle = 10_000
    static let most = 100_000

    /// - Parameter cursor: The cursor with which the first page is asked for.
    init(from cursor: String?) {
        if let cursor { seen[cursor.hashValue] = 0 }
    }

    /// Notes a page that says that more is left.
    ///
    /// - Parameter erased: The number of items erased with it.
    mutating func next(after erased: Int, cursor: String) -> Next {
        count += 1
        if erased > 0 { erasing += 1 }
        let before = seen.updateValue(erasing, forKey: cursor.hashValue)
        if before != nil { repeats += 1 }
        guard erased > 0 || before != erasing else { return .sameAgain }
        guard erased < Self.bulk else { return count < Self.most ? .page(after: .zero) : .endless }
        small += 1
        if erased <= 0 || before != nil { idle += 1 }
        guard count < Self.most, idle < Self.mostIdle else { return .endless }
        return .page(after: small > Self.quick ? Self.pause : .zero)
    }
}
