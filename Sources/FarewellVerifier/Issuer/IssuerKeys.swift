// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// The source of an issuer's keys and their algorithms.
public struct IssuerKeys: Sendable {
    enum Source: Sendable {
        case published(URL)
        case fixed(KeySet)
    }

    struct Secret: Sendable {
        let key: VerificationKey
        let id: String?
        /// Whether a token may give the key any name (`kid`).
        var answersToAnyName = false

        func answers(to name: String?) -> Bool { name == nil || answersToAnyName || name == id }
    }

    let algorithms: Set<SignatureAlgorithm>
    let source: Source?
    let secret: Secret?

    /// A set that the issuer publishes at an address: HTTPS, or HTTP on the loopback interface.
    ///
    /// A key in it without an `alg` of its own is for the one of `algorithms` that its type allows; if it allows two,
    /// name one.
    ///
    /// Throws `verifier.address` for an address that is neither; `verifier.algorithms` for none, or for HS256.
    public static func published(
        at address: String, for algorithms: Set<SignatureAlgorithm>
    ) throws(FarewellError) -> IssuerKeys {
        IssuerKeys(
            algorithms: try publicOnly(algorithms), source: .published(try SafeAddress.url(address)), secret: nil)
    }

    /// A given set, as JSON (RFC 7517, section 5). It is read once and never fetched.
    ///
    /// Throws `verifier.key-set` if it cannot be read or holds no key for `algorithms`; `verifier.algorithms`.
    public static func fixed(
        _ json: some Sequence<UInt8>, for algorithms: Set<SignatureAlgorithm>
    ) throws(FarewellError) -> IssuerKeys {
        let algorithms = try publicOnly(algorithms)
        guard let set = try? KeySet(Array(json), for: algorithms), set.count > 0 else {
            throw FarewellError(
                "verifier.key-set", .yoursToFix, "The key set of an issuer contains no usable key.",
                remedy: "Give a JSON Web Key Set with public keys, each with a `kid`, for the algorithms named.")
        }
        return IssuerKeys(algorithms: algorithms, source: .fixed(set), secret: nil)
    }

    /// A secret shared with the issuer (HS256), at least 32 bytes.
    ///
    /// `keyID` is its name in tokens (`kid`), if they name it. A token that names another key is refused; a token that
    /// names none is not. Throws `verifier.secret` for a secret that is shorter.
    public static func secret(_ secret: String, keyID: String? = nil) throws(FarewellError) -> IssuerKeys {
        guard let key = VerificationKey(secret: Array(secret.utf8)) else {
            throw FarewellError(
                "verifier.secret", .yoursToFix,
                "The secret shared with an issuer is shorter than \(VerificationKey.shortestSecret) bytes.",
                remedy: "Use the issuer's whole secret, or a longer one.")
        }
        return IssuerKeys(algorithms: [.hs256], source: nil, secret: Secret(key: key, id: keyID))
    }

    /// These keys and a shared secret, for an issuer that is moving from one to the other.
    ///
    /// Throws as ``secret(_:keyID:)``.
    public func andSecret(_ secret: String, keyID: String? = nil) throws(FarewellError) -> IssuerKeys {
        let other = try Self.secret(secret, keyID: keyID)
        return IssuerKeys(algorithms: algorithms.union(other.algorithms), source: source, secret: other.secret)
    }

    /// The same keys, where the issuer gives its shared secret a name that only the issuer knows, as hosted Supabase
    /// projects do: a token may name any key in its `kid`, or none.
    ///
    /// A name chooses nothing here: HS256 is checked by the secret alone, and by no other key. A secret that was given
    /// a `keyID` keeps to it.
    public var withSecretUnderAnyName: IssuerKeys {
        guard var any = secret, any.id == nil else { return self }
        any.answersToAnyName = true
        return IssuerKeys(algorithms: algorithms, source: source, secret: any)
    }

    private static func publicOnly(
        _ algorithms: Set<SignatureAlgorithm>
    ) throws(FarewellError) -> Set<SignatureAlgorithm> {
        guard !algorithms.isEmpty, !algorithms.contains(.hs256) else {
            throw FarewellError(
                "verifier.algorithms", .yoursToFix, "An issuer's published keys need an algorithm with public keys.",
                remedy: "Name one or more of ES256, ES384, EdDSA, RS256 and PS256.")
        }
        return algorithms
    }
}
