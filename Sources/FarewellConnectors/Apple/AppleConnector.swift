// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellVerifier
import Foundation

/// Sign in with Apple: revokes the subject's refresh token.
///
/// Apple answers 200 for any token, which proves nothing: only a refused refresh afterwards does. The subject's names
/// are refresh tokens, each after the client that it was issued to and a space, if that is not the setting's. This is
/// the form if `person` is `auth.provider_credentials.sealed_refresh_token`, the tokens that Farewell's own sign-in
/// keeps. Settings: `client`, `team`, `key_id`, `endpoint`; secrets: `private_key` (the `.p8` file's text).
///
/// The evidence that the place is the right one: Apple knows the client and its key, and says of another client's token
/// that it is one.
public struct AppleConnector: Connector {
    private let rest: RESTCaller
    private let world: ConnectorWorld
    private let secrets: SystemSecrets
    private let client: String
    private let team: String
    private let keyID: String
    public let declaration: ConnectorDeclaration
    private static let permission = "a key for Sign in with Apple"
    private static let usual = ConnectorDeclaration(
        abilities: [.verify], budget: RateBudget(burst: 10, perSecond: 10),
        permissions: ["a key for Sign in with Apple"],
        remarks: [
            ReceiptNote(
                about: "Sign in with Apple",
                note: "Apple keeps its own record that the subject once used their Apple account here.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .apple)
        declaration = try settings.paced(Self.usual)
        client = try settings.required("client")
        team = try settings.required("team")
        keyID = try settings.required("key_id")
        self.world = world
        secrets = SystemSecrets(system, world: world)
        rest = RESTCaller(
            system.name, at: try settings.address(else: "https://appleid.apple.com"), budget: declaration.budget,
            world: world, responses: .apple, reading: ResponseTable.appleWords)
    }

    /// A token that does not exist: Apple must know the client, and not the token.
    public func prove() async throws -> String? {
        let reply = try await rest.ask(
            "POST", "/auth/token",
            .form(try proof(of: client) + [("grant_type", "refresh_token"), ("refresh_token", "farewell-unused")]),
            answers: [400], permission: Self.permission)
        try requireDead(reply)
        return "Apple knows the client and its key"
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? { nil }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await request.eachName { name in
            let (client, token) = try parts(of: name)
            let reply = try await rest.ask(
                "POST", "/auth/revoke",
                .form(try proof(of: client) + [("token", token), ("token_type_hint", "refresh_token")]),
                answers: [400], permission: "a key for Sign in with Apple")
            guard reply.status != 200 else {
                // Apple's success has no body; an HTML page comes from another server.
                guard reply.headers["content-type"]?.lowercased().contains("html") != true else {
                    throw ConnectorFault.garbled(rest.system, "it is a page")
                }
                return
            }
            try requireDead(reply)
        }
        return .erased(request.names.count)
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        var left = 0
        for name in request.names {
            let (client, token) = try parts(of: name)
            let reply = try await rest.ask(
                "POST", "/auth/token",
                .form(try proof(of: client) + [("grant_type", "refresh_token"), ("refresh_token", token)]),
                answers: [400],
                permission: "a key for Sign in with Apple")
            let answer = try reply.json(from: rest.system)
            guard reply.status != 200 else {
                guard answer["access_token"]?.string != nil else {
                    throw ConnectorFault.garbled(rest.system, "no token")
                }
                left += 1
                continue
            }
            try requireDead(reply)
        }
        return left == 0 ? .gone : .left(left)
    }

    /// The client and the token of a name.
    ///
    /// - Throws: `ConnectorFault.unproved` for a name that is evidently no refresh token. Apple gives the same answer
    ///   to any other text as to a revoked token.
    private func parts(of name: String) throws -> (client: String, token: String) {
        var (client, token) = (client, name)
        if let space = name.utf8.firstIndex(of: UInt8(ascii: " ")) {
            client = String(decoding: name.utf8[..<space], as: UTF8.self)
            token = String(decoding: name.utf8[space...].dropFirst(), as: UTF8.self)
        }
        guard !token.isEmpty, !Self.isIdentifier(token), !Self.isOtherToken(token) else {
            throw ConnectorFault.unproved(
                rest.system,
                "the person's name there is an identifier, an address, a digest or a token of another kind, and no "
                    + "refresh token",
                remedy: "Set `person` to the column with the refresh tokens, such as "
                    + "auth.provider_credentials.sealed_refresh_token; then release the erasure.")
        }
        return (client, token)
    }

    /// Whether it is an address, a user's identifier, or of a form that programs give to identifiers and digests.
    private static func isIdentifier(_ token: String) -> Bool {
        guard case .text = NameForm(of: token) else { return true }
        let isUserOfApple = token.wholeMatch(of: /[0-9]{6}\.[0-9a-f]{32}\.[0-9]{4}/) != nil
        return isUserOfApple || token.containsByte(of: "@")
    }

    /// Whether it is an identity token, or an authorization code (`c0b0e….0.mruyq.…`) or access token (`a…`) of the
    /// form in which Apple writes these: a code is dead after five minutes, and an access token cannot be refreshed.
    private static func isOtherToken(_ token: String) -> Bool {
        token.hasBytePrefix("eyJ") || token.wholeMatch(of: /[ac][0-9a-f]{32}\.[0-9]+\..*/) != nil
    }

    /// Whether Apple knew us and says that the token is dead: its error for a wrong client is a 400 as well.
    private func requireDead(_ reply: SystemReply) throws {
        guard try reply.json(from: rest.system)["error"]?.string != nil else {
            throw ConnectorFault.garbled(rest.system, "an error without a name")
        }
        guard rest.line(reply).outcome == .absent else { throw rest.fault(reply, needs: Self.permission) }
    }

    /// Our client secret: a signed token, newly made for each call, so that it is never six months old.
    private func proof(of client: String) throws -> [(name: String, value: String)] {
        let key: P256.Signing.PrivateKey
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: try secrets.required("private_key"))
        } catch let fault as ConnectorFault {
            throw fault
        } catch {
            throw ConnectorFault.credentials(rest.system, needs: "a private key in the form that Apple gives out")
        }
        let now = Int64(world.now())
        let secret = try key.token(
            type: "JWT", keyID: keyID,
            [
                "iss": .string(team), "sub": .string(client), "aud": .string("https://appleid.apple.com"),
                "iat": .integer(now), "exp": .integer(now + 300),
            ])
        return [("client_id", client), ("client_secret", secret)]
    }
}
