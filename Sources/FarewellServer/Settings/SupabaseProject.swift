// SPDX-License-Identifier: Apache-2.0

import FarewellSessions
import FarewellVerifier

/// A Supabase project of `erasures.issuers`, for `farewell doctor --supabase`.
package struct SupabaseProject: Sendable {
    /// Such as `https://abcdefgh.supabase.co`.
    package let address: String
    /// The address of its published keys.
    package let keys: String
    private let secret: IssuerSecret?

    init(address: String, keys: String, secret: IssuerSecret?) {
        self.address = address
        self.keys = keys
        self.secret = secret
    }

    /// Whether tokens signed by the legacy secret are accepted.
    package var hasSecret: Bool { secret != nil }

    /// Whether the secret is the one that signed a legacy key of the project; `nil` if none is given, and for a key
    /// in the newer form, which nothing signs.
    package func secretSigned(_ key: String) -> Bool? {
        guard ProjectKey(key)?.form == .token else { return nil }
        return secret.map { $0.signed(key) }
    }
}

extension ErasureSettings {
    /// The Supabase projects whose tokens are accepted.
    ///
    /// - Throws: errors of `trusted`.
    package func supabaseProjects() throws -> [SupabaseProject] {
        _ = try trusted()
        return try issuers.compactMap { try IssuerLine($0).project(issuerSecret) }
    }
}

extension ServeSettings {
    /// The server's public address, without a path: from `tokens.issuer`, or the address at which it listens.
    package var publicAddress: String {
        let issuer = completed().authority.issuer
        return issuer.utf8.suffix(ServerPaths.auth.utf8.count).elementsEqual(ServerPaths.auth.utf8)
            ? String(issuer.dropLast(ServerPaths.auth.count)) : issuer
    }
}
