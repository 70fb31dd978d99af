// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellSQL
import Foundation

/// The keys of one installation, kept in its state directory in `keys.json`.
///
/// - The signing key signs receipts and heads of the audit log. It can be rotated: old public keys stay.
/// - The pepper (256 bits) keys the hashes of subjects. It is never replaced, since the ledger rests on it.
/// - The master key (256 bits) wraps the key of each run.
///
/// Without the file, receipts can still be verified with the published keys, but erased subjects are not recognised
/// after a restore: back the file up separately.
package struct KeyStore: Sendable {
    package let directory: StateDirectory
    private let entropy: Entropy
    private let file: KeyFile
    private let pepper: KeyedHash.Key

    private init(directory: StateDirectory, entropy: Entropy, file: KeyFile) {
        self.directory = directory
        self.entropy = entropy
        self.file = file
        pepper = KeyedHash.Key(key: file.pepper.key)
    }

    /// Reads the keys. Throws `keys.missing` if there are none, `keys.corrupt` if they were changed.
    package static func existing(in directory: StateDirectory, entropy: Entropy = .live) throws -> KeyStore {
        guard let data = try directory.read(fileName, limit: 1 << 20) else {
            throw missing
        }
        return KeyStore(directory: directory, entropy: entropy, file: try KeyFile(reading: data))
    }

    private static let missing = FarewellError(
        "keys.missing", .yoursToFix, "There are no keys (\(fileName)) in the state directory.",
        remedy: "Restore the file from its back-up, or name the right state directory.")

    /// The refusal of a state directory that has a ledger but no keys, as `prepared` throws it; `nil` for any other.
    package static func loss(at state: String) throws -> FarewellError? {
        do {
            let directory = try StateDirectory.existing(at: state)
            let hasKeys = try directory.contains(fileName)
            return try !hasKeys && hasJournal(in: directory) ? missing : nil
        } catch let error as FarewellError where error.code == "state.missing" {
            return nil
        }
    }

    /// The keys of a state directory; `nil` if there are none.
    package static func existing(at state: String) throws -> KeyStore? {
        do {
            return try KeyStore.existing(in: StateDirectory.existing(at: state))
        } catch let error as FarewellError where error.code == "state.missing" || error.code == "keys.missing" {
            return nil
        }
    }

    /// Reads the keys, or makes them in a state directory that has never had any. Safe in several processes at once.
    package static func prepared(
        in directory: StateDirectory, entropy: Entropy = .live, now: @Sendable () -> Date
    ) throws -> KeyStore {
        if try directory.contains(fileName) { return try existing(in: directory, entropy: entropy) }
        return try directory.locked {
            if try directory.contains(fileName) { return try existing(in: directory, entropy: entropy) }
            // New keys beside an old ledger would silently forget all its subjects.
            if try hasJournal(in: directory) { return try existing(in: directory, entropy: entropy) }
            let file = KeyFile.made(with: entropy, at: now())
            try directory.replace(fileName, with: try file.written())
            return KeyStore(directory: directory, entropy: entropy, file: file)
        }
    }

    private static func hasJournal(in directory: StateDirectory) throws -> Bool {
        try LedgerVolume.Journal.allCases.contains { try directory.contains($0.first.fileName) }
    }

    /// Keys in memory for a read-only command: their signatures and hashes have no value.
    package static func unsaved(now: @Sendable () -> Date) -> KeyStore {
        KeyStore(
            directory: StateDirectory(path: ""), entropy: .live, file: KeyFile.made(with: .live, at: now()))
    }

    /// Replaces the signing key. Signatures of the old one stay verifiable; its private half is destroyed.
    package func rotated(now: @Sendable () -> Date) throws -> KeyStore {
        try directory.locked {
            // Read again: another process may have rotated in the meantime.
            var latest = try Self.existing(in: directory, entropy: entropy).file
            latest.rotate(with: entropy, at: now())
            try directory.replace(Self.fileName, with: try latest.written())
            return KeyStore(directory: directory, entropy: entropy, file: latest)
        }
    }

    /// The present signing key.
    package var signingKey: SigningKey { file.signingKey }

    /// When the key that signs today was made.
    package var signingSince: Date { file.signingSince }

    /// The public halves of every key that ever signed, newest first: to be published.
    package var publicKeys: PublicKeyList { file.publicKeys }

    static let fileName = "keys.json"
}

extension KeyStore {
    /// The keyed hash of a subject: the same for the same table and key, whatever the column's type.
    package func subjectHash(table: TableName, key: SQLValue) -> SubjectHash {
        var hash = KeyedHash(pepper, purpose: "farewell/subject/v1")
        hash.add(table.description)
        hash.add(key)
        return SubjectHash(rawValue: hash.finish())
    }

    /// The keyed hash of one life of a key: different when an integer key is used again for another subject.
    ///
    /// `values` are values of the root row that stay the same for the same subject and differ between two,
    /// such as the moment of creation. Their order does not matter.
    package func incarnationHash(table: TableName, key: SQLValue, values: [String: SQLValue]) -> String {
        var hash = KeyedHash(pepper, purpose: "farewell/incarnation/v1")
        hash.add(table.description)
        hash.add(key)
        for (column, value) in values.sorted(by: { $0.key < $1.key }) {
            hash.add(column)
            hash.add(value)
        }
        return hash.finish()
    }

    /// A key of 256 bits for one purpose of the whole installation, lost with the master key.
    package func derivedKey(for purpose: some KeyPurpose) -> Secret {
        Secret(file.master.derived(for: purpose.label).withUnsafeBytes { Array($0) })
    }

    /// Distinguishes these keys from those of any other installation, without revealing them: 32 hexadecimal digits. A
    /// rotation of the signing key does not change it.
    package var identity: String {
        var hash = KeyedHash(pepper, purpose: "farewell/key-identity/v1")
        hash.add(derivedKey(for: InstallationKey.identity).bytes)
        return String(hash.finish().prefix(32))
    }

    /// The key that makes the ledger's lines unforgeable.
    var ledgerKey: KeyedHash.Key { KeyedHash.Key(key: file.pepper.derived(for: "farewell/ledger/v1")) }

    /// A fresh key for a run. Store its `wrappedKey` with the run, and delete that at the end.
    package func newSeal(run: UUID) -> RunSeal {
        RunSeal(run: run, masterKey: file.master, entropy: entropy)
    }

    /// The key of a run from what was stored. Throws `seal.unreadable` for another run's or a changed key.
    package func seal(run: UUID, wrappedKey: Data) throws -> RunSeal {
        try RunSeal(run: run, wrappedKey: wrappedKey, masterKey: file.master, entropy: entropy)
    }
}
