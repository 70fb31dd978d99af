// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The known ended sessions, and the freshness of this knowledge. A ``RevocationFollower`` fills it, or a program that
/// knows revocations first-hand; a ``TokenVerifier`` reads it.
public final class RevocationList: Sendable {
    private struct State: Sendable {
        var memory: RevocationMemory
        var heardAt: Duration?
    }

    private let state: Guarded<State>
    private let environment: VerifierEnvironment

    /// `capacity` is the number of distinct revocations, about 200 bytes each. Beyond that, the oldest are replaced by
    /// one instant: every token issued until then is refused. For `retention` see ``VerifierSettings/retention(of:)``.
    public init(capacity: Int = 200_000, retention: Duration, environment: VerifierEnvironment) {
        self.environment = environment
        state = Guarded(State(memory: RevocationMemory(capacity: capacity, retention: retention.seconds)))
    }

    /// From now on these are refused. Only `heard` says whether all other revocations are known too.
    public func note(_ tokens: RevokedTokens) {
        let now = environment.now()
        state.withLock { $0.memory.note(tokens, at: now) }
    }

    /// Notes that the source has answered, and that all its revocations until now are known.
    public func heard() {
        let now = environment.uptime()
        state.withLock { $0.heardAt = now }
    }

    /// How long ago everything was known for the last time; `nil` if it never was.
    public var age: Duration? {
        let now = environment.uptime()
        return state.withLock { $0.heardAt }.map { now - $0 }
    }

    /// How many revocations are being remembered.
    public var count: Int { state.withLock { $0.memory.count } }

    func isRevoked(_ token: VerifiedToken) -> Bool { state.withLock { $0.memory.isRevoked(token) } }
}
