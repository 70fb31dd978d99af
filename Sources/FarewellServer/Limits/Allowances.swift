// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How much each of many callers may do: a bucket of tokens per key, refilled evenly.
///
/// A decision only: the caller passes the time. Holds a bounded number of buckets, so that callers with many
/// addresses cannot fill the memory; the fullest, which restrain no caller, are dropped first.
struct Allowances: Sendable {
    /// Tokens a bucket holds at most.
    let burst: Double
    /// Tokens a bucket gains in a second.
    let rate: Double
    let capacity: Int
    private var buckets: [Int: Bucket] = [:]

    private struct Bucket {
        var tokens: Double
        var seconds: Double
    }

    /// As many calls in `window` seconds as `perWindow` says, in the long run; `burst` of them at once.
    init(perWindow: Int, window: Double, burst: Int, capacity: Int = 100_000) {
        self.burst = Double(max(burst, 1))
        rate = Double(max(perWindow, 1)) / max(window, 1)
        self.capacity = capacity
    }

    var count: Int { buckets.count }

    enum Decision: Sendable, Equatable {
        case allowed
        /// Not now; the next token is available after this number of whole seconds.
        case refused(retryAfter: Int)
    }

    /// Takes one token of `key` at `seconds` on a clock that only runs forward.
    mutating func take(_ key: Int, at seconds: Double) -> Decision {
        if buckets[key] == nil, buckets.count >= capacity { forget(at: seconds) }
        var bucket = buckets[key] ?? Bucket(tokens: burst, seconds: seconds)
        bucket.tokens = tokens(in: bucket, at: seconds)
        bucket.seconds = seconds
        defer { buckets[key] = bucket }
        let decision = decision(bucket.tokens)
        if decision == .allowed { bucket.tokens -= 1 }
        return decision
    }

    /// The decision that `take` would make; takes nothing.
    func look(_ key: Int, at seconds: Double) -> Decision {
        guard let bucket = buckets[key] else { return .allowed }
        return decision(tokens(in: bucket, at: seconds))
    }

    private func decision(_ tokens: Double) -> Decision {
        tokens >= 1 ? .allowed : .refused(retryAfter: max(1, Int(((1 - tokens) / rate).rounded(.up))))
    }

    private func tokens(in bucket: Bucket, at seconds: Double) -> Double {
        min(burst, bucket.tokens + max(0, seconds - bucket.seconds) * rate)
    }

    /// Makes room: drops every full bucket, and half of the rest if that is not enough.
    private mutating func forget(at seconds: Double) {
        buckets = buckets.filter { tokens(in: $0.value, at: seconds) < burst }
        guard buckets.count > capacity / 2 else { return }
        let fullest = buckets.sorted { tokens(in: $0.value, at: seconds) > tokens(in: $1.value, at: seconds) }
        for (key, _) in fullest.prefix(buckets.count - capacity / 2) { buckets[key] = nil }
    }
}
