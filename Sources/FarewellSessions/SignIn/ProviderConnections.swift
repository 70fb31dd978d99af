// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The stored data about the users of identity providers.
struct ProviderConnections: AuthorityPart {
    let context: AuthorityContext

    /// The values that revoke a user's connection at a provider: the refresh token and the client it was issued to.
    func providerCredential(of user: UUID, provider: String) async throws -> ProviderCredential? {
        let rows = try await database.withConnection { connection in
            try await connection.run(store.credential(of: user, provider: provider))
        }.rows
        guard let row = rows.first else { return nil }
        var reader = RowReader(row)
        let token = try keys.open(try reader.requiredBytes(), .providerCredential, of: [provider, user.text])
        return ProviderCredential(
            refreshToken: String(decoding: token, as: UTF8.self), clientID: try reader.requiredText())
    }

    /// The user with this name at a provider; `nil` if no user signed in so.
    func person(at provider: String, named name: String) async throws -> UUID? {
        let found = store.person(at: provider, named: name)
        return try await database.run(found).scalar?.identifier
    }
}
