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
        let found = try await store.credentials.find(of: user, provider: provider).run(in: database)
        guard let (sealed, clientID) = found else { return nil }
        let token = try keys.open(sealed, .providerCredential, of: [provider, user.text])
        return ProviderCredential(refreshToken: String(decoding: token, as: UTF8.self), clientID: clientID)
    }

    /// The user with this name at a provider; `nil` if no user signed in so.
    func person(at provider: String, named name: String) async throws -> UUID? {
        try await store.identities.user(at: provider, named: name).run(in: database)
    }
}
