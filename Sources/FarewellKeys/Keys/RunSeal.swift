// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellSQL
import Foundation

/// Seals a run's data about its subject, so that only this run can read it, and only until the run ends.
///
/// Each run has a random key of 256 bits, wrapped by the master key. Once the wrapped key is destroyed, nothing can
/// open the sealed data, not even in back-ups and logs of the control store (NIST SP 800-88).
package struct RunSeal: Sendable, CustomReflectable {
    package let run: UUID
    private let key: Secret
    private let masterKey: Secret
    private let entropy: Entropy

    init(run: UUID, masterKey: Secret, entropy: Entropy) {
        self.run = run
        self.entropy = entropy
        self.masterKey = masterKey
        key = Secret(entropy.bytes(32))
    }

    init(run: UUID, wrappedKey: Data, masterKey: Secret, entropy: Entropy) throws {
        self.run = run
        self.entropy = entropy
        self.masterKey = masterKey
        key = Secret(Array(try Self.open(wrappedKey, under: masterKey, run, purpose: "key")))
    }

    /// The run's key, wrapped by the master key: stored with the run, and deleted at its end.
    package func wrappedKey() throws -> Data {
        try Self.seal(Data(key.bytes), under: masterKey, run, purpose: "key", entropy)
    }

    /// AES-256-GCM, bound to this run.
    package func seal(_ data: Data) throws -> Data {
        try Self.seal(data, under: key, run, purpose: "data", entropy)
    }

    /// - Throws: `seal.unreadable`, unless this run sealed the data and it is unchanged.
    package func open(_ sealed: Data) throws -> Data {
        try Self.open(sealed, under: key, run, purpose: "data")
    }

    /// A keyed hash of a value: 64 hexadecimal digits. Without the run's key it cannot be computed again.
    ///
    /// Equal values of different columns have different hashes.
    package func keyedHash(of value: SQLValue, column: ColumnName) -> String {
        var hash = KeyedHash(KeyedHash.Key(key: key.derived(for: "farewell/column/v1")), purpose: column.description)
        hash.add(value)
        return hash.finish()
    }

    /// 32 bytes for hashing the values of one column inside the database, derived from the run's key.
    package func columnKey(_ column: ColumnName) -> Secret {
        Secret(key.derived(for: "farewell/run/column \(column)/v1").withUnsafeBytes { Array($0) })
    }

    package var customMirror: Mirror { Mirror(self, children: ["run": run]) }

    private static func seal(
        _ data: Data, under key: Secret, _ run: UUID, purpose: String, _ entropy: Entropy
    ) throws -> Data {
        let nonce = try AES.GCM.Nonce(data: entropy.bytes(12))
        let box = try AES.GCM.seal(data, using: key.key, nonce: nonce, authenticating: label(run, purpose))
        return Data(box.nonce) + box.ciphertext + box.tag
    }

    private static func open(_ sealed: Data, under key: Secret, _ run: UUID, purpose: String) throws -> Data {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return try AES.GCM.open(box, using: key.key, authenticating: label(run, purpose))
        } catch {
            throw FarewellError(
                "seal.unreadable", .yoursToFix,
                "The present keys cannot open the sealed data of run \(run.text).",
                remedy: "Use the state directory that the run was started with.")
        }
    }

    private static func label(_ run: UUID, _ purpose: String) -> Data {
        Data("farewell/seal/\(purpose)/v1/\(run.text)".utf8)
    }
}
