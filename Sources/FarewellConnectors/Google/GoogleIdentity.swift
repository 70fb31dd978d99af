// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Farewell
import FarewellVerifier
import Foundation

/// Our identity at Google: the plan's service account, or the "Application Default Credentials" of the machine, in the
/// order of Google's own tools (https://cloud.google.com/docs/authentication/application-default-credentials): the file
/// of `GOOGLE_APPLICATION_CREDENTIALS`, the file of `gcloud auth application-default login`, the metadata server.
struct GoogleIdentity: Sendable {
    private let system: SystemPlan
    private let secrets: SystemSecrets
    private let world: ConnectorWorld
    static let words = "a service account and its key"

    init(_ system: SystemPlan, world: ConnectorWorld) {
        self.system = system
        self.world = world
        secrets = SystemSecrets(system, world: world)
    }

    /// Our identity, and the project that pays for the calls.
    struct Found: Sendable {
        var kind: Kind
        /// Goes with every call as `x-goog-user-project`.
        var quotaProject: String?
    }

    indirect enum Kind: Sendable {
        case account(Account)
        /// A signed-in user: with Google, or with the identity provider of a workforce.
        case user(User)
        case workload(GoogleWorkload)
        /// A service account that another identity impersonates.
        case impersonated(Kind, Impersonation)
        /// A machine of Google's, which has an account of its own.
        case metadata(host: String, isNamed: Bool)
    }

    struct User: Sendable {
        let client: String
        let secret: String
        let refresh: String
        let tokenAddress: String
        /// The client identifies itself in a header, and not in the form.
        let isWorkforce: Bool
    }

    /// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
    struct Impersonation: Sendable {
        let address: String
        var delegates: [String] = []
        /// In seconds; an hour where the file does not say.
        var lifetime = 3_600
    }

    /// - Throws: `ConnectorFault.credentials`.
    func found() throws -> Found {
        var found = try whoever()
        if let project = world.variable("GOOGLE_CLOUD_QUOTA_PROJECT") { found.quotaProject = project }
        return found
    }

    private func whoever() throws -> Found {
        if system.secrets["service_account"] != nil {
            return try found(in: Array(try secrets.required("service_account").utf8))
        }
        if let path = world.variable("GOOGLE_APPLICATION_CREDENTIALS") {
            guard let bytes = world.read(path) else {
                throw ConnectorFault.credentials(system.name, needs: "the file of GOOGLE_APPLICATION_CREDENTIALS")
            }
            return try found(in: bytes)
        }
        let own = world.variable("CLOUDSDK_CONFIG") ?? world.variable("HOME").map { $0 + "/.config/gcloud" }
        if let own, let bytes = world.read(own + "/application_default_credentials.json") {
            return try found(in: bytes)
        }
        guard world.variable("NO_GCE_CHECK") != "true" else { throw nowhere }
        let named = world.variable("GCE_METADATA_HOST") ?? world.variable("GCE_METADATA_ROOT")
        return Found(kind: .metadata(host: named ?? "metadata.google.internal", isNamed: named != nil))
    }

    private func found(in bytes: [UInt8]) throws -> Found {
        guard let file = try? StrictJSON.value(bytes) else { throw missing }
        return Found(kind: try kind(file), quotaProject: file["quota_project_id"]?.string)
    }

    private func kind(_ file: JSONValue, isSource: Bool = false) throws -> Kind {
        let type = file["type"]?.string ?? "service_account"
        switch type {
        case "service_account": return .account(try account(file))
        case "authorized_user", "external_account_authorized_user":
            guard let client = file["client_id"]?.string, let secret = file["client_secret"]?.string,
                let refresh = file["refresh_token"]?.string
            else { throw unfit("client_id, client_secret and refresh_token", type) }
            let isWorkforce = type != "authorized_user"
            guard
                let address = file[isWorkforce ? "token_url" : "token_uri"]?.string
                    ?? (isWorkforce ? nil : Account.audience)
            else { throw unfit("token_url", type) }
            return .user(
                User(
                    client: client, secret: secret, refresh: refresh, tokenAddress: address, isWorkforce: isWorkforce))
        case "external_account" where !isSource:
            let workload = try GoogleWorkload(file, system: system.name)
            guard let address = file["service_account_impersonation_url"]?.string else { return .workload(workload) }
            let lifetime = file["service_account_impersonation"]?["token_lifetime_seconds"]?.integer
            return .impersonated(
                .workload(workload),
                Impersonation(address: address, lifetime: lifetime.flatMap { Int(exactly: $0) } ?? 3_600))
        case "impersonated_service_account" where !isSource:
            guard let source = file["source_credentials"],
                let address = file["service_account_impersonation_url"]?.string
            else { throw unfit("source_credentials and service_account_impersonation_url", type) }
            let delegates = (file["delegates"]?.array ?? []).compactMap(\.string)
            return .impersonated(
                try kind(source, isSource: true), Impersonation(address: address, delegates: delegates))
        default:
            throw ConnectorFault.credentials(
                system.name, needs: "a file of credentials of a known kind; \(Shown.name(type)) is not")
        }
    }

    /// There are no credentials anywhere.
    var nowhere: ConnectorFault {
        .credentials(
            system.name,
            needs: Self.words + ", in the plan, GOOGLE_APPLICATION_CREDENTIALS, gcloud or the metadata server")
    }

    private var missing: ConnectorFault { .credentials(system.name, needs: Self.words) }

    private func unfit(_ members: String, _ type: String) -> ConnectorFault {
        .credentials(system.name, needs: "\(members) in the file of credentials, which is of the kind \(type)")
    }

    private func account(_ file: JSONValue) throws -> Account {
        guard let email = file["client_email"]?.string, let pem = file["private_key"]?.string,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem),
            let parts = try? key.publicKey.getKeyPrimitives(), !WeakModulus.isOne(parts.modulus)
        else { throw missing }
        return Account(
            email: email, key: key, keyID: file["private_key_id"]?.string,
            tokenAddress: file["token_uri"]?.string ?? Account.audience)
    }

    /// A service account: a statement that its key signs is worth a token (RFC 7523, "Using OAuth 2.0 for Server to
    /// Server Applications").
    struct Account: Sendable {
        let email: String
        let key: _RSA.Signing.PrivateKey
        let keyID: String?
        let tokenAddress: String
        /// The audience of the statement, whatever address it is sent to.
        static let audience = "https://oauth2.googleapis.com/token"

        func statement(scope: String, at time: Double) throws -> String {
            let now = Int64(time)
            var header: [String: JSONValue] = ["alg": .string("RS256"), "typ": .string("JWT")]
            header["kid"] = keyID.map(JSONValue.string)
            let claims: [String: JSONValue] = [
                "iss": .string(email), "scope": .string(scope), "aud": .string(Self.audience),
                "iat": .integer(now), "exp": .integer(now + 3_600),
            ]
            let parts = try [header, claims].map { Base64URL.text(try JSONEncoder().encode(JSONValue.object($0))) }
            let text = parts.joined(separator: ".")
            let signature = try key.signature(
                for: SHA256.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
            return "\(text).\(Base64URL.text(signature.rawRepresentation))"
        }
    }
}
