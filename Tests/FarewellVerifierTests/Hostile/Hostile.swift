// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

@testable import FarewellVerifier

/// A token made to be refused, and the one reason for which it is.
struct Hostile: Sendable {
    let name: String
    let reason: TokenRefusal
    /// `nil` where the attack makes no sense against this issuer.
    let make: @Sendable (Trial) throws -> String?

    init(_ name: String, _ reason: TokenRefusal, _ make: @escaping @Sendable (Trial) throws -> String?) {
        self.name = name
        self.reason = reason
        self.make = make
    }

    /// A token with another header, well signed.
    static func header(
        _ name: String, _ reason: TokenRefusal, _ change: @escaping @Sendable (inout [String: JSONValue], Trial) -> Void
    ) -> Hostile {
        Hostile(name, reason) { trial in
            var header = trial.header
            change(&header, trial)
            return try trial.token(header, trial.claims)
        }
    }

    /// A token with other claims, well signed.
    static func claims(
        _ name: String, _ reason: TokenRefusal, _ change: @escaping @Sendable (inout [String: JSONValue], Trial) -> Void
    ) -> Hostile {
        Hostile(name, reason) { trial in
            var claims = trial.claims
            change(&claims, trial)
            return claims == trial.claims ? nil : try trial.token(trial.header, claims)
        }
    }

    /// A token with a claim of another value, well signed; `nil` for none.
    static func claim(_ claim: String, _ values: [JSONValue?], _ reason: TokenRefusal) -> [Hostile] {
        values.map { value in claims("\(claim) = \(value.map { "\($0)" } ?? "missing")", reason) { claims, _ in claims[claim] = value } }
    }

    /// A token with the bytes of its claims changed, well signed.
    static func payload(_ name: String, _ reason: TokenRefusal, _ change: @escaping @Sendable (String) -> String) -> Hostile {
        Hostile(name, reason) { trial in
            let payload = try Trial.text(trial.claims)
            return try trial.token(String(decoding: CanonicalJSON.data(trial.header), as: UTF8.self), change(payload))
        }
    }

    /// The good token with its text changed.
    static func text(_ name: String, _ reason: TokenRefusal, _ change: @escaping @Sendable (String) -> String) -> Hostile {
        Hostile(name, reason) { change(try $0.token()) }
    }

    /// The good token with another signature.
    static func signature(
        _ name: String, _ reason: TokenRefusal = .signature, _ change: @escaping @Sendable ([UInt8], Trial) throws -> [UInt8]?
    ) -> Hostile {
        Hostile(name, reason) { trial in
            let parts = try trial.token().split(separator: ".")
            guard let signature = Base64URL.bytes(parts[2]), let changed = try change(signature, trial) else { return nil }
            return "\(parts[0]).\(parts[1]).\(Base64URL.text(changed))"
        }
    }

    static let all = algorithms + signatures + keys + headers + structure + issuers + audiences + times + otherClaims
}
