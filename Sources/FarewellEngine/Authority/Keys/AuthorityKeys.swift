// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// The session authority's own keys, each for one purpose, made from the installation's master key. Servers that
/// share a database share them.
struct AuthorityKeys: Sendable {
    /// Makes a refresh token's successor from the token.
    let chain: KeyedCode
    /// Marks refresh tokens as made here, so that others are refused without asking the database.
    let mark: KeyedCode
    /// Makes sign-out tickets.
    let ticket: KeyedCode
    /// Hashes short codes and the names of accounts, which could be guessed otherwise.
    private let lookup: KeyedCode
    private let sealing: SymmetricKey
    let entropy: Entropy

    init(_ store: KeyStore, entropy: Entropy) {
        let make = { (purpose: String) in store.derivedKey(for: "farewell/authority/\(purpose)/v1").key }
        chain = KeyedCode(make("refresh-chain"))
        mark = KeyedCode(make("refresh-mark"))
        ticket = KeyedCode(make("sign-out-ticket"))
        lookup = KeyedCode(make("lookup"))
        sealing = make("seal")
        self.entropy = entropy
    }

    /// AES-256-GCM, bound to what it is sealed for.
    func seal(_ bytes: [UInt8], for label: String) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: entropy.bytes(12))
        let box = try AES.GCM.seal(bytes, using: sealing, nonce: nonce, authenticating: Data(label.utf8))
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    func open(_ sealed: [UInt8], for label: String) throws -> [UInt8] {
        do {
            return Array(
                try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: sealing, authenticating: Data(label.utf8)))
        } catch {
            throw FarewellError(
                "authority.other-keys", .yoursToFix,
                "What the session store keeps sealed cannot be opened with the keys of this state directory.",
                remedy: "Use the state directory (keys.json) that the store was made with.")
        }
    }

    /// A keyed hash of something short or guessable, for one purpose.
    func lookupHash(_ text: String, purpose: String) -> [UInt8] {
        lookup.bytes(for: Array("\(purpose)\u{0}\(text)".utf8))
    }
}
