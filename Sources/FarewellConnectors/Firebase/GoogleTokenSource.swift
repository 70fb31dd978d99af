// SPDX-License-Identifier: Apache-2.0

import Farewell
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

/// Tokens of whoever the plan or the machine says we are, kept until shortly before they end.
///
/// The secret `service_account` is the file that Google gives out, as it is; without it the credentials are found as
/// Google's own tools find them (``GoogleIdentity``). An emulator takes the token `owner` and asks for none.
package actor GoogleTokenSource {
    private let system: String
    private let scope: String
    private let identity: GoogleIdentity
    private let world: ConnectorWorld
    private let isEmulator: Bool
    private var held: GoogleToken?
    /// Whoever comes while a token is asked for waits for that one.
    private var asking: Task<GoogleToken, any Error>?
    /// Seconds before its end from which a token is no longer used.
    private static let margin = 60.0

    package init(_ system: SystemPlan, scope: String, isEmulator: Bool = false, world: ConnectorWorld) {
        self.system = system.name
        self.scope = scope
        self.world = world
        self.isEmulator = isEmulator
        identity = GoogleIdentity(system, world: world)
    }

    /// A token that is good.
    ///
    /// - Parameter refused: One that a service did not take, though it should be good.
    /// - Throws: `ConnectorFault`.
    package func token(insteadOf refused: GoogleToken? = nil) async throws -> GoogleToken {
        if isEmulator { return GoogleToken(text: "owner", expires: .infinity) }
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
        switch try identity.found() {
        case .account(let account):
            return try await exchange(
                account.tokenAddress,
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", try account.statement(scope: scope, at: world.now())),
                ])
        case .user(let client, let secret, let refresh, let address):
            // "Refreshing an access token", https://developers.google.com/identity/protocols/oauth2/web-server#offline
            return try await exchange(
                address,
                [
                    ("grant_type", "refresh_token"), ("client_id", client), ("client_secret", secret),
                    ("refresh_token", refresh),
                ])
        case .workload(let workload): return try await exchange(workload)
        case .metadata(let host):
            // https://cloud.google.com/compute/docs/metadata/querying-metadata
            let call = SystemCall(
                "GET", SystemAddress(unprotected: host), "/computeMetadata/v1/instance/service-accounts/default/token",
                query: [("scopes", scope.split(separator: " ").joined(separator: ","))],
                headers: [("Metadata-Flavor", "Google")], answers: [404], permission: GoogleIdentity.words)
            return try await token(of: call)
        }
    }

    private func exchange(_ address: String, _ form: [(name: String, value: String)]) async throws -> GoogleToken {
        let address = try SystemAddress(address, system: system)
        return try await token(
            of: SystemCall(
                "POST", address, address.base.isEmpty ? "/" : address.base,
                headers: [("content-type", "application/x-www-form-urlencoded")], body: PercentEncoding.form(form),
                answers: [400], permission: GoogleIdentity.words))
    }

    /// A workload's own token for one of Google's, and that for one of a service account where the file names it.
    ///
    /// https://cloud.google.com/iam/docs/workload-identity-federation; RFC 8693
    private func exchange(_ workload: GoogleIdentity.Workload) async throws -> GoogleToken {
        let first = try await exchange(
            workload.tokenAddress,
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", workload.audience),
                ("scope", "https://www.googleapis.com/auth/cloud-platform"),
                ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                ("subject_token_type", workload.kind), ("subject_token", workload.token),
            ])
        guard let impersonation = workload.impersonation else { return first }
        let address = try SystemAddress(impersonation, system: system)
        let scopes = scope.split(separator: " ").map { JSONValue.string(String($0)) }
        let call = SystemCall(
            "POST", address, "/",
            headers: [("content-type", "application/json"), ("Authorization", "Bearer \(first.text)")],
            body: Array(try JSONEncoder().encode(JSONValue.object(["scope": .array(scopes)]))),
            answers: [400, 403, 404],
            permission: "iam.serviceAccounts.getAccessToken")
        var written = call
        written.writtenPath = address.base
        return try await token(of: written)
    }

    private func token(of call: SystemCall) async throws -> GoogleToken {
        let caller = SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world)
        let reply = try await caller.send(call)
        let answer = try reply.json(from: system)
        guard reply.status == 200 else {
            guard answer["error"] != nil else { throw ConnectorFault.garbled(system, "an error without a name") }
            throw ConnectorFault.credentials(system, needs: call.permission)
        }
        // A service account that is impersonated tells a date, all others seconds.
        let seconds = answer["expires_in"]?.integer.map(Double.init)
        let date = answer["expireTime"]?.string.flatMap { try? Date($0, strategy: .iso8601) }
        let text = (answer["access_token"] ?? answer["accessToken"])?.string
        guard let text, let expires = seconds.map({ world.now() + $0 }) ?? date?.timeIntervalSince1970,
            !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw ConnectorFault.garbled(system, "no token") }
        return GoogleToken(text: text, expires: expires)
    }
}
