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
    let entropy: Entropy
    private let store: KeyStore
    /// Hash short codes and the names of accounts, which could be guessed otherwise: a key for each purpose.
    private let lookups = Guarded<[String: PurposeKey]>([:])
    /// Sealed every kind in versions that had one key for all of them; opens what they stored.
    let sharedSeal: SymmetricKey

    init(_ store: KeyStore, entropy: Entropy) {
        let make = { (purpose: String) in store.derivedKey(for: "farewell/authority/\(purpose)/v1").key }
        chain = KeyedCode(make("refresh-chain"))
        mark = KeyedCode(make("refresh-mark"))
        ticket = KeyedCode(make("sign-out-ticket"))
        sharedSeal = make("seal")
        self.store = store
        self.entropy = entropy
    }

    /// AES-256-GCM under the key of its purpose, bound to what it is sealed for.
    ///
    /// - Parameter owner: Whose value it is, e.g. the identifier of a key.
    func seal(_ bytes: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: entropy.bytes(12))
        let box = try AES.GCM.seal(
            bytes, using: key(of: purpose), nonce: nonce, authenticating: PurposeKey.joined(owner))
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// - Throws: `authority.other-keys` for what was sealed for another purpose, of another owner, or elsewhere.
    func open(_ sealed: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            let opened = try? AES.GCM.open(box, using: key(of: purpose), authenticating: PurposeKey.joined(owner))
            if let opened { return Array(opened) }
            // An earlier version sealed it: under one key for all, with the purpose in its label.
            let label = ([purpose.rawValue] + owner).joined(separator: "/")
            return Array(try AES.GCM.open(box, using: sharedSeal, authenticating: Data(label.utf8)))
        } catch {
            throw Self.others
        }
    }

    static let others = FarewellError(
        "authority.other-keys", .yoursToFix,
        "What the session store keeps sealed cannot be opened with the keys of this state directory.",
        remedy: "Use the state directory (keys.json) that the store was made with.")

    private func key(of purpose: SealPurpose) -> SymmetricKey {
        store.derivedKey(for: "farewell/authority/seal/\(purpose.rawValue)/v1").key
    }

    /// A keyed hash of something short or guessable, for one purpose.
    func lookupHash(_ text: String, purpose: String) -> [UInt8] { lookupHash([text], purpose: purpose) }

    /// A keyed hash of several fields for one purpose.
    ///
    /// - Parameter purpose: A constant. Each has a key of its own, which is derived once.
    func lookupHash(_ fields: [String], purpose: String) -> [UInt8] {
        let key = lookups.withLock { known in
            if let key = known[purpose] { return key }
            let made = store.purposeKey("farewell/authority/lookup/\(purpose)/v1")
            known[purpose] = made
            return made
        }
        return key.code(fields)
    }

    /// Codes for a purpose outside the authority, such as forms of pages.
    func purposeKey(_ purpose: String) -> PurposeKey { store.purposeKey(purpose) }
}

/// What the session store keeps sealed. Each kind has a key of its own. The raw values are stored nowhere but in the
/// labels of earlier versions.
enum SealPurpose: String, Sendable, Hashable, CaseIterable {
    case signingKey = "signing-key"
    case mail
    case providerCredential = "provider-credential"
}
