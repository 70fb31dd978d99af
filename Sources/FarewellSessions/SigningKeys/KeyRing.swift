// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Caches the signing keys and keeps them current.
///
/// Every query about a session also returns the version of the keys; without such a query the version is read
/// separately. So a key that any server removed is refused from the next request on.
final class KeyRing: Sendable {
    private struct State: Sendable {
        var snapshot: KeySnapshot?
        /// When an unknown header last made us look.
        var lastLook: Date?
    }

    private let database: any SQLDatabase
    private let store: SigningKeyStore
    private let keys: AuthorityKeys
    private let settings: AuthoritySettings
    private let state = Guarded(State())

    init(database: any SQLDatabase, store: SigningKeyStore, keys: AuthorityKeys, settings: AuthoritySettings) {
        self.database = database
        self.store = store
        self.keys = keys
        self.settings = settings
    }

    /// The keys as last read.
    func current() async throws -> KeySnapshot {
        if let snapshot = state.withLock({ $0.snapshot }) { return snapshot }
        return try await reload()
    }

    /// The keys at this version or a later one.
    func current(atLeast version: Int64) async throws -> KeySnapshot {
        let snapshot = try await current()
        return snapshot.version >= version ? snapshot : try await reload()
    }

    /// The version of the keys in the database now.
    func storedVersion() async throws -> Int64 {
        try await store.version.run(in: database)
    }

    /// The keys, read again because a token names an unknown one; at most once a second.
    func currentForUnknownKey(now: Date) async throws -> KeySnapshot {
        let isDue = state.withLock { state in
            if let last = state.lastLook, abs(now.timeIntervalSince(last)) < 1 { return false }
            state.lastLook = now
            return true
        }
        return isDue ? try await reload() : try await current()
    }

    @discardableResult
    func reload() async throws -> KeySnapshot {
        let results = try await database.pipeline(store.sealed)
        let snapshot = try snapshot(results)
        return state.withLock { state in
            // Another task may have read a later version in the meantime.
            if let known = state.snapshot, known.version > snapshot.version { return known }
            state.snapshot = snapshot
            return snapshot
        }
    }

    private func snapshot(_ results: [SQLResult]) throws -> KeySnapshot {
        let (version, sealed) = try SigningKeyStore.sealed(in: results)
        let stored = try sealed.map { key in
            let bytes = try keys.open(key.sealed, .signingKey, of: [key.id])
            return (
                id: key.id, activeFrom: key.activeFrom, key: try AccessTokenKey(key.algorithm, privateBytes: bytes)
            )
        }
        return KeySnapshot(version: version, stored: stored, settings: settings)
    }
}
