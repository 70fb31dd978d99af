// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// The keys that sign access tokens: makes, publishes and removes them.
struct SigningKeys: AuthorityPart {
    let context: AuthorityContext
    let ring: KeyRing

    /// The public keys as a JSON Web Key Set (RFC 7517, 5), newest first.
    func keySet() async throws -> Data {
        let version = try await ring.storedVersion()
        return try CanonicalJSON.data(["keys": try await ring.current(atLeast: version).publicKeys])
    }

    /// Publishes a new signing key, which signs once all verifiers may know it (`keyPublication`); the former key stays
    /// valid until its last token has expired.
    @discardableResult
    func rotate() async throws -> String {
        let algorithm = try storedAlgorithm()
        let now = environment.now()
        let from = now.addingTimeInterval(settings.keyPublication / .seconds(1))
        let id = try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            return try await insertKey(algorithm, activeFrom: from, now: now, on: connection)
        }
        try await ring.reload()
        return id
    }

    /// Removes a signing key at once: every server refuses its tokens from the next request on.
    func remove(_ id: String) async throws {
        let now = environment.now()
        try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            guard try await remove(id, at: now, on: connection) else { throw Self.unknownKey }
            guard await !remember([.keyRemoved(id, at: now)]) else { return }
            try await connection.run(store.signingKeys.recordLate(id, at: now))
        }
        try await ring.reload()
    }

    /// Removes a key while the keys are locked; if it was the signing key, another one signs.
    ///
    /// - Returns: Whether there was such a key.
    func remove(_ id: String, at now: Date, on connection: any SQLConnection) async throws -> Bool {
        let before = try await schedule(on: connection)
        guard try await connection.run(store.signingKeys.remove(id)).affected == 1 else { return false }
        guard before.signer(at: now) == id else { return true }
        if let next = before.successor(at: now) {
            try await connection.run(store.signingKeys.advance(next, to: now))
        } else if let algorithm = settings.signing.storedAlgorithm {
            _ = try await insertKey(algorithm, activeFrom: now, now: now, on: connection)
        }
        return true
    }

    /// Creates a signing key if the newest one is not of the algorithm in the settings, or if there is none.
    func ensure() async throws {
        guard let algorithm = settings.signing.storedAlgorithm else {
            try await ring.reload()
            return
        }
        let now = environment.now()
        if try await ring.reload().newestAlgorithm == algorithm { return }
        try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            // Another server may have created it already.
            let stored = try await store.signingKeys.records.run(on: connection)
            if stored.max(by: { $0.activeFrom < $1.activeFrom })?.algorithm == algorithm { return }
            let from = stored.isEmpty ? now : now.addingTimeInterval(settings.keyPublication / .seconds(1))
            _ = try await insertKey(algorithm, activeFrom: from, now: now, on: connection)
        }
        try await ring.reload()
    }

    /// Deletes keys whose last token has expired.
    func prune(now: Date) async throws {
        let outlived = { (schedule: KeySchedule) in
            schedule.outlived(at: now, tokenLife: settings.accessTokenLife)
        }
        guard !outlived(try await ring.current().schedule).isEmpty else { return }
        try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            for id in outlived(try await schedule(on: connection)) {
                try await connection.run(store.signingKeys.remove(id))
            }
        }
        try await ring.reload()
    }

    /// Adds removed keys to the state directory's file of stops, as the last act of the transaction that removes them.
    /// An emergency does not wait for a disk: a key is removed also if the file takes no line, and the transaction then
    /// records that the line is late.
    ///
    /// - Returns: Whether the file took the lines; if not, the log says why.
    private func remember(_ removed: [Stop]) async -> Bool {
        let file = keys.stops
        do {
            try await BlockingWork.run { try file.append(removed) }
            return true
        } catch {
            environment.log.error(
                "Removed keys are in the database only until the state directory takes them.",
                metadata: [
                    "keys": "\(removed.map(\.id).joined(separator: " "))", "error": "\(FarewellError.text(of: error))",
                ])
            return false
        }
    }

    /// Adds the lines that are late, by whichever process they were recorded.
    func addLateRemovals() async throws {
        guard try await !store.signingKeys.lateRemovals.run(in: database).isEmpty else { return }
        try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            let late = try await store.signingKeys.lateRemovals.run(on: connection)
            guard !late.isEmpty, await remember(late) else { return }
            try await connection.run(store.signingKeys.forgetLate)
        }
    }

    private func insertKey(
        _ algorithm: String, activeFrom: Date, now: Date, on connection: any SQLConnection
    ) async throws -> String {
        let key = try AccessTokenKey.made(algorithm, entropy: keys.entropy)
        let sealed = try keys.seal(key.privateBytes, .signingKey, of: [key.thumbprint])
        try await connection.run(store.signingKeys.insert(key, sealed: sealed, activeFrom: activeFrom, now: now))
        return key.thumbprint
    }

    private func schedule(on connection: any SQLConnection) async throws -> KeySchedule {
        let stored = try await store.signingKeys.records.run(on: connection)
        return KeySchedule(stored.map { KeySchedule.Entry(id: $0.id, activeFrom: $0.activeFrom) })
    }

    private func storedAlgorithm() throws -> String {
        guard let algorithm = settings.signing.storedAlgorithm else {
            throw FarewellError(
                "authority.shared-secret", .yoursToFix, "The tokens' shared secret is only in the settings.",
                remedy: "Change the secret in the settings, and name the old one in tokens.former-secret-files.")
        }
        return algorithm
    }

    /// The stored signing keys, newest first, and the present state of each.
    func records() async throws -> [SigningKeyRecord] {
        let found = try await store.signingKeys.records.run(in: database)
        let schedule = KeySchedule(found.map { KeySchedule.Entry(id: $0.id, activeFrom: $0.activeFrom) })
        let now = environment.now()
        return schedule.entries.reversed().compactMap { entry in
            guard let key = found.first(where: { $0.id == entry.id }),
                let standing = schedule.standing(of: entry.id, at: now, tokenLife: settings.accessTokenLife)
            else { return nil }
            return SigningKeyRecord(
                id: key.id, algorithm: key.algorithm, madeAt: key.madeAt, signsFrom: key.activeFrom,
                standing: effective(standing))
        }
    }

    /// One stored signing key.
    func record(_ id: String) async throws -> SigningKeyRecord {
        guard let key = try await records().first(where: { $0.id == id }) else { throw Self.unknownKey }
        return key
    }

    /// While a shared secret signs, no stored key signs, and the newest verifies until it is removed.
    private func effective(_ standing: SigningKeyRecord.Standing) -> SigningKeyRecord.Standing {
        switch standing {
        case .verifying: standing
        case .coming, .signing: settings.signing.storedAlgorithm == nil ? .verifying(until: nil) : standing
        }
    }

    private static let unknownKey = FarewellError(
        "authority.unknown-key", .yoursToFix, "There is no signing key with this identifier.",
        remedy: "farewell keys list shows the keys.")
}

extension TokenSigning {
    /// The algorithm of the keys that the store keeps; `nil` if a shared secret signs.
    var storedAlgorithm: String? {
        switch self {
        case .es256: "ES256"
        case .edDSA: "EdDSA"
        case .hs256: nil
        }
    }
}

extension KeySnapshot {
    var newestAlgorithm: String? { schedule.entries.last.flatMap { keys[$0.id]?.algorithm } }
}
