// SPDX-License-Identifier: Apache-2.0
import Farewell

/// An issuer's keys by their identifiers, each for one algorithm (RFC 7517, section 5).
struct KeySet: Sendable {
    enum Fault: String, Error {
        case tooLarge = "it is too large"
        case notASet = "it is not a key set"
        case tooManyKeys = "it has too many keys"
    }

    /// In bytes. The largest sets of real issuers are a few KiB.
    static let largest = 256 << 10
    static let mostKeys = 64

    private let keys: [String: VerificationKey]

    /// Keys of unknown kinds are skipped, as the specification requires; an identifier on two keys names neither.
    init(_ json: [UInt8], for algorithms: Set<SignatureAlgorithm>) throws(Fault) {
        guard json.count <= Self.largest else { throw .tooLarge }
        guard let published = (try? StrictJSON.value(json, depth: 8))?["keys"]?.array else { throw .notASet }
        guard published.count <= Self.mostKeys else { throw .tooManyKeys }
        var keys: [String: VerificationKey] = [:]
        var ambiguous: Set<String> = []
        for case .object(let jwk) in published {
            guard let id = jwk["kid"]?.string, id.isPlain(upTo: 256),
                let key = VerificationKey(published: jwk, for: algorithms)
            else { continue }
            if keys.updateValue(key, forKey: id) != nil { ambiguous.insert(id) }
        }
        self.keys = keys.filter { !ambiguous.contains($0.key) }
    }

    var count: Int { keys.count }

    subscript(id: String) -> VerificationKey? { keys[id] }
}
