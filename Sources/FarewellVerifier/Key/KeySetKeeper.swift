// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Logging

/// Keeps the keys of one issuer: fetches them when ``KeySetMemory`` says so, with one request at a time for all
/// callers.
final class KeySetKeeper: Sendable {
    private struct State: Sendable {
        var memory: KeySetMemory
        var request: Task<Void, Never>?
    }

    let address: URL
    private let algorithms: Set<SignatureAlgorithm>
    private let policy: KeySetPolicy
    private let fetching: any KeySetFetching
    private let environment: VerifierEnvironment
    private let state: Guarded<State>

    init(
        _ address: URL, for algorithms: Set<SignatureAlgorithm>, policy: KeySetPolicy,
        fetching: any KeySetFetching, environment: VerifierEnvironment
    ) {
        self.address = address
        self.algorithms = algorithms
        self.policy = policy
        self.fetching = fetching
        self.environment = environment
        state = Guarded(State(memory: KeySetMemory(policy: policy)))
    }

    /// The key of that identifier, and since when its set has been fresh.
    func key(_ id: String) async throws(TokenRefusal) -> (key: VerificationKey, since: Duration?) {
        switch next(id, mayFetch: true) {
        case .key(let key, let since): return (key, since)
        case .refused(let refusal): throw refusal
        case .pending(let request): await request.value
        }
        switch next(id, mayFetch: false) {
        case .key(let key, let since): return (key, since)
        case .refused(let refusal): throw refusal
        case .pending: throw .keysUnavailable
        }
    }

    func freshSince() -> Duration? { state.withLock { $0.memory.freshSince(at: environment.uptime()) } }

    private enum Next: Sendable {
        case key(VerificationKey, since: Duration?)
        case refused(TokenRefusal)
        case pending(Task<Void, Never>)
    }

    /// A request that begins here belongs to all its waiting callers, and so to no caller's task.
    private func next(_ id: String, mayFetch: Bool) -> Next {
        state.withLock { state in
            switch state.memory.key(id, at: environment.uptime(), mayFetch: mayFetch) {
            case .key(let key, let since): return .key(key, since: since)
            case .refused(let refusal): return .refused(refusal)
            case .fetch, .wait:
                let request = state.request ?? Task { await self.fetch() }
                state.request = request
                return .pending(request)
            }
        }
    }

    private func fetch() async {
        var set: KeySet?
        do {
            if let bytes = try await bytes() {
                set = try KeySet(bytes, for: algorithms)
            } else {
                complain("no answer within \(policy.timeout)")
            }
        } catch {
            complain((error as? KeySet.Fault)?.rawValue ?? ConnectionFailure.words(error))
        }
        let found = set
        state.withLock { state in
            state.memory.fetched(found, at: environment.uptime())
            state.request = nil
        }
    }

    /// The published set; `nil` if it did not come in time.
    private func bytes() async throws -> [UInt8]? {
        try await Deadline(limit: policy.timeout, sleep: environment.sleep).run {
            try await self.fetching.keySet(at: self.address, limit: KeySet.largest)
        }
    }

    private func complain(_ reason: String) {
        environment.log.warning(
            "The keys of an issuer could not be fetched.",
            metadata: ["address": "\(address.absoluteString)", "reason": "\(reason)"])
    }
}
