// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Crypto
import Farewell
import FarewellSessions
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

/// Turns the authorization code of a Sign in with Apple into the refresh token that later revokes the connection
/// (Apple, "Generate and validate tokens").
struct AppleCodes: AuthorizationCodeExchanging {
    private let settings: AppleSettings
    private let key: P256.Signing.PrivateKey
    private let now: @Sendable () -> Date
    /// Follows no redirect: the code and the client secret are for the configured address.
    private let client = OwnHTTPClient()

    /// nil without settings.
    ///
    /// - Throws: `settings.unreadable` when the key file is not there or is no key.
    init?(_ settings: AppleSettings?, now: @escaping @Sendable () -> Date) throws {
        guard let settings else { return nil }
        let text = try SecretFile.text(settings.keyFile)
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text) else {
            throw FarewellError(
                "settings.unreadable", .yoursToFix, "The file of apple.key-file contains no private key in PEM.",
                remedy: "Give the .p8 file from Apple, unchanged.")
        }
        self.settings = settings
        self.key = key
        self.now = now
    }

    func refreshToken(for code: String, provider: IdentityProvider, clientID: String) async throws -> String? {
        guard provider.name == "apple" else { return nil }
        let form = [
            "client_id": clientID, "client_secret": try clientSecret(for: clientID), "code": code,
            "grant_type": "authorization_code",
        ]
        var request = HTTPClientRequest(url: settings.tokens)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        for (name, value) in TraceContext.currentFields { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: FormFields.written(form)))
        let response = try await client.client().execute(request, timeout: .seconds(8))
        let body = try await response.body.collect(upTo: 64 << 10)
        guard response.status == .ok else {
            throw FarewellError(
                "apple.code-refused", response.status.code >= 500 ? .tryAgain : .yoursToFix,
                "Apple did not exchange an authorization code: status \(response.status.code).")
        }
        return try? StrictJSON.value(Array(body.readableBytesView))["refresh_token"]?.string
    }

    /// A token signed by our key that says we are this client: five minutes long.
    private func clientSecret(for clientID: String) throws -> String {
        let issued = Int64(now().timeIntervalSince1970)
        return try key.token(
            type: "JWT", keyID: settings.keyID,
            [
                "iss": .string(settings.team), "sub": .string(clientID), "aud": .string("https://appleid.apple.com"),
                "iat": .integer(issued), "exp": .integer(issued + 300),
            ])
    }
}
