// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Checks that access tokens were signed here, by keys that are still there.
struct AccessTokenCheck: AuthorityPart {
    let context: AuthorityContext
    let ring: KeyRing

    func claims(of token: String, now: Date) async throws -> (AccessTokenClaims, KeySnapshot) {
        var snapshot = try await ring.current()
        var claims = try AccessToken.claims(of: token, snapshot)
        if claims == nil {
            snapshot = try await ring.currentForUnknownKey(now: now)
            claims = try AccessToken.claims(of: token, snapshot)
        }
        guard let claims else { throw AccessToken.refused("key is unknown") }
        if let issued = claims.iat, Double(issued) > now.timeIntervalSince1970 + 60 {
            throw AccessToken.refused("token is used before it was issued")
        }
        if let start = claims.nbf, Double(start) > now.timeIntervalSince1970 + 60 {
            throw AccessToken.refused("token is not good yet")
        }
        return (claims, snapshot)
    }

    /// Refuses a token whose key any server has removed since `snapshot` was read. For tokens without a look-up of a
    /// session. A shared secret is not kept in the database, and its tokens are valid here.
    func checkKey(of token: String, _ snapshot: KeySnapshot) async throws {
        guard AccessToken.isByStoredKey(token, snapshot) else { return }
        let version = try await ring.storedVersion()
        if version > snapshot.version { try await checkKey(of: token, atLeast: version) }
    }

    /// The keys have changed since: is the one that signed this still among them?
    func checkKey(of token: String, atLeast version: Int64) async throws {
        let snapshot = try await ring.current(atLeast: version)
        guard try AccessToken.claims(of: token, snapshot) != nil else { throw AccessToken.refused("key is unknown") }
    }
}
