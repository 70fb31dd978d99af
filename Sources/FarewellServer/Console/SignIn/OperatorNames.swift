// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSessions

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
