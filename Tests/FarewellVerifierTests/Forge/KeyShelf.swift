// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

@testable import FarewellVerifier

/// An issuer's key set as a test lays it out, and how often it was asked for.
final class KeyShelf: KeySetFetching {
    struct Unreachable: Error {}

    private struct State: Sendable {
        var json: [UInt8]?
        var asked = 0
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Guarded<State>

    /// `nil` for an issuer that cannot be reached.
    init(_ keys: [ForgedKey]?) { state = Guarded(State(json: keys.map { ForgedKey.set($0.map { $0.jwk() }) })) }

    var asked: Int { state.withLock { $0.asked } }

    func lay(_ keys: [ForgedKey]?) { state.withLock { $0.json = keys.map { ForgedKey.set($0.map { $0.jwk() }) } } }

    /// From now on answers wait until they are released.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer.resume() }
    }

    /// Returns once a task waits for an answer.
    func isAsked() async {
        await withCheckedContinuation { watcher in
            let isAsked = state.withLock { state in
                if state.held.isEmpty { state.watchers.append(watcher) }
                return !state.held.isEmpty
            }
            if isAsked { watcher.resume() }
        }
    }

    func keySet(at address: URL, limit: Int) async throws -> [UInt8] {
        let isHeld = state.withLock { state in
            state.asked += 1
            return state.isHeld
        }
        if isHeld {
            await withCheckedContinuation { answer in
                let watchers = state.withLock { state in
                    state.held.append(answer)
                    defer { state.watchers = [] }
                    return state.watchers
                }
                for watcher in watchers { watcher.resume() }
            }
        }
        guard let json = state.withLock({ $0.json }) else { throw Unreachable() }
        return json
    }
}
