// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Removed signing keys stay removed when a back-up of the database is restored: the state directory remembers them.
struct ReturnedKeys: AuthorityPart {
    let context: AuthorityContext
    let ring: KeyRing
    let signingKeys: SigningKeys

    /// Removes the keys again that an operator had removed, and that the database has again, as after its back-up was
    /// restored. Before that, the file gets the lines that it could not take.
    ///
    /// - Returns: Their identifiers.
    /// - Throws: `ledger.tampered` where the file was changed; errors of the database.
    @discardableResult
    func remove() async throws -> [String] {
        try await signingKeys.addLateRemovals()
        let (file, now) = (keys.stops, environment.now())
        let removed = try await BlockingWork.run { try file.readRemovedKeys(at: now) }
        guard !removed.isEmpty else { return [] }
        let found = try await returned(removed, in: store.signingKeys.records.run(in: database))
        guard !found.isEmpty else { return [] }
        let back = try await database.transaction { connection in
            try await connection.run(store.signingKeys.lock)
            let back = try await returned(removed, in: store.signingKeys.records.run(on: connection))
            for id in back { _ = try await signingKeys.remove(id, at: now, on: connection) }
            return back
        }
        try await ring.reload()
        guard !back.isEmpty else { return [] }
        environment.log.warning(
            "The database had signing keys again that an operator had removed. They are removed: was it restored?",
            metadata: ["keys": "\(back.joined(separator: " "))"])
        return back
    }

    /// Removes returned keys at a server's start. A damaged file does not prevent the start, as a damaged ledger does
    /// not: otherwise no user could sign in. `farewell doctor` reports the file.
    func removeAtStart() async throws {
        do {
            try await remove()
        } catch let error as FarewellError where ["ledger.tampered", "ledger.newer"].contains(error.code.rawValue) {
            environment.log.error("Removed signing keys are not compared with the database. \(error.message)")
        }
    }

    /// Removes returned keys while a server runs, which need not restart for a restore.
    func removeRegularly() async {
        while (try? await environment.sleep(.seconds(600))) != nil {
            _ = await attempt("Removing signing keys again", remove)
        }
    }

    private func returned(_ removed: Set<String>, in records: [StoredKey]) -> [String] {
        records.map(\.id).filter(removed.contains).sorted()
    }
}
