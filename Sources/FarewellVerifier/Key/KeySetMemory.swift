// SPDX-License-Identifier: Apache-2.0

/// The known keys of an issuer, and the time of the next fetch: the decision without the fetch.
struct KeySetMemory: Sendable {
    enum Answer: Sendable {
        /// The key, and the time since which its set has been fresh; `nil` if the set is no longer fresh.
        case key(VerificationKey, since: Duration?)
        case refused(TokenRefusal)
        /// Fetch from the issuer, call ``fetched(_:at:)``, and ask again.
        case fetch
        /// A fetch is running: ask again afterwards.
        case wait
    }

    private let policy: KeySetPolicy
    private var set: KeySet?
    private var fetchedAt: Duration?
    private var askedAt: Duration?
    private var isFetching = false

    init(policy: KeySetPolicy) { self.policy = policy }

    /// The key of that identifier; `mayFetch` says whether the caller is willing to fetch from the issuer.
    mutating func key(_ id: String, at now: Duration, mayFetch: Bool) -> Answer {
        let key = isUsable(at: now) ? set?[id] : nil
        if let key, isFresh(at: now) { return .key(key, since: fetchedAt) }
        if mayFetch, isFetching, key == nil { return .wait }
        if mayFetch, !isFetching, askedAt.map({ now - $0 >= policy.interval }) ?? true {
            isFetching = true
            askedAt = now
            return .fetch
        }
        if let key { return .key(key, since: nil) }
        return .refused(isUsable(at: now) ? .key : .keysUnavailable)
    }

    /// The issuer answered with a set, or with `nil` if it returned none.
    mutating func fetched(_ set: KeySet?, at now: Duration) {
        isFetching = false
        guard let set else { return }
        self.set = set
        fetchedAt = now
    }

    /// When the present set was fetched, while it is fresh; tokens checked by an older set must be checked again.
    func freshSince(at now: Duration) -> Duration? { isFresh(at: now) ? fetchedAt : nil }

    private func isFresh(at now: Duration) -> Bool { fetchedAt.map { now - $0 < policy.timeToLive } ?? false }

    private func isUsable(at now: Duration) -> Bool {
        fetchedAt.map { now - $0 < policy.timeToLive + policy.graceWhenUnreachable } ?? false
    }
}
