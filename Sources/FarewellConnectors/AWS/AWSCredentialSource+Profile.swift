// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Keys of a profile: the results of botocore's providers for profiles, in their order.
extension AWSCredentialSource {
    /// - Parameter readsEnvironment: Whether a workload's identity may be in the environment: not for a profile that is
    ///   the source of another one.
    /// - Returns: `nil` if the profile has no key of any kind.
    func keys(of name: String, _ files: AWSSharedFiles, readsEnvironment: Bool) async throws -> AWSCredentials? {
        let profile = files.profile(name) ?? [:]
        func setting(_ name: String, _ variable: String) -> String? {
            (readsEnvironment ? world.variable(variable) : nil) ?? profile[name]
        }
        if let file = setting("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE") {
            guard let role = setting("role_arn", "AWS_ROLE_ARN") else {
                throw ConnectorFault.credentials(
                    system, needs: "role_arn (AWS_ROLE_ARN) beside the identity token's file")
            }
            return try await roleKeys(
                role, forTokenIn: file, session: setting("role_session_name", "AWS_ROLE_SESSION_NAME"))
        }
        if let session = try Session(profile, files, system: system) { return try await signedOn(session) }
        if let keys = try written(files.credentials[name]) { return keys }
        if let session = profile["login_session"] { return try loggedIn(session, files) }
        if let line = profile["credential_process"] { return try await keys(writtenBy: line) }
        return try written(files.config[name])
    }

    static func hasKey(_ profile: AWSSharedFiles.Section) -> Bool {
        profile["aws_access_key_id"] != nil || profile["aws_secret_access_key"] != nil
    }

    /// A key in the file itself.
    private func written(_ profile: AWSSharedFiles.Section?) throws -> AWSCredentials? {
        guard let profile, let id = profile["aws_access_key_id"] else { return nil }
        guard let secret = profile["aws_secret_access_key"] else {
            throw ConnectorFault.credentials(system, needs: "aws_secret_access_key beside aws_access_key_id")
        }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret,
            sessionToken: profile["aws_security_token"] ?? profile["aws_session_token"])
    }

    // MARK: A program

    /// The key that a program of the operator's writes.
    ///
    /// https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
    private func keys(writtenBy line: String) async throws -> AWSCredentials {
        guard let words = AWSShellWords.split(line), !words.isEmpty else {
            throw ConnectorFault.credentials(system, needs: "a credential_process that can be read as a command")
        }
        guard let ended = await world.run(words) else {
            throw ConnectorFault.credentials(system, needs: "a credential_process that starts and ends within a minute")
        }
        guard ended.status == 0 else {
            throw ConnectorFault.credentials(
                system, needs: "a credential_process that exits 0; it exited \(ended.status)")
        }
        guard let told = try? StrictJSON.value(ended.output), told["Version"]?.integer == 1,
            let id = told["AccessKeyId"]?.string, let secret = told["SecretAccessKey"]?.string
        else {
            throw ConnectorFault.credentials(
                system, needs: "a credential_process that writes a key as JSON of the version 1")
        }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: told["SessionToken"]?.string,
            // A key without an expiry is fetched again after an hour.
            expires: told["Expiration"]?.string.flatMap { Self.time($0) } ?? world.now() + 3_600)
    }

    // MARK: Single sign-on

    /// A session of single sign-on.
    private struct Session: Sendable {
        let account: String
        let role: String
        let region: String
        /// Where `aws sso login` keeps its token.
        let cachePath: String

        /// `nil` for a profile that does not sign on.
        init?(_ profile: AWSSharedFiles.Section, _ files: AWSSharedFiles, system: String) throws {
            guard profile["sso_account_id"] != nil || profile["sso_role_name"] != nil else { return nil }
            let shared = profile["sso_session"].map { files.sessions[$0] ?? [:] } ?? profile
            guard let account = profile["sso_account_id"], let role = profile["sso_role_name"],
                let region = shared["sso_region"], let start = shared["sso_start_url"], let cache = files.ssoCache
            else {
                throw ConnectorFault.credentials(
                    system,
                    needs: "sso_account_id, sso_role_name, sso_region and sso_start_url of the profile's sign-on")
            }
            let digest = Insecure.SHA1.hash(data: Data((profile["sso_session"] ?? start).utf8)).hexadecimal
            (self.account, self.role, self.region) = (account, role, region)
            cachePath = "\(cache)/\(digest).json"
        }
    }

    /// The key of a role, for the token that `aws sso login` left in its cache. The cache is only read.
    ///
    /// https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
    private func signedOn(_ session: Session) async throws -> AWSCredentials {
        let needs = "a session of single sign-on that has not ended (aws sso login)"
        guard let bytes = world.read(session.cachePath), let cached = try? StrictJSON.value(bytes),
            let token = cached["accessToken"]?.string,
            let end = cached["expiresAt"]?.string.flatMap({ Self.time($0) }), end > world.now()
        else { throw ConnectorFault.credentials(system, needs: needs) }
        let suffix = AWSPartition(region: session.region).suffix
        let address = try SystemAddress.met(
            world.variable("AWS_ENDPOINT_URL_SSO") ?? "https://portal.sso.\(session.region).\(suffix)",
            system: system)
        let reply = try await ask(
            SystemCall(
                "GET", address, address.base + "/federation/credentials",
                query: [("role_name", session.role), ("account_id", session.account)],
                headers: [("x-amz-sso_bearer_token", token)], permission: needs))
        let keys = try reply.json(from: system)["roleCredentials"]
        guard let id = keys?["accessKeyId"]?.string, let secret = keys?["secretAccessKey"]?.string else {
            throw ConnectorFault.garbled(system, "no key of a role")
        }
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: keys?["sessionToken"]?.string,
            // In milliseconds.
            expires: keys?["expiration"]?.integer.map { Double($0) / 1_000 })
    }
}
