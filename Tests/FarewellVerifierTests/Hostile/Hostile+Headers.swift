// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

@testable import FarewellVerifier

extension Hostile {
    // MARK: Items 2, 3: the algorithm is ours to choose

    static let algorithms: [Hostile] =
        ["none", "None", "NONE", "NoNe", "nOnE", "none ", " none"].flatMap { name in
            [
                header("alg \(name), signed", .algorithm) { header, _ in header["alg"] = .string(name) },
                Hostile("alg \(name), unsigned", .algorithm) { trial in
                    let parts = try trial.token(trial.header.merging(["alg": .string(name)]) { $1 }, trial.claims).split(separator: ".")
                    return "\(parts[0]).\(parts[1])."
                },
            ]
        }
        + ["es256", "hs256", "HS384", "HS512", "RS512", "ES256K", "dir", "RSA-OAEP", "A128KW", "SHA256"].map { name in
            header("alg \(name)", .algorithm) { header, _ in header["alg"] = .string(name) }
        }
        + ([nil, .null, 1, "", .array(["ES256"]), .object([:]), "ES256\u{0}", "\u{212a}"] as [JSONValue?]).map { value in
            header("alg \(String(describing: value))", .malformed) { header, _ in header["alg"] = value }
        }
        + SignatureAlgorithm.allCases.map { other in
            Hostile("alg \(other.rawValue) by a key that is for another", .algorithm) { trial in
                guard other != trial.key.algorithm, other != .hs256 else { return nil }
                return try trial.token(trial.header.merging(["alg": .string(other.rawValue)]) { $1 }, trial.claims)
            }
        }
        + (0..<8).map { which in
            // Where the issuer has a secret as well, it is that secret the signature is held against.
            Hostile("HS256 with the public key as its secret, writing \(which)", .algorithm) { trial in
                guard !trial.testDescription.contains("moving") else { return nil }
                return try confused(trial, which)
            }
        }
        + (0..<8).map { which in
            Hostile("HS256 with the public key as its secret beside a secret of its own, writing \(which)", .signature) { trial in
                guard trial.testDescription.contains("moving") else { return nil }
                return try confused(trial, which, keyID: nil)
            }
        }

    private static func confused(_ trial: Trial, _ which: Int, keyID: String? = "same") throws -> String? {
        let writings = trial.key.writings + (trial.key.members.isEmpty ? [] : [trial.key.jwk(), ""])
        guard which < writings.count else { return nil }
        var header = trial.header
        header["alg"] = "HS256"
        if keyID == nil { header["kid"] = nil }
        let input = try trial.token(header, trial.claims).split(separator: ".").prefix(2).joined(separator: ".")
        return "\(input).\(Base64URL.text(ForgedKey.hmac(Array(input.utf8), Array(writings[which].utf8))))"
    }

    // MARK: Item 1: the signature

    static let signatures: [Hostile] = [
        signature("no signature") { _, _ in [] },
        signature("a byte less") { signature, _ in Array(signature.dropLast()) },
        signature("a byte more") { signature, _ in signature + [0] },
        signature("nothing but zeros") { signature, _ in signature.map { _ in 0 } },
        signature("nothing but ones") { signature, _ in signature.map { _ in 255 } },
        signature("r and s are one") { signature, trial in
            guard [.es256, .es384].contains(trial.key.algorithm) else { return nil }
            let half = [UInt8](repeating: 0, count: signature.count / 2 - 1) + [1]
            return half + half
        },
        signature("halves swapped") { signature, _ in
            Array(signature[(signature.count / 2)...] + signature[..<(signature.count / 2)])
        },
        signature("in DER") { signature, trial in
            guard trial.key.algorithm == .es256 else { return nil }
            let half = { (bytes: ArraySlice<UInt8>) -> [UInt8] in [2, 33, 0] + bytes }
            return [0x30, 70] + half(signature[..<32]) + half(signature[32...])
        },
        signature("of half the content") { _, trial in try trial.key.sign(Array("half".utf8)) },
        Hostile("signature of another token", .signature) { trial in
            let other = try trial.token(trial.header, trial.claims.merging(["sub": "somebody-else"]) { $1 })
            let mine = try trial.token().split(separator: ".")
            return "\(other.split(separator: ".").prefix(2).joined(separator: ".")).\(mine[2])"
        },
        Hostile("signature by another key of the same kind", .signature) { trial in
            guard trial.key.algorithm == .es256 else { return nil }
            return try trial.token(json(trial.header), Trial.text(trial.claims), by: .es256("other"))
        },
        Hostile("signature by another secret", .signature) { trial in
            guard trial.key.algorithm == .hs256 else { return nil }
            return try trial.token(json(trial.header), Trial.text(trial.claims), by: .secret(Trial.secret + " "))
        },
        Hostile("signature by no secret", .signature) { trial in
            guard trial.key.algorithm == .hs256 else { return nil }
            return try trial.token(json(trial.header), Trial.text(trial.claims), by: .secret(""))
        },
    ]

    static func json(_ header: [String: JSONValue]) throws -> String {
        String(decoding: try CanonicalJSON.data(header), as: UTF8.self)
    }

    // MARK: Items 4, 5: the key's identifier

    static let keys: [Hostile] =
        [
            "unknown", "../../dev/null", "/dev/null", "' OR 1=1 --", "f-1'; DROP TABLE keys", "https://evil.example/k.json",
            "file:///etc/passwd", "$(id)", "f-1 ", " f-1", "F-1", "f-2 f-1", "*", "0", String(repeating: "k", count: 256),
        ].map { id in header("kid \(id.prefix(40))", .key) { header, _ in header["kid"] = .string(id) } }
        + [
            Hostile("no kid, where there are keys to choose from", .key) { trial in
                guard trial.key.algorithm != .hs256 else { return nil }
                return try trial.token(trial.header.filter { $0.key != "kid" }, trial.claims)
            }
        ]
        + ([
            .null, 1, "", .array(["f-1"]), .object([:]), "\u{0}", "f-1\n", "f-1\u{0}", "ü", "\u{212a}",
            .string(String(repeating: "k", count: 257)), .string(String(repeating: "k", count: 1 << 20)),
        ] as [JSONValue]).map { id in
            header("kid \(String(describing: id).prefix(40))", .malformed) { header, _ in header["kid"] = id }
        }

    // MARK: Items 6, 9: other members of a header

    static let headers: [Hostile] =
        ["logout+jwt", "secevent+jwt", "dpop+jwt", "at+jwt", "application/at+jwt", "JWE", "JOSE", "refresh", "kb+jwt"].map { type in
            header("typ \(type)", .purpose) { header, _ in header["typ"] = .string(type) }
        }
        + ([.null, 1, "", .array(["JWT"]), "JWT\n", "J\u{212a}T"] as [JSONValue]).map { type in
            header("typ \(type)", .malformed) { header, _ in header["typ"] = type }
        }
        + ([.array([]), .array(["exp"]), .array(["b64"]), .null, "exp", .object([:])] as [JSONValue]).map { critical in
            header("crit \(critical)", .malformed) { header, _ in
                header["crit"] = critical
                header["b64"] = false
                header["exp"] = 1
            }
        }
        + ["jwk", "jku", "x5u", "x5c"].flatMap { member in
            [
                Hostile("a key of its own in \(member), under the issuer's identifier", .signature) { trial in
                    try pointing(trial, member, at: trial.key.id)
                },
                Hostile("a key of its own in \(member), under its own identifier", .key) { trial in
                    try pointing(trial, member, at: "mine")
                },
            ]
        }

    /// A token signed by a foreign key, which its header contains or points to.
    private static func pointing(_ trial: Trial, _ member: String, at id: String?) throws -> String? {
        guard trial.key.algorithm == .es256 || trial.key.algorithm == .edDSA else { return nil }
        let own: ForgedKey = trial.key.algorithm == .es256 ? .es256("mine") : .edDSA("mine")
        var header = trial.header
        header["kid"] = id.map { .string($0) }
        switch member {
        case "jwk": header["jwk"] = .object(own.members.mapValues { .string($0) })
        case "x5c": header["x5c"] = .array([.string(own.writings[0])])
        default: header[member] = .string("https://127.0.0.1:9/keys.json")
        }
        return try trial.token(json(header), Trial.text(trial.claims), by: own)
    }
}
