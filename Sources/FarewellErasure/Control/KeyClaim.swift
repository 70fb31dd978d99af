// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Whether a database and the keys of a state directory belong together.
///
/// The database remembers its keys from the first start on. Other keys would recognise none of the erased subjects, so
/// they are neither made nor used. A database of an earlier version remembers none: then its receipts and its sealed
/// data show its keys.
struct KeyClaim: Sendable {
    let control: ControlStore

    /// The most receipts and sealed keys that are checked.
    private static let sample = 50

    /// Refuses keys that are not the database's, or that would have to be made although the database names its keys or
    /// has erasures already. Makes nothing.
    ///
    /// - Parameter keys: Those of the state directory; `nil` if there are none.
    /// - Throws: `keys.not-here`, `keys.other`.
    func refuseOthers(_ keys: KeyStore?, on connection: any SQLConnection) async throws {
        let tables = try await control.hasInstallation.run(on: connection)
        guard tables.ledger else { return }
        if tables.keys, let known = try await inForce(on: connection) {
            // Even if no erasure is in the database: a back-up of before the first one may have been restored.
            guard keys?.identity != known else { return }
            throw keys == nil ? Self.missing : Self.other
        }
        guard let keys else {
            if try await hasErased(on: connection) { throw Self.missing }
            return
        }
        guard try await isEvident(keys, on: connection) else { throw Self.other }
    }

    /// Says that the database belongs to these keys, which `refuseOthers` let pass. In the transaction that makes the
    /// tables.
    func claim(_ keys: KeyStore, on connection: any SQLConnection, at now: Date) async throws {
        try await refuseOthers(keys, on: connection)
        guard try await inForce(on: connection) != keys.identity else { return }
        try await connection.run(control.belong(to: keys.identity, at: now))
    }

    /// Makes the database belong to these keys from now on, although it belongs to others. Entries of the ledger under
    /// the others are kept and no longer matched.
    ///
    /// - Returns: The number of entries that can no longer be matched.
    func adopt(_ keys: KeyStore, on connection: any SQLConnection, at now: Date) async throws -> Int {
        let known = try await inForce(on: connection)
        let isOurs = if let known { known == keys.identity } else { try await isEvident(keys, on: connection) }
        if !isOurs { _ = try await connection.pipeline(control.exchange(known ?? "unknown", for: keys.identity)) }
        try await connection.run(control.belong(to: keys.identity, at: now))
        return Int(try await connection.run(control.formerEntries).scalar?.integer ?? 0)
    }

    private func inForce(on connection: any SQLConnection) async throws -> String? {
        try await connection.run(control.keysInForce).scalar?.text
    }

    /// Whether anything is there that only the keys it was made with can read or match.
    private func hasErased(on connection: any SQLConnection) async throws -> Bool {
        if try await connection.run(control.anyEntry).scalar?.integer != 0 { return true }
        if try await !connection.run(control.newestReceipts(1)).rows.isEmpty { return true }
        return try await !connection.run(control.wrappedKeys(1)).rows.isEmpty
    }

    /// Whether at least half of the verifiable data was made with these keys; also if there is none.
    private func isEvident(_ keys: KeyStore, on connection: any SQLConnection) async throws -> Bool {
        let receipts = try await connection.run(control.newestReceipts(Self.sample)).rows.compactMap { $0[0].text }
        let sealed = try await connection.run(control.wrappedKeys(Self.sample)).rows
        let signed = receipts.count { text in
            (try? CompactJWS.opened(text, type: ReceiptVerifier.type, by: keys.publicKeys)) != nil
        }
        let opened = sealed.count { row in
            guard let id = ControlStore.receipt(row[0]), case .bytes(let wrapped) = row[1] else { return false }
            return (try? keys.seal(run: id, wrappedKey: Data(wrapped))) != nil
        }
        return 2 * (signed + opened) >= receipts.count + sealed.count
    }

    private static let remedy =
        "Name the state directory that was used with this database (--state), or restore it from its back-up. Only "
        + "if its keys are permanently lost: farewell keys adopt (docs/operations/keys.md)."

    static let missing = FarewellError(
        "keys.not-here", .yoursToFix,
        "The state directory lacks the keys of this database, and new keys cannot recognise subjects that were "
            + "erased.",
        remedy: remedy)

    static let other = FarewellError(
        "keys.other", .yoursToFix,
        "The state directory has other keys than those of this database.", remedy: remedy)
}
