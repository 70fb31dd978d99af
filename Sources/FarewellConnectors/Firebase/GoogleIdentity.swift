// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Farewell
import FarewellVerifier
import Foundation

/// Who we are to Google: the plan's service account, or the "Application Default Credentials" of the machine, in the
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

    enum Found: Sendable {
        case account(Account)
        case user(client: String, secret: String, refresh: String, tokenAddress: String)
        case workload(Workload)
        /// A machine of Google's, which has an account of its own.
        case metadata(host: String)
    }

    /// A token that another identity provider gave this workload.
    struct Workload: Sendable {
        let audience: String
        let kind: String
        let token: String
        let tokenAddress: String
        let impersonation: String?
    }

    /// - Throws: `ConnectorFault.credentials`.
    func found() throws -> Found {
        if system.secrets["service_account"] != nil {
            return try found(in: Array(try secrets.required("service_account").utf8))
        }
        if let path = world.environment["GOOGLE_APPLICATION_CREDENTIALS"] {
            guard let bytes = world.read(path) else {
                throw ConnectorFault.credentials(system.name, needs: "the file of GOOGLE_APPLICATION_CREDENTIALS")
            }
            return try found(in: bytes)
        }
        let own = world.environment["CLOUDSDK_CONFIG"] ?? world.environment["HOME"].map { $0 + "/.config/gcloud" }
        if let own, let bytes = world.read(own + "/application_default_credentials.json") {
            return try found(in: bytes)
        }
        return .metadata(host: world.environment["GCE_METADATA_HOST"] ?? "metadata.google.internal")
    }

    private func found(in bytes: [UInt8]) throws -> Found {
        guard let file = try? StrictJSON.value(bytes) else { throw missing }
        switch file["type"]?.string {
        case "authorized_user":
            guard let client = file["client_id"]?.string, let secret = file["client_secret"]?.string,
                let refresh = file["refresh_token"]?.string
            else { throw missing }
            return .user(
                client: client, secret: secret, refresh: refresh,
                tokenAddress: file["token_uri"]?.string ?? Account.audience)
        case "external_account": return .workload(try workload(file))
        default: return .account(try account(file))
        }
    }

    private var missing: ConnectorFault { .credentials(system.name, needs: Self.words) }

    private func account(_ file: JSONValue) throws -> Account {
        guard let email = file["client_email"]?.string, let pem = file["private_key"]?.string,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem),
            let parts = try? key.publicKey.getKeyPrimitives(), !WeakModulus.isOne(parts.modulus)
        else { throw missing }
        return Account(
            email: email, key: key, keyID: file["private_key_id"]?.string,
            tokenAddress: file["token_uri"]?.string ?? Account.audience)
    }

    /// The subject's token lies in a file: Kubernetes, GitHub's and Azure's agents write it there.
    private func workload(_ file: JSONValue) throws -> Workload {
        let source = file["credential_source"]
        guard let audience = file["audience"]?.string, let kind = file["subject_token_type"]?.string,
            let path = source?["file"]?.string, let bytes = world.read(path)
        else {
            throw ConnectorFault.credentials(system.name, needs: "a workload identity whose token lies in a file")
        }
        var token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if source?["format"]?["type"]?.string == "json" {
            let field = source?["format"]?["subject_token_field_name"]?.string ?? "access_token"
            token = (try? StrictJSON.value(bytes))?[field]?.string ?? ""
        }
        guard !token.isEmpty else { throw missing }
        return Workload(
            audience: audience, kind: kind, token: token,
            tokenAddress: file["token_url"]?.string ?? "https://sts.googleapis.com/v1/token",
            impersonation: file["service_account_impersonation_url"]?.string)
    }

    /// A service account: a statement that its key signs is worth a token (RFC 7523, "Using OAuth 2.0 for Server to
    /// Server Applications").
    struct Account: Sendable {
        let email: String
        let key: _RSA.Signing.PrivateKey
        let keyID: String?
        let tokenAddress: String
        /// For whom the statement is, wherever it is sent.
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
