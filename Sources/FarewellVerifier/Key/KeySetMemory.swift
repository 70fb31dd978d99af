// SPDX-License-Identifier: Apache-2.0

/// What is known of an issuer's keys, and when it is time to ask: the decision without the asking.
struct KeySetMemory: Sendable {
    enum Answer: Sendable {
        /// The key, and since when its set has been fresh; `nil` if it is not any more.
        case key(VerificationKey, since: Duration?)
        case refused(TokenRefusal)
        /// Ask the issuer, tell ``fetched(_:at:)``, and come back.
        case fetch
        /// Somebody is asking already: come back when they are done.
        case wait
    }

    private let policy: KeySetPolicy
    private var set: KeySet?
    private var fetchedAt: Duration?
    private var askedAt: Duration?
    private var isFetching = false

    init(policy: KeySetPolicy) { self.policy = policy }

    /// The key of that identifier; `mayFetch` says whether the caller is willing to ask the issuer.
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

    /// The issuer answered with a set, or with `nil` if there was none to be had.
    mutating func fetched(_ set: KeySet?, at now: Duration) {
        isFetching = false
        guard let set else { return }
        self.set = set
        fetchedAt = now
    }

    /// When the present set was had, as long as it is fresh; tokens checked by an older one are to be checked again.
    func freshSince(at now: Duration) -> Duration? { isFresh(at: now) ? fetchedAt : nil }

    private func isFresh(at now: Duration) -> Bool { fetchedAt.map { now - $0 < policy.timeToLive } ?? false }

    private func isUsable(at now: Duration) -> Bool {
        fetchedAt.map { now - $0 < policy.timeToLive + policy.graceWhenUnreachable } ?? false
    }
}
