// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A key of a Supabase project, in either of its forms (https://supabase.com/docs/guides/api/api-keys).
///
/// The newer keys begin with `sb_publishable_` or `sb_secret_` and are no tokens. The legacy ones are tokens that the
/// project's secret signs; their claims name a role and, in hosted projects, the project (`ref`).
package struct ProjectKey: Sendable {
    package enum Form: Sendable, Hashable { case publishable, secret, token }

    package let form: Form
    /// The role in a token.
    package let role: String?
    /// The project in a token of a hosted project.
    package let project: String?

    /// Roles of keys and of the project's own services; a user's token never has one of them.
    package static let roles: Set<String> = [
        "anon", "service_role", "supabase_admin", "supabase_auth_admin", "supabase_storage_admin",
        "supabase_realtime_admin", "supabase_read_only_user", "dashboard_user", "authenticator", "postgres",
    ]

    /// Whether text is a key in the newer form, which goes into `apikey` and never into `Authorization`.
    package static func isOpaque(_ text: String) -> Bool { text.utf8.starts(with: "sb_".utf8) }

    /// Reads only the text, and checks no signature. `nil` for text in neither form.
    package init?(_ text: String) {
        if text.utf8.starts(with: "sb_publishable_".utf8) {
            (form, role, project) = (.publishable, nil, nil)
        } else if Self.isOpaque(text) {
            (form, role, project) = (.secret, nil, nil)
        } else {
            let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 3, let bytes = Base64URL.bytes(String(decoding: parts[1], as: UTF8.self)),
                let claims = try? StrictJSON.value(bytes)
            else { return nil }
            (form, role, project) = (.token, claims["role"]?.string, claims["ref"]?.string)
        }
    }

    /// Whether a legacy key was signed by a secret (HS256).
    package static func isSigned(_ key: String, by secret: String) -> Bool {
        guard let token = try? CompactToken(key), token.algorithm == SignatureAlgorithm.hs256.rawValue,
            let secret = VerificationKey(secret: Array(secret.utf8))
        else { return false }
        return secret.verifies(token.signature, of: token.signedBytes)
    }

    /// Whether it is no user's token, though it was sent as one.
    package var isNoUser: Bool { form != .token || role.map(Self.roles.contains) == true }
}
