// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Allowances for many concurrent tasks. Keys are hashed with this process's seed, so that no address is kept.
final class RateLimit: Sendable {
    private let allowances: Guarded<Allowances>
    private let seconds: @Sendable () -> Double

    /// `seconds` is a clock that only runs forward.
    init(_ allowances: Allowances, seconds: @escaping @Sendable () -> Double) {
        self.allowances = Guarded(allowances)
        self.seconds = seconds
    }

    /// The decision that `take` would make now; takes nothing.
    func look(_ key: String) -> Allowances.Decision {
        let hash = key.hashValue
        let now = seconds()
        return allowances.withLock { $0.look(hash, at: now) }
    }

    func take(_ key: String) -> Allowances.Decision {
        let hash = key.hashValue
        let now = seconds()
        return allowances.withLock { $0.take(hash, at: now) }
    }
}
