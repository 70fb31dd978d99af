// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Seals what the session authority stores. Each kind of value has a key of its own, derived from the installation's
/// master key.
package struct AuthoritySeal: Sendable {
    private let store: KeyStore
    private let entropy: Entropy
    /// Sealed every kind in versions that had one key for all of them; opens what they stored.
    let shared: SymmetricKey

    package init(_ store: KeyStore, entropy: Entropy) {
        self.store = store
        self.entropy = entropy
        shared = store.derivedKey(for: InstallationKey.formerSeal).key
    }

    /// AES-256-GCM under the key of its purpose, bound to its owner.
    ///
    /// - Parameter owner: The owner of the value, e.g. the identifier of a key.
    package func seal(_ bytes: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: entropy.bytes(12))
        let box = try AES.GCM.seal(
            bytes, using: key(of: purpose), nonce: nonce, authenticating: PurposeKey.joined(owner))
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// - Throws: `authority.other-keys` for what was sealed for another purpose, of another owner, or elsewhere.
    package func open(_ sealed: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            let opened = try? AES.GCM.open(box, using: key(of: purpose), authenticating: PurposeKey.joined(owner))
            if let opened { return Array(opened) }
            // An earlier version sealed it: under one key for all, with the purpose in its label.
            let label = ([purpose.rawValue] + owner).joined(separator: "/")
            return Array(try AES.GCM.open(box, using: shared, authenticating: Data(label.utf8)))
        } catch {
            throw Self.others
        }
    }

    package static let others = FarewellError(
        "authority.other-keys", .yoursToFix,
        "The keys of this state directory cannot open the sealed data of the session store.",
        remedy: "Use the state directory (keys.json) that created the store.")

    private func key(of purpose: SealPurpose) -> SymmetricKey { store.derivedKey(for: purpose).key }
}
