// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// The keys of access tokens as they were at one version of the store.
struct KeySnapshot: Sendable {
    let version: Int64
    let schedule: KeySchedule
    let keys: [String: AccessTokenKey]
    /// The keys for tokens that name no key (`kid`). If a shared secret signs, it is the first one.
    let secrets: [AccessTokenKey]
    private let signsBySecret: Bool
    /// The keys by the exact headers of our own tokens.
    private let headers: [String: AccessTokenKey]
    /// These headers by the keys' names.
    private let headersByName: [String: String]

    init(
        version: Int64, stored: [(id: String, activeFrom: Date, key: AccessTokenKey)], settings: AuthoritySettings
    ) {
        self.version = version
        schedule = KeySchedule(stored.map { KeySchedule.Entry(id: $0.id, activeFrom: $0.activeFrom) })
        let keys = Dictionary(stored.map { ($0.id, $0.key) }, uniquingKeysWith: { first, _ in first })
        self.keys = keys
        var secrets = settings.sharedSecrets
        if case .hs256(let secret) = settings.signing {
            signsBySecret = true
            secrets.insert(secret, at: 0)
        } else {
            signsBySecret = false
        }
        self.secrets = secrets.map { .hs256(SymmetricKey(data: $0.bytes)) }
        let written = keys.map { (name: $0, header: Self.header($1, id: $0), key: $1) }
        headersByName = Dictionary(uniqueKeysWithValues: written.map { ($0.name, $0.header) })
        headers = Dictionary(written.map { ($0.header, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// The key that signs now, and the header of its tokens.
    func signer(at now: Date) throws -> (header: String, key: AccessTokenKey) {
        if signsBySecret, let secret = secrets.first { return (Self.header(secret, id: nil), secret) }
        guard let id = schedule.signer(at: now), let key = keys[id], let header = headersByName[id] else {
            throw FarewellError("authority.no-key", .ours, "The session store has no signing key.")
        }
        return (header, key)
    }

    /// The key of a token with exactly this header; `nil` for any header that we do not write.
    func key(ofHeader header: String) -> AccessTokenKey? { headers[header] }

    private static func header(_ key: AccessTokenKey, id: String?) -> String {
        let kid = id.map { #","kid":"\#($0)""# } ?? ""
        return Base64URL.text(Array(#"{"alg":"\#(key.algorithm)"\#(kid),"typ":"JWT"}"#.utf8))
    }

    /// The public halves as a JSON Web Key Set (RFC 7517), newest first; never a secret.
    var publicKeys: [[String: String]] {
        schedule.entries.reversed().compactMap { entry in
            guard let key = keys[entry.id], var members = key.publicMembers else { return nil }
            members["kid"] = entry.id
            members["alg"] = key.algorithm
            members["use"] = "sig"
            return members
        }
    }
}
