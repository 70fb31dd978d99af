// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// The contents of `keys.json`, with a checksum: a flipped bit in the pepper would otherwise stay undetected.
struct KeyFile: Sendable {
    private(set) var pepper: Secret
    private(set) var master: Secret
    private(set) var signingKey: SigningKey
    private(set) var signingSince: Date
    /// Newest first.
    private var retired: [Retired]

    private struct Retired: Codable {
        let since: String
        let until: String
        let x: String
    }

    static func made(with entropy: Entropy, at now: Date) -> KeyFile {
        KeyFile(
            pepper: Secret(entropy.bytes(32)), master: Secret(entropy.bytes(32)),
            signingKey: SigningKey(seed: entropy.bytes(32)), signingSince: now, retired: [])
    }

    mutating func rotate(with entropy: Entropy, at now: Date) {
        let old = Retired(
            since: UTCTime.text(signingSince), until: UTCTime.text(now),
            x: Base64URL.text(signingKey.publicKey.rawRepresentation))
        retired.insert(old, at: 0)
        signingKey = SigningKey(seed: entropy.bytes(32))
        signingSince = now
    }

    var publicKeys: PublicKeyList {
        let old = retired.compactMap { Base64URL.bytes($0.x).flatMap(SigningPublicKey.init(rawRepresentation:)) }
        return PublicKeyList([signingKey.publicKey] + old)
    }
}

extension KeyFile {
    private struct Contents: Codable {
        var check: String?
        let master: String
        let pepper: String
        let retired: [Retired]
        let signing: String
        let signingSince: String
        let version: Int

        /// SHA-256 of all other members.
        func checksum() throws -> String {
            var rest = self
            rest.check = nil
            return SHA256.hash(data: try CanonicalJSON.data(rest)).hexadecimal
        }
    }

    func written() throws -> Data {
        var contents = Contents(
            check: nil, master: Base64URL.text(master.bytes), pepper: Base64URL.text(pepper.bytes), retired: retired,
            signing: Base64URL.text(signingKey.seed), signingSince: UTCTime.text(signingSince), version: 1)
        contents.check = try contents.checksum()
        return try CanonicalJSON.data(contents) + Data("\n".utf8)
    }

    init(reading data: Data) throws {
        let corrupt = FarewellError(
            "keys.corrupt", .yoursToFix, "The key file (keys.json) was changed.",
            remedy: "Restore the file from its back-up; without it erased subjects cannot be recognised.")
        guard let contents = try? CanonicalJSON.value(Contents.self, from: data) else { throw corrupt }
        guard contents.version == 1 else {
            throw FarewellError(
                "keys.version", .yoursToFix,
                "The key file has format \(contents.version), which this version cannot read.",
                remedy: "Use the version of Farewell that wrote it, or a newer one.")
        }
        guard let check = try? contents.checksum(), check == contents.check,
            let master = Base64URL.bytes(contents.master), master.count == 32,
            let pepper = Base64URL.bytes(contents.pepper), pepper.count == 32,
            let seed = Base64URL.bytes(contents.signing), seed.count == 32,
            let since = UTCTime.date(contents.signingSince),
            contents.retired.allSatisfy({ Base64URL.bytes($0.x)?.count == 32 })
        else { throw corrupt }
        self.init(
            pepper: Secret(pepper), master: Secret(master), signingKey: SigningKey(seed: seed), signingSince: since,
            retired: contents.retired)
    }
}
