// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import Foundation

/// The session authority's own keys, each for one purpose, derived from the installation's master key. Servers that
/// share a database share these keys. Every call passes them on, so they are one object.
final class AuthorityKeys: Sendable {
    /// Makes a refresh token's successor from the token.
    let chain: KeyedCode
    /// Marks the refresh tokens that this installation made. A token without the mark is refused without a query.
    let mark: KeyedCode
    /// Makes sign-out tickets.
    let ticket: KeyedCode
    let entropy: Entropy
    /// Remembers removed signing keys, apart from the database.
    let stops: StopFile
    private let store: KeyStore
    /// Keys that hash short codes and names of accounts, which could be guessed from plain hashes; one for each
    /// purpose.
    private let lookups = Guarded<[LookupPurpose: PurposeKey]>([:])
    private let counters = Guarded<[CounterPurpose: PurposeKey]>([:])
    private let sealing: AuthoritySeal

    init(_ store: KeyStore, entropy: Entropy) {
        let make = { (purpose: AuthorityKeyPurpose) in store.derivedKey(for: purpose).key }
        chain = KeyedCode(make(.refreshChain))
        mark = KeyedCode(make(.refreshMark))
        ticket = KeyedCode(make(.signOutTicket))
        sealing = AuthoritySeal(store, entropy: entropy)
        stops = StopFile(store)
        self.store = store
        self.entropy = entropy
    }

    /// Seals under the key of a purpose (`AuthoritySeal`).
    func seal(_ bytes: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        try sealing.seal(bytes, purpose, of: owner)
    }

    /// - Throws: `authority.other-keys` for bytes that were sealed for another purpose or owner, or under other keys.
    func open(_ sealed: [UInt8], _ purpose: SealPurpose, of owner: [String]) throws -> [UInt8] {
        try sealing.open(sealed, purpose, of: owner)
    }

    /// A keyed hash of something short or guessable, for one purpose.
    func lookupHash(_ text: String, _ purpose: LookupPurpose) -> [UInt8] { lookupHash([text], purpose) }

    /// A keyed hash of several fields for one purpose. Each purpose has a key of its own, which is derived once.
    func lookupHash(_ fields: [String], _ purpose: LookupPurpose) -> [UInt8] { key(purpose, in: lookups).code(fields) }

    /// The name of a counter: a keyed hash of what it counts.
    func counterName(_ fields: [String], _ purpose: CounterPurpose) -> [UInt8] {
        key(purpose, in: counters).code(fields)
    }

    private func key<Purpose: KeyPurpose>(
        _ purpose: Purpose, in derived: Guarded<[Purpose: PurposeKey]>
    ) -> PurposeKey {
        derived.withLock { known in
            if let key = known[purpose] { return key }
            let made = store.purposeKey(purpose)
            known[purpose] = made
            return made
        }
    }

    /// Codes for a purpose outside the authority, such as forms of pages.
    func purposeKey(_ purpose: some KeyPurpose) -> PurposeKey { store.purposeKey(purpose) }
}
