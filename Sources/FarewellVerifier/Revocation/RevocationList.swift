// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// What is known of ended sessions, and how lately it was heard. Filled by a ``RevocationFollower``, or by whoever
/// knows of revocations first-hand; asked by a ``TokenVerifier``.
public final class RevocationList: Sendable {
    private struct State: Sendable {
        var memory: RevocationMemory
        var heardAt: Duration?
    }

    private let state: Guarded<State>
    private let environment: VerifierEnvironment

    /// `capacity` is how many revocations are told apart, about 200 bytes each. Beyond that, the oldest are replaced by
    /// one instant: every token issued until then is refused. For `retention` see ``VerifierSettings/retention``.
    public init(capacity: Int = 200_000, retention: Duration, environment: VerifierEnvironment) {
        self.environment = environment
        state = Guarded(State(memory: RevocationMemory(capacity: capacity, retention: retention.seconds)))
    }

    /// From now on these are refused.
    public func note(_ tokens: RevokedTokens) {
        let now = environment.now()
        state.withLock { $0.memory.note(tokens, at: now) }
        heard()
    }

    /// The source of revocations was heard, whether or not it had something to say.
    public func heard() {
        let now = environment.uptime()
        state.withLock { $0.heardAt = now }
    }

    /// How long ago the source was last heard; `nil` if never.
    public var age: Duration? {
        let now = environment.uptime()
        return state.withLock { $0.heardAt }.map { now - $0 }
    }

    /// How many revocations are being remembered.
    public var count: Int { state.withLock { $0.memory.count } }

    func isRevoked(_ token: VerifiedToken) -> Bool { state.withLock { $0.memory.isRevoked(token) } }
}
