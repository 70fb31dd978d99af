// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSessions

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

    init(role: Role, name: String) {
        self.role = role
        self.name = name
    }

    /// Whoever a session was begun for; nil for a role that there no longer is.
    init?(_ session: ConsoleSession) {
        guard let role = Role(rawValue: session.role) else { return nil }
        self.init(role: role, name: session.name)
    }

    /// As the audit log has them.
    var actor: String { "console:\(name)" }
}

/// Names operators by a keyed hash, so that the audit log tells them apart and tells nobody's address.
struct OperatorNames: Sendable {
    private let key: PurposeKey

    init(_ authority: SessionAuthority) { self.init(key: authority.purposeKey("farewell/operator-name/v2")) }

    init(key: PurposeKey) { self.key = key }

    /// 64 bits, as hexadecimal digits.
    func name(issuer: String, subject: String) -> String {
        key.code([issuer, subject]).prefix(8).hexadecimal
    }

    /// Of a token that administers people: its person, or its role where it is nobody's, as in `service.key`.
    func name(of claims: AccessTokenClaims) -> String {
        name(issuer: claims.iss ?? "", subject: claims.sub ?? "role \(claims.role ?? "")")
    }
}
