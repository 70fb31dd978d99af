// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Farewell
import FarewellVerifier
import Foundation

/// A token that Google's services take for an hour. Shows nothing of itself.
package struct GoogleToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let text: String
    /// When it ends, in seconds since 1970.
    package let expires: Double

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Tokens for a service account: asked for with a statement that its key signs (RFC 7523, "Using OAuth 2.0 for Server
/// to Server Applications"), and kept until shortly before they end.
///
/// The secret `service_account` is the file that Google gives out, as it is.
package actor GoogleTokenSource {
    private let system: String
    private let scope: String
    private let secrets: SystemSecrets
    private let world: ConnectorWorld
    private var held: GoogleToken?
    /// Whoever comes while a token is asked for waits for that one.
    private var asking: Task<GoogleToken, any Error>?
    /// Seconds before its end from which a token is no longer used.
    private static let margin = 60.0

    package init(_ system: SystemPlan, scope: String, world: ConnectorWorld) {
        self.system = system.name
        self.scope = scope
        self.world = world
        secrets = SystemSecrets(system, world: world)
    }

    /// A token that is good.
    ///
    /// - Parameter refused: One that a service did not take, though it should be good.
    /// - Throws: `ConnectorFault`.
    package func token(insteadOf refused: GoogleToken? = nil) async throws -> GoogleToken {
        if let held, held != refused, held.expires - Self.margin > world.now() { return held }
        if let asking { return try await asking.value }
        let task = Task { try await fetch() }
        asking = task
        defer { asking = nil }
        let token = try await task.value
        held = token
        return token
    }

    private func fetch() async throws -> GoogleToken {
        let account = try account()
        let address = try SystemAddress(account.tokenAddress, system: system)
        let call = SystemCall(
            "POST", address, address.base, headers: [("content-type", "application/x-www-form-urlencoded")],
            body: PercentEncoding.form([
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                ("assertion", try statement(of: account)),
            ]), answers: [400], permission: Self.account)
        let caller = SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world)
        let reply = try await caller.send(call)
        let answer = try reply.json(from: system)
        guard reply.status == 200 else {
            guard answer["error"]?.string != nil else {
                throw ConnectorFault.garbled(system, "an error without a name")
            }
            throw ConnectorFault.credentials(system, needs: Self.account)
        }
        guard let text = answer["access_token"]?.string, let seconds = answer["expires_in"]?.integer,
            !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw ConnectorFault.garbled(system, "no token") }
        return GoogleToken(text: text, expires: world.now() + Double(seconds))
    }

    // MARK: Who we are

    /// For whom the statement is, wherever it is sent.
    private static let audience = "https://oauth2.googleapis.com/token"
    private static let account = "a service account and its key"

    private struct Account {
        let email: String
        let key: _RSA.Signing.PrivateKey
        let keyID: String?
        let tokenAddress: String
    }

    private func account() throws -> Account {
        let file = try? StrictJSON.value(Array(try secrets.required("service_account").utf8))
        guard let file, let email = file["client_email"]?.string, let pem = file["private_key"]?.string,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem),
            let parts = try? key.publicKey.getKeyPrimitives(), !WeakModulus.isOne(parts.modulus)
        else { throw ConnectorFault.credentials(system, needs: Self.account) }
        return Account(
            email: email, key: key, keyID: file["private_key_id"]?.string,
            tokenAddress: file["token_uri"]?.string ?? Self.audience)
    }

    private func statement(of account: Account) throws -> String {
        let now = Int64(world.now())
        var header: [String: JSONValue] = ["alg": .string("RS256"), "typ": .string("JWT")]
        header["kid"] = account.keyID.map(JSONValue.string)
        let claims: [String: JSONValue] = [
            "iss": .string(account.email), "scope": .string(scope), "aud": .string(Self.audience),
            "iat": .integer(now), "exp": .integer(now + 3_600),
        ]
        let parts = try [header, claims].map { Base64URL.text(try JSONEncoder().encode(JSONValue.object($0))) }
        let text = parts.joined(separator: ".")
        let signature = try account.key.signature(
            for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
        return "\(text).\(Base64URL.text(signature.rawRepresentation))"
    }
}
