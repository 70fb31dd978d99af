// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import Testing

@Suite("Credentials are found as the vendors' own tools find them")
struct LenderTests {
    /// The credentials that botocore or google-auth found in an environment with some files.
    private struct Scenario: Sendable, CustomStringConvertible {
        let description: String
        let isOfAWS: Bool
        let environment: [String: String]
        let files: [String: String]
        /// `nil` where the tool found no credentials.
        let lent: String?

        init(_ value: JSONValue) throws {
            description = try #require(value["name"]?.string)
            isOfAWS = value["tool"]?.string == "aws"
            environment = (value["environment"]?.object ?? [:]).compactMapValues(\.string)
            files = (value["files"]?.object ?? [:]).compactMapValues(\.string)
            lent = value["lent"]?.string
        }

        var world: ConnectorWorld {
            var world = ConnectorWorld.hurried(FaultySending.network, environment: environment)
            let (home, files) = (environment["HOME", default: ""], files)
            world.read = { path in files.first { "\(home)/\($0.key)" == path }.map { Array($0.value.utf8) } }
            world.run = ConnectorWorld.live(environment: ["PATH": "/usr/bin:/bin"]).run
            return world
        }

        func ask() async throws -> String {
            let system = SystemPlan(name: "it", kind: "s3")
            guard isOfAWS else {
                let scope = "https://www.googleapis.com/auth/identitytoolkit"
                return try await GoogleTokenSource(system, scope: scope, world: world).token().text
            }
            let secrets = SystemSecrets(system, world: world)
            let keys = try await AWSCredentialSource("it", secrets: secrets, region: "eu-west-1", world: world).credentials()
            return "\(keys.accessKeyID) \(keys.sessionToken ?? "")"
        }
    }

    @Test("SY-4 Farewell gets a key or token wherever botocore and google-auth get one, and otherwise names the missing part")
    func oracle() async throws {
        let facts = try PeerProcess("Interop/lenders.py").facts
        let scenarios = try (facts["scenarios"]?.array ?? []).map { try Scenario($0) }
        #expect(scenarios.count(where: \.isOfAWS) >= 42 && scenarios.count >= 76)
        expectPartitions(facts["partitions"]?.array ?? [])
        for scenario in scenarios {
            let found = Guarded<String?>(nil)
            let error = await fault {
                let text = try await scenario.ask()
                found.withLock { $0 = text }
            }
            #expect(found.withLock { $0 } == scenario.lent, "\(scenario): \(String(describing: error))")
            #expect(error?.code == (scenario.lent == nil ? "connector.credentials" : nil), "\(scenario)")
            for secret in ["base/secret", "s p=/+", "PRIVATE KEY", "1//r"] {
                #expect(error?.message.contains(secret) != true, "\(scenario)")
            }
        }
    }

    /// A region that belongs to no known part of AWS would be looked for below another part's host names.
    private func expectPartitions(_ told: [JSONValue]) {
        #expect(told.count >= 40)
        for region in told {
            let partition = AWSPartition(region: region["region"]?.string ?? "")
            #expect(partition.name == region["name"]?.string && partition.suffix == region["suffix"]?.string, "\(region)")
        }
    }

    @Test("SY-4 the connector refuses a role that requires an MFA code, and a credential program that does not end")
    func nobodyThere() async throws {
        let role = "role_arn = arn:aws:iam::1:role/a\nsource_profile = default\nmfa_serial = arn:aws:iam::1:mfa/ann\n"
        let keys = "aws_access_key_id = AKI\naws_secret_access_key = s\n"
        for (config, words) in [
            ("[default]\n\(keys)\(role)", "mfa_serial"), ("[default]\ncredential_process = sleep", "ends within a minute"),
            ("[default]\ncredential_process = \"sleep", "read as a command"),
        ] {
            var world = ConnectorWorld.hurried(AnsweringService { _ in SystemReply(status: 500) }, environment: ["HOME": "/a"])
            world.read = { $0 == "/a/.aws/config" ? Array(config.utf8) : nil }
            let secrets = SystemSecrets(SystemPlan(name: "it", kind: "s3"), world: world)
            let source = AWSCredentialSource("it", secrets: secrets, world: world)
            let error = await fault { _ = try await source.credentials() }
            #expect(error?.code == "connector.credentials" && error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("SY-4 a session of aws login lends its key until it expires, and then no other identity takes its place")
    func login() async throws {
        let session = "arn:aws:iam::1:user/ann"
        // printf %s arn:aws:iam::1:user/ann | sha256sum
        let file = "429756750eb589f374f4ec73f6d954aa2c9998b0cd0b45a3555e8fdc95322547.json"
        for (end, hasFile) in [("2100-01-01T00:00:00Z", true), ("2000-01-01T00:00:00Z", true), ("", false)] {
            let key = #"{"accessKeyId":"AKLOGIN","secretAccessKey":"s","sessionToken":"t","accountId":"1","expiresAt":"\#(end)"}"#
            let config = "[default]\nlogin_session = \(session)\ncredential_process = echo {}\n"
            var world = ConnectorWorld.hurried(AnsweringService { _ in SystemReply(status: 500) }, environment: ["HOME": "/a"])
            world.read = { path in
                if path == "/a/.aws/config" { return Array(config.utf8) }
                return hasFile && path == "/a/.aws/login/cache/\(file)" ? Array(#"{"accessToken":\#(key)}"#.utf8) : nil
            }
            let secrets = SystemSecrets(SystemPlan(name: "it", kind: "s3"), world: world)
            let source = AWSCredentialSource("it", secrets: secrets, world: world)
            let id = Guarded<String?>(nil)
            let error = await fault {
                let found = try await source.credentials().accessKeyID
                id.withLock { $0 = found }
            }
            #expect(id.withLock { $0 } == (end.hasPrefix("21") ? "AKLOGIN" : nil))
            #expect(end.hasPrefix("21") || error?.code == "connector.credentials" && error?.message.contains("aws login") == true)
        }
    }

    @Test("SY-4 a credential program runs without a shell: its arguments stay as written, and endless output does not block the connector")
    func programs() async throws {
        let run = ConnectorWorld.live(environment: ["PATH": "/usr/bin:/bin", "MARK": "here"]).run
        let words = await run(["printenv", "MARK"])
        #expect(words?.status == 0 && words?.output == Array("here\n".utf8))
        #expect(await run(["echo", "$MARK; exit 3"])?.output == Array("$MARK; exit 3\n".utf8))
        #expect(await run(["false"])?.status == 1)
        #expect(await run(["yes"]) == nil)
        #expect(await run(["no-such-program-of-ours"])?.status == 127)
    }

    @Test("OPS-07 SY-4 a credential program that leaves a process behind has ended, and its output counts")
    func background() async throws {
        let run = ConnectorWorld.live(environment: ["PATH": "/usr/bin:/bin"]).run
        let ended = try #require(await run(["sh", "-c", "sleep 3600 & echo $!"]))
        #expect(ended.status == 0)
        let text = String(decoding: ended.output, as: UTF8.self).trimmingCharacters(in: .newlines)
        let left = try #require(pid_t(text))
        #expect(kill(left, SIGKILL) == 0)
        #expect(await run(["sh", "-c", "kill -KILL $$"])?.status == 137)
    }

    @Test("SY-4 STS: a temporary error is tried again, and a refusal is a credentials error with STS's own code")
    func refusals() async throws {
        for (status, code, expected) in [
            (403, "AccessDenied", "connector.credentials"), (400, "ExpiredTokenException", "connector.credentials"),
            (400, "IDPCommunicationError", "connector.unavailable"), (400, "Throttling", "connector.throttled"),
            (503, "ServiceUnavailable", "connector.unavailable"),
        ] {
            let service = AnsweringService { _ in .xml(status, "<ErrorResponse><Error><Code>\(code)</Code></Error></ErrorResponse>") }
            var world = ConnectorWorld.hurried(
                service, environment: ["AWS_ROLE_ARN": "arn:aws:iam::1:role/a", "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"])
            world.read = { $0 == "/token" ? Array("token".utf8) : nil }
            let secrets = SystemSecrets(SystemPlan(name: "it", kind: "s3"), world: world)
            let source = AWSCredentialSource("it", secrets: secrets, region: "cn-north-1", world: world)
            let error = await fault { _ = try await source.credentials() }
            #expect(error?.code.rawValue == expected, "\(code): \(String(describing: error))")
            #expect(expected != "connector.credentials" || error?.message.contains(code) == true)
            #expect(service.sent.first?.address.host == "sts.cn-north-1.amazonaws.com.cn")
        }
    }

    @Test("SY-1 SY-4 every request for a temporary key or token is valid under botocore's models of STS and SSO, and Google's of IAM")
    func contracts() async throws {
        let end = "2100-01-01T00:00:00Z"
        let service = AnsweringService { call in
            switch call.address.host {
            case "iamcredentials.googleapis.com": return .json(200, #"{"accessToken":"t","expireTime":"\#(end)"}"#)
            case "oauth2.googleapis.com": return .json(200, #"{"access_token":"t","expires_in":3600}"#)
            case "portal.sso.eu-west-1.amazonaws.com":
                return .json(200, #"{"roleCredentials":{"accessKeyId":"A","secretAccessKey":"s","expiration":4102444800000}}"#)
            default:
                let keys = "<AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><Expiration>\(end)</Expiration>"
                return .xml(200, "<R><Credentials>\(keys)</Credentials></R>")
            }
        }
        let role = "role_arn = arn:aws:iam::123456789012:role/a\n"
        let config = """
            [default]
            \(role)source_profile = on
            external_id = x-1
            duration_seconds = 900
            [profile on]
            sso_account_id = 123456789012
            sso_role_name = r
            sso_region = eu-west-1
            sso_start_url = u
            [profile web]
            \(role)web_identity_token_file = /token
            """
        let impersonated = #"""
            {"type":"impersonated_service_account","delegates":["projects/-/serviceAccounts/d@example.org"],\#
            "service_account_impersonation_url":\#
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@example.org:generateAccessToken",\#
            "source_credentials":{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}}
            """#
        let system = SystemPlan(name: "it", kind: "s3")
        for profile in ["default", "web"] {
            var world = ConnectorWorld.hurried(
                service, environment: ["HOME": "/a", "AWS_PROFILE": profile, "GOOGLE_APPLICATION_CREDENTIALS": "/adc"])
            world.read = { path in
                switch path {
                case "/a/.aws/config": Array(config.utf8)
                case "/token": Array("a-token".utf8)
                case "/adc": Array(impersonated.utf8)
                case _ where path.contains("/sso/cache/"): Array(#"{"accessToken":"t","expiresAt":"\#(end)"}"#.utf8)
                default: nil
                }
            }
            _ = try await AWSCredentialSource(
                "it", secrets: SystemSecrets(system, world: world), region: "eu-west-1", world: world
            ).credentials()
            _ = try await GoogleTokenSource(system, scope: "https://www.googleapis.com/auth/datastore", world: world).token()
        }
        let requests = service.sent.compactMap { call -> JSONValue? in
            switch call.address.host {
            case "iamcredentials.googleapis.com": VendorContract.line(call, "iam")
            case "portal.sso.eu-west-1.amazonaws.com": VendorContract.line(call, "sso")
            case "sts.eu-west-1.amazonaws.com": VendorContract.line(call, "sts")
            default: nil
            }
        }
        let operations = try await VendorContract.check(requests)["operations"]
        #expect(operations?["sts"]?.array == [.string("AssumeRole"), .string("AssumeRoleWithWebIdentity")])
        #expect(operations?["sso"]?.array == [.string("GetRoleCredentials")])
        #expect(operations?["iam"]?.array == [.string("iamcredentials.projects.serviceAccounts.generateAccessToken")])
    }
}
