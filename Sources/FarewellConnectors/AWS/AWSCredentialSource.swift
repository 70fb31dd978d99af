// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Where a key of AWS comes from: the plan's secrets, and then as AWS's own tools look ("Credential provider chain",
/// https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html): the environment, a workload's
/// identity token, the profile with its single sign-on, the container, the machine.
package actor AWSCredentialSource {
    let system: String
    let world: ConnectorWorld
    private let secrets: SystemSecrets
    private let region: String
    private var lent: AWSCredentials?
    private var lentAt = -Double.infinity

    package init(_ system: String, secrets: SystemSecrets, region: String = "us-east-1", world: ConnectorWorld) {
        self.system = system
        self.secrets = secrets
        self.region = region
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
            return try await keeping { try await borrowed(role, tokenFile: file) }
        }
        let profile = AWSProfile(world)
        if let keys = profile.keys { return keys }
        if let session = profile.session { return try await keeping { try await signedOn(session) } }
        // A profile that was asked for by its name and has no key is a mistake, and not a reason to look elsewhere.
        guard environment["AWS_PROFILE"] == nil else { throw nowhere }
        return try await keeping {
            if let address = try containerAddress() { return try await ofContainer(address) }
            return try await ofMachine()
        }
    }

    var nowhere: ConnectorFault {
        .credentials(system, needs: "a key of AWS: environment, profile, web identity, container or machine")
    }

    /// What is lent is kept until five minutes before it ends, and for a minute at the least: the lender's clock may be
    /// another one than ours.
    private func keeping(_ borrow: () async throws -> AWSCredentials) async throws -> AWSCredentials {
        let now = world.now()
        if let lent, let expires = lent.expires, expires - 300 > now || (0..<60).contains(now - lentAt) { return lent }
        let credentials = try await borrow()
        lent = credentials
        lentAt = now
        return credentials
    }

    // MARK: A role for an identity token

    private func borrowed(_ role: String, tokenFile: String) async throws -> AWSCredentials {
        guard let token = world.read(tokenFile) else {
            throw ConnectorFault.credentials(system, needs: "the file of AWS_WEB_IDENTITY_TOKEN_FILE")
        }
        // The token service of the region in whose partition the role is.
        let region = world.environment["AWS_REGION"] ?? world.environment["AWS_DEFAULT_REGION"] ?? self.region
        let endpoint =
            world.environment["AWS_ENDPOINT_URL_STS"]
            ?? "https://sts.\(region).\(AWSPartition(region: region).suffix)"
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
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: found["SessionToken"]?.text,
            // AWS lends for an hour unless asked otherwise.
            expires: found["Expiration"].flatMap { Self.time($0.text) } ?? world.now() + 3_600)
    }

    static func time(_ text: String) -> Double? { (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970 }
}
