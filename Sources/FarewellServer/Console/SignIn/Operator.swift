// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellEngine
import Foundation

/// Who is at the console: what they may do, and a name that is nobody's address.
struct Operator: Sendable, Hashable {
    let role: Role
    /// A keyed hash of who they are where they sign in.
    let name: String

    /// What somebody may do.
    enum Role: String, Sendable, Hashable {
        /// See everything and change nothing.
        case looks = "look"
        /// Also hold, let go on, and deliver again.
        case operates = "operate"

        var mayAct: Bool { self == .operates }
    }

    /// As the audit log has them.
    var actor: String { "console:\(name)" }
}

/// Names operators by a keyed hash, so that the audit log tells them apart and tells nobody's address.
struct OperatorNames: Sendable {
    private let key: SymmetricKey

    init(_ authority: SessionAuthority) {
        self.init(key: SymmetricKey(data: authority.derivedKey(for: "farewell/operators/v1")))
    }

    init(key: SymmetricKey) { self.key = key }

    /// 64 bits, as hexadecimal digits.
    func name(issuer: String, subject: String) -> String {
        let words = Data("\(issuer)\u{0}\(subject)".utf8)
        return String(HMAC<SHA256>.authenticationCode(for: words, using: key).hexadecimal.prefix(16))
    }

    /// Of a token that administers people: its person, or its role where it is nobody's, as in `service.key`.
    func name(of claims: AccessTokenClaims) -> String {
        name(issuer: claims.iss ?? "", subject: claims.sub ?? "role \(claims.role ?? "")")
    }
}
