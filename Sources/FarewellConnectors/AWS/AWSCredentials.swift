// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A key of AWS. Shows nothing of itself.
package struct AWSCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let accessKeyID: String
    package let secretAccessKey: String
    /// Only of a key that is lent for a while.
    package let sessionToken: String?
    /// When a lent key ends, in seconds since 1970.
    package let expires: Double?

    package init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expires: Double? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expires = expires
    }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a key of AWS comes from: the plan's secrets, the environment, a profile, or a role lent for an identity token.
package actor AWSCredentialSource {
    private let system: String
    private let secrets: SystemSecrets
    private let world: ConnectorWorld
    private var lent: AWSCredentials?

    package init(_ system: String, secrets: SystemSecrets, world: ConnectorWorld) {
        self.system = system
        self.secrets = secrets
        self.world = world
    }

    /// - Throws: `ConnectorFault.credentials` when there is no key anywhere.
    package func credentials() async throws -> AWSCredentials {
        if let given = try secrets.given("access_key_id"), let secret = try secrets.given("secret_access_key") {
            return AWSCredentials(
                accessKeyID: given, secretAccessKey: secret, sessionToken: try secrets.given("session_token"))
        }
        let environment = world.environment
        if let id = environment["AWS_ACCESS_KEY_ID"], let secret = environment["AWS_SECRET_ACCESS_KEY"] {
            return AWSCredentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"])
        }
        if let role = environment["AWS_ROLE_ARN"], let file = environment["AWS_WEB_IDENTITY_TOKEN_FILE"] {
            return try await borrowed(role, tokenFile: file)
        }
        if let profile = profile() { return profile }
        throw ConnectorFault.credentials(system, needs: "a key of AWS: environment, profile or web identity")
    }

    // MARK: A profile

    private func profile() -> AWSCredentials? {
        let environment = world.environment
        let path =
            environment["AWS_SHARED_CREDENTIALS_FILE"] ?? environment["HOME"].map { $0 + "/.aws/credentials" }
        guard let path, let bytes = world.read(path) else { return nil }
        let name = environment["AWS_PROFILE"] ?? "default"
        let values = Self.section(name, of: String(decoding: bytes, as: UTF8.self))
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else { return nil }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: values["aws_session_token"])
    }

    private static func section(_ name: String, of text: String) -> [String: String] {
        var values: [String: String] = [:]
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("[") {
                isInside = line.dropFirst().prefix { $0 != "]" } == name
            } else if isInside, let sign = line.firstIndex(of: "="), !line.hasPrefix("#"), !line.hasPrefix(";") {
                let key = line[..<sign].filter { !$0.isWhitespace }
                values[key] = line[line.index(after: sign)...].filter { !$0.isWhitespace }
            }
        }
        return values
    }

    // MARK: A role

    /// A key lent for the token of a workload; kept until five minutes before it ends.
    private func borrowed(_ role: String, tokenFile: String) async throws -> AWSCredentials {
        if let lent, let expires = lent.expires, expires - 300 > world.now() { return lent }
        guard let token = world.read(tokenFile) else {
            throw ConnectorFault.credentials(system, needs: "the file of AWS_WEB_IDENTITY_TOKEN_FILE")
        }
        let endpoint =
            world.environment["AWS_ENDPOINT_URL_STS"]
            ?? "https://sts.\(world.environment["AWS_REGION"] ?? "us-east-1").amazonaws.com"
        let caller = SystemCaller("\(system) (STS)", budget: RateBudget(), world: world)
        let call = SystemCall(
            "POST", try SystemAddress(endpoint, system: system), "/",
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: PercentEncoding.form([
                ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
                ("RoleSessionName", world.environment["AWS_ROLE_SESSION_NAME"] ?? "farewell"),
                ("WebIdentityToken", String(decoding: token, as: UTF8.self).filter { !$0.isWhitespace }),
            ]), answers: [400], permission: "sts:AssumeRoleWithWebIdentity")
        let reply = try await caller.send(call)
        let root = try XMLText.read(reply.body, from: system)
        guard reply.status == 200, let found = root.first(named: "Credentials"), let id = found["AccessKeyId"]?.text,
            let secret = found["SecretAccessKey"]?.text
        else { throw ConnectorFault.credentials(system, needs: "sts:AssumeRoleWithWebIdentity") }
        let credentials = AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: found["SessionToken"]?.text,
            // AWS lends for an hour unless asked otherwise.
            expires: found["Expiration"].flatMap { try? Date($0.text, strategy: .iso8601) }?.timeIntervalSince1970
                ?? world.now() + 3_600)
        lent = credentials
        return credentials
    }
}
