// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Where a key of AWS comes from: the plan's secrets, then the places where AWS's own tools look ("Credential provider
/// chain", https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html). Their order is that of
/// botocore: the environment, the role of the profile, a workload's identity token, the profile with its single
/// sign-on, key or program, the files of former tools, the container, the machine.
package actor AWSCredentialSource {
    let system: String
    let world: ConnectorWorld
    private let secrets: SystemSecrets
    let region: String
    private var lent: AWSCredentials?
    private var lentAt = -Double.infinity
    /// Whether a machine ever lent a key.
    var isOnMachine = false
    /// Callers that arrive while a key is borrowed wait for that key.
    private var borrowing: Task<AWSCredentials, any Error>?

    package init(_ system: String, secrets: SystemSecrets, region: String = "us-east-1", world: ConnectorWorld) {
        self.system = system
        self.secrets = secrets
        self.region = region
        self.world = world
    }

    /// - Throws: `ConnectorFault.credentials` when there is no key anywhere.
    package func credentials() async throws -> AWSCredentials {
        switch (try secrets.given("access_key_id"), try secrets.given("secret_access_key")) {
        case (let id?, let secret?):
            return AWSCredentials(
                accessKeyID: id, secretAccessKey: secret, sessionToken: try secrets.given("session_token"))
        case (nil, nil): break
        // Half a key is a mistake, and no reason to take another identity.
        default: throw ConnectorFault.credentials(system, needs: "both access_key_id and secret_access_key in the plan")
        }
        if let keys = try environmentKeys() { return keys }
        // Temporary credentials are kept until five minutes before their expiry, and for a minute at least: the
        // issuer's clock may differ from ours.
        let now = world.now()
        if let lent, let expires = lent.expires, expires - 300 > now || (0..<60).contains(now - lentAt) { return lent }
        if let borrowing { return try await borrowing.value }
        let task = Task { try await borrow() }
        borrowing = task
        defer { borrowing = nil }
        let credentials = try await task.value
        lent = credentials
        lentAt = now
        return credentials
    }

    /// Forgets a key that a service refused, because it may have ended early: the next caller borrows another one.
    func forget(_ refused: AWSCredentials) {
        if let lent, lent.accessKeyID.isByteEqual(to: refused.accessKeyID) { self.lent = nil }
    }

    private func borrow() async throws -> AWSCredentials {
        let files = AWSSharedFiles(world)
        let name = files.named ?? "default"
        if let named = files.named, named != "default", files.profile(named) == nil {
            throw ConnectorFault.credentials(
                system, needs: "a profile \(Shown.name(named)) in the files of AWS's tools")
        }
        if let profile = files.profile(name), Self.takesRole(profile) {
            return try await roleKeys(of: name, files, after: [name])
        }
        if let keys = try await keys(of: name, files, readsEnvironment: true) { return keys }
        if let keys = try formerKeys() { return keys }
        if let address = try containerAddress() { return try await ofContainer(address) }
        return try await ofMachine()
    }

    // MARK: Keys from files and the environment

    func environmentKeys() throws -> AWSCredentials? {
        guard let id = world.variable("AWS_ACCESS_KEY_ID") else { return nil }
        guard let secret = world.variable("AWS_SECRET_ACCESS_KEY") else {
            throw ConnectorFault.credentials(system, needs: "AWS_SECRET_ACCESS_KEY beside AWS_ACCESS_KEY_ID")
        }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret,
            // botocore takes the older name first.
            sessionToken: world.variable("AWS_SECURITY_TOKEN") ?? world.variable("AWS_SESSION_TOKEN"))
    }

    var nowhere: ConnectorFault {
        .credentials(system, needs: "a key of AWS: environment, profile, web identity, container or machine")
    }

    static func time(_ text: String) -> Double? { RFC3339.date(text)?.timeIntervalSince1970 }
}
