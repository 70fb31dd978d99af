// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Tokens of the identity in the plan or on the machine, kept until shortly before they expire.
///
/// The secret `service_account` is Google's file, unchanged; without it the credentials are found as Google's own tools
/// find them (``GoogleIdentity``). An emulator accepts the token `owner`, and none is fetched.
package actor GoogleTokenSource {
    private let system: String
    private let scope: String
    private let identity: GoogleIdentity
    private let world: ConnectorWorld
    private let isEmulator: Bool
    private var held: GoogleToken?
    /// Whether the metadata server was ever there: then its silence is a trouble that passes.
    private var hasMetadata = false
    /// A caller that arrives during a fetch waits for its result.
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

    /// A valid token.
    ///
    /// - Parameter refused: One that a service did not take, though it should be good.
    /// - Throws: `ConnectorFault`.
    package func token(insteadOf refused: GoogleToken? = nil) async throws -> GoogleToken {
        if isEmulator { return GoogleToken(text: "owner", expires: .infinity, quotaProject: nil) }
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
        let found = try identity.found()
        var token = try await token(for: found.kind, scope: scope)
        token.quotaProject = found.quotaProject
        return token
    }

    private func token(for kind: GoogleIdentity.Kind, scope: String) async throws -> GoogleToken {
        switch kind {
        case .account(let account):
            return try await exchange(
                account.tokenAddress,
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", try account.statement(scope: scope, at: world.now())),
                ], needs: GoogleIdentity.words)
        case .user(let user):
            // "Refreshing an access token", https://developers.google.com/identity/protocols/oauth2/web-server#offline
            let form = [("grant_type", "refresh_token"), ("refresh_token", user.refresh)]
            let own = [("client_id", user.client), ("client_secret", user.secret)]
            return try await exchange(
                user.tokenAddress, user.isWorkforce ? form : form + own,
                client: user.isWorkforce ? (user.client, user.secret) : nil,
                needs: "a sign-in that has not ended (gcloud auth application-default login)")
        case .workload(let workload): return try await exchange(workload, scope: scope)
        case .impersonated(let source, let impersonation):
            let first = try await token(for: source, scope: "https://www.googleapis.com/auth/cloud-platform")
            return try await token(of: impersonation, scope: scope, standingIn: first)
        case .metadata(let host, let isNamed): return try await lent(by: host, isNamed: isNamed)
        }
    }

    /// https://cloud.google.com/compute/docs/metadata/querying-metadata
    private func lent(by host: String, isNamed: Bool) async throws -> GoogleToken {
        let call = SystemCall(
            "GET", SystemAddress(unprotected: host), "/computeMetadata/v1/instance/service-accounts/default/token",
            query: [("scopes", scope.split(separator: " ").joined(separator: ","))],
            headers: [("Metadata-Flavor", "Google")], answers: [404], permission: GoogleIdentity.words)
        do {
            let token = try await token(of: call)
            hasMetadata = true
            return token
        } catch let fault as ConnectorFault
            where fault.error.code != "connector.credentials" && !hasMetadata && !isNamed
        {
            // No machine of Google's.
            throw identity.nowhere
        }
    }

    /// - Parameter client: The client, if a header identifies it.
    private func exchange(
        _ address: String, _ form: [(name: String, value: String)], client: (id: String, secret: String)? = nil,
        needs permission: String
    ) async throws -> GoogleToken {
        let address = try SystemAddress.met(address, system: system)
        var call = SystemCall(
            "POST", address, address.base.isEmpty ? "/" : address.base,
            headers: [("content-type", "application/x-www-form-urlencoded")], body: PercentEncoding.form(form),
            answers: [400], permission: permission)
        if let client {
            let proof = Data("\(client.id):\(client.secret)".utf8).base64EncodedString()
            call.headers.append(("Authorization", "Basic \(proof)"))
        }
        return try await token(of: call)
    }

    // MARK: A workload

    /// A workload's own token for one of Google's.
    ///
    /// https://cloud.google.com/iam/docs/workload-identity-federation; RFC 8693
    private func exchange(_ workload: GoogleWorkload, scope: String) async throws -> GoogleToken {
        var form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", workload.audience),
            ("scope", scope),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("subject_token_type", workload.kind), ("subject_token", try await subjectToken(workload)),
        ]
        if let project = workload.userProject, workload.client == nil {
            let options = try JSONEncoder().encode(["userProject": project])
            // Encoded separately, and then once more as part of the form.
            form.append(("options", PercentEncoding.text(String(decoding: options, as: UTF8.self))))
        }
        return try await exchange(
            workload.tokenAddress, form, client: workload.client,
            needs: "a workload identity whose token Google's token service accepts")
    }

    private func subjectToken(_ workload: GoogleWorkload) async throws -> String {
        let bytes: [UInt8]?
        let form: GoogleWorkload.Form
        switch workload.source {
        case .aws(let source): return try await source.token(for: workload.audience, system: system, world: world)
        case .file(let path, let written): (bytes, form) = (world.read(path), written)
        case .address(let text, let headers, let written):
            let (address, path) = try SystemAddress.ofTokens(text, system: system)
            var call = SystemCall("GET", address, "/", permission: "the workload's token at the address of its file")
            call.writtenPath = path
            call.headers = headers
            bytes = try await SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world).send(call).body
            form = written
        }
        guard let bytes, let token = GoogleWorkload.token(in: bytes, form) else {
            throw ConnectorFault.credentials(system, needs: "a workload's token in the place of credential_source")
        }
        return token
    }

    // MARK: Standing in

    private func token(
        of impersonation: GoogleIdentity.Impersonation, scope: String, standingIn first: GoogleToken
    ) async throws -> GoogleToken {
        let address = try SystemAddress.met(impersonation.address, system: system)
        let body: [String: JSONValue] = [
            "scope": .array(scope.split(separator: " ").map { .string(String($0)) }),
            "delegates": .array(impersonation.delegates.map(JSONValue.string)),
            "lifetime": .string("\(impersonation.lifetime)s"),
        ]
        var call = SystemCall(
            "POST", address, "/",
            headers: [("content-type", "application/json"), ("Authorization", "Bearer \(first.text)")],
            body: Array(try JSONEncoder().encode(JSONValue.object(body))), answers: [400, 403, 404],
            permission: "iam.serviceAccounts.getAccessToken")
        call.writtenPath = address.base
        return try await token(of: call)
    }

    /// An error of the sign-in that passes, in words. A 400 has these of RFC 6749 (4.1.2.1) as well, as Google's own
    /// clients know (github.com/googleapis/google-auth-library-python, `google/oauth2/_client.py`).
    ///
    /// - Returns: `nil` if the credentials are the cause.
    private static func passing(_ error: String, _ description: String) -> String? {
        let troubles = ["internal_failure", "server_error", "temporarily_unavailable"]
        if let trouble = troubles.first(where: { $0 == error || $0 == description }) { return trouble }
        let isUntimely = error == "invalid_grant" && description.containsBytes("reasonable timeframe")
        return isUntimely ? "this machine's clock differs from that of its sign-in" : nil
    }

    private func token(of call: SystemCall) async throws -> GoogleToken {
        let caller = SystemCaller("\(system) (sign-in)", budget: RateBudget(), world: world)
        let reply = try await caller.send(call)
        let answer = try reply.json(from: system)
        guard reply.status == 200 else {
            guard let error = answer["error"] else { throw ConnectorFault.garbled(system, "an error without a name") }
            if let what = Self.passing(error.string ?? "", answer["error_description"]?.string ?? "") {
                throw ConnectorFault.passing(system, what)
            }
            throw ConnectorFault.credentials(system, needs: call.permission)
        }
        // An impersonated service account returns a date, all others seconds, some of them as text.
        let seconds = answer["expires_in"].flatMap { $0.integer.map(Double.init) ?? $0.string.flatMap { Double($0) } }
        let date = answer["expireTime"]?.string.flatMap(RFC3339.date)
        let text = (answer["access_token"] ?? answer["accessToken"])?.string
        guard let text, let expires = seconds.map({ world.now() + $0 }) ?? date?.timeIntervalSince1970,
            expires.isFinite, !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw ConnectorFault.garbled(system, "no token") }
        return GoogleToken(text: text, expires: expires, quotaProject: nil)
    }
}
