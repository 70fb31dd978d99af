// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Keys of a role, lent by AWS's token service (STS).
extension AWSCredentialSource {
    /// Whether a profile stands for a role that another key takes. One with a workload's token is no such profile.
    static func takesRole(_ profile: AWSSharedFiles.Section) -> Bool {
        profile["role_arn"] != nil && profile["web_identity_token_file"] == nil
    }

    // MARK: A role for another key

    /// The key of the role of a profile, taken with that of its `source_profile` or `credential_source`.
    ///
    /// https://docs.aws.amazon.com/sdkref/latest/guide/feature-assume-role-credentials.html
    ///
    /// - Parameter visited: The profiles that led here, this one the last.
    func roleKeys(of name: String, _ files: AWSSharedFiles, after visited: [String]) async throws -> AWSCredentials {
        let profile = files.profile(name) ?? [:]
        guard let role = profile["role_arn"] else { throw nowhere }
        guard profile["mfa_serial"] == nil else {
            throw missing("a role without mfa_serial, because no user can type a code", of: name)
        }
        let source: AWSCredentials
        switch (profile["source_profile"], profile["credential_source"]) {
        case (let other?, nil): source = try await sourceKeys(of: other, for: name, files, after: visited)
        case (nil, let place?): source = try await sourceKeys(from: place, for: name)
        case (nil, nil): throw missing("source_profile or credential_source", of: name)
        case (_?, _?): throw missing("only one of source_profile and credential_source", of: name)
        }
        var form = [
            ("Action", "AssumeRole"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", profile["role_session_name"] ?? "farewell"),
        ]
        if let identifier = profile["external_id"] { form.append(("ExternalId", identifier)) }
        if let seconds = profile["duration_seconds"].flatMap({ Int($0) }) {
            form.append(("DurationSeconds", "\(seconds)"))
        }
        return try await lent(for: form, with: source)
    }

    private func sourceKeys(
        of other: String, for name: String, _ files: AWSSharedFiles, after visited: [String]
    ) async throws -> AWSCredentials {
        guard let source = files.profile(other) else {
            throw missing("its source_profile \(Shown.name(other)), which does not exist", of: name)
        }
        // A profile may be its own source, with a key beside the role.
        guard !visited.contains(other) || (other == name && Self.hasKey(source)) else {
            throw missing("profiles that do not lead to each other", of: name)
        }
        if Self.takesRole(source), !Self.hasKey(source) {
            return try await roleKeys(of: other, files, after: visited + [other])
        }
        guard let keys = try await keys(of: other, files, readsEnvironment: false) else {
            throw missing("a key in its source_profile \(Shown.name(other))", of: name)
        }
        return keys
    }

    private func sourceKeys(from place: String, for name: String) async throws -> AWSCredentials {
        switch place {
        case "Environment":
            guard let keys = try environmentKeys() else { throw missing("a key in the environment", of: name) }
            return keys
        case "EcsContainer":
            guard let address = try containerAddress() else { throw missing("a container's role", of: name) }
            return try await ofContainer(address)
        case "Ec2InstanceMetadata": return try await ofMachine()
        default: throw missing("a credential_source of Environment, EcsContainer or Ec2InstanceMetadata", of: name)
        }
    }

    private func missing(_ what: String, of profile: String) -> ConnectorFault {
        .credentials(system, needs: "for the role of the profile \(Shown.name(profile)), \(what)")
    }

    // MARK: A role for an identity token

    func roleKeys(_ role: String, forTokenIn path: String, session: String?) async throws -> AWSCredentials {
        guard let token = world.read(path) else {
            throw ConnectorFault.credentials(system, needs: "the file of AWS_WEB_IDENTITY_TOKEN_FILE")
        }
        return try await lent(
            for: [
                ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
                ("RoleSessionName", session ?? "farewell"),
                ("WebIdentityToken", String(decoding: token, as: UTF8.self).filter { !$0.isWhitespace }),
            ], with: nil)
    }

    // MARK: The token service

    /// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
    ///
    /// - Parameter keys: The keys that sign the request; `nil` if the token authenticates it.
    private func lent(
        for form: [(name: String, value: String)], with keys: AWSCredentials?
    ) async throws -> AWSCredentials {
        // The token service of the region in whose partition the role is.
        let region = world.variable("AWS_REGION") ?? world.variable("AWS_DEFAULT_REGION") ?? self.region
        let endpoint =
            world.variable("AWS_ENDPOINT_URL_STS") ?? "https://sts.\(region).\(AWSPartition(region: region).suffix)"
        let permission = "sts:\(form[0].value)"
        let address = try SystemAddress.met(endpoint, system: system)
        let call = SystemCall(
            "POST", address, address.base + "/",
            headers: [("content-type", "application/x-www-form-urlencoded")], body: PercentEncoding.form(form),
            answers: [400, 403], permission: permission)
        let caller = SystemCaller("\(system) (STS)", budget: RateBudget(), world: world)
        let reply = try await caller.send(call) { call in
            if let keys { SignatureV4(region: region, service: "sts").sign(&call, with: keys, at: world.now()) }
        }
        let root = try XMLText.read(reply.body, from: system)
        guard reply.status == 200 else {
            let code = AWSCaller.code(root.first(named: "Code")?.text ?? "")
            let message = root.first(named: "Message")?.text ?? ""
            switch ResponseTable.sts.line(reply.status, code: code, message: message).outcome {
            case .again, .later:
                throw ResponseTable.sts.fault(
                    reply.status, code: code, message: message, of: "\(system) (STS)", needs: permission)
            default:
                throw ConnectorFault.credentials(system, needs: permission + (code.isEmpty ? "" : " (STS: \(code))"))
            }
        }
        guard let found = root.first(named: "Credentials"), let id = found["AccessKeyId"]?.text,
            let secret = found["SecretAccessKey"]?.text
        else { throw ConnectorFault.garbled(system, "no key of a role") }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: found["SessionToken"]?.text,
            // AWS's default lifetime is an hour.
            expires: found["Expiration"].flatMap { Self.time($0.text) } ?? world.now() + 3_600)
    }
}
