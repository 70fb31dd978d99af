// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSessions

/// The operator at the console: a role, and a name that contains no address.
struct Operator: Sendable, Hashable {
    let role: Role
    /// A keyed hash of the identity with which the operator signs in.
    let name: String

    /// The acts that an operator may do.
    enum Role: String, Sendable, Hashable {
        /// See everything and change nothing.
        case looks = "look"
        /// Also hold, end a hold, and deliver again.
        case operates = "operate"

        var mayAct: Bool { self == .operates }
    }

    init(role: Role, name: String) {
        self.role = role
        self.name = name
    }

    /// The operator of a session; nil for a role that no longer exists.
    init?(_ session: ConsoleSession) {
        guard let role = Role(rawValue: session.role) else { return nil }
        self.init(role: role, name: session.name)
    }

    /// The name in the audit log.
    var actor: String { "console:\(name)" }
}

/// Names operators by a keyed hash, so that the audit log distinguishes them without any address.
struct OperatorNames: Sendable {
    private let key: PurposeKey

    init(_ authority: SessionAuthority) { self.init(key: authority.purposeKey(InstallationKey.operatorName)) }

    init(key: PurposeKey) { self.key = key }

    /// 64 bits, as hexadecimal digits.
    func name(issuer: String, subject: String) -> String {
        key.code([issuer, subject]).prefix(8).hexadecimal
    }

    /// The name for a token that administers users: its subject, or its role if it has none, as in `service.key`.
    func name(of claims: AccessTokenClaims) -> String {
        name(issuer: claims.iss ?? "", subject: claims.sub ?? "role \(claims.role ?? "")")
    }
}
