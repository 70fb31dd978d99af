// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("The Google credentials of the connector, as Google's own tools find them", .contracts)
struct GoogleIdentityTests {
    /// A lookup of accounts, in an environment with these files.
    private func ask(
        _ environment: [String: String], files: [String: String] = [:],
        _ lending: @escaping @Sendable (SystemCall) -> SystemReply?
    ) async throws -> (error: FarewellError?, last: SystemCall?) {
        let service = AnsweringService { call in
            lending(call) ?? .json(200, #"{"kind":"identitytoolkit#GetAccountInfoResponse"}"#)
        }
        var world = ConnectorWorld.hurried(service, environment: environment)
        world.read = { path in files[path].map { Array($0.utf8) } }
        let system = SystemPlan(name: "it", kind: "firebase-auth", settings: ["project": "p"])
        let connector = try FirebaseAuthConnector(system, world: world)
        let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        return (error, service.sent.last)
    }

    private static let token = #"{"access_token":"lent","expires_in":3600}"#

    @Test("SY-4 a Google machine has its own account, which its metadata server provides")
    func metadata() async throws {
        let asked = try await ask([:]) { call in
            guard call.address.host == "metadata.google.internal" else { return nil }
            return call.header("Metadata-Flavor") == "Google" ? .json(200, Self.token) : SystemReply(status: 403)
        }
        #expect(asked.error == nil && asked.last?.header("Authorization") == "Bearer lent")
    }

    @Test("SY-4 gcloud's files: a user's refresh token, and a workload's identity with its service account")
    func files() async throws {
        let user = #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}"#
        let asked = try await ask(
            ["HOME": "/people/a"], files: ["/people/a/.config/gcloud/application_default_credentials.json": user]
        ) { call in
            guard call.address.host == "oauth2.googleapis.com" else { return nil }
            let form = String(decoding: call.body, as: UTF8.self)
            return form.contains("grant_type=refresh_token") && form.contains("refresh_token=r") ? .json(200, Self.token) : .json(400, "{}")
        }
        #expect(asked.error == nil && asked.last?.header("Authorization") == "Bearer lent")
        let workload = """
            {"type":"external_account","audience":"//iam.googleapis.com/x","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",\
            "token_url":"https://sts.googleapis.com/v1/token","credential_source":{"file":"/token"},\
            "service_account_impersonation_url":"https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a:generateAccessToken"}
            """
        let lent = try await ask(
            ["GOOGLE_APPLICATION_CREDENTIALS": "/adc"], files: ["/adc": workload, "/token": "subject\n"]
        ) { call in
            switch call.address.host {
            case "sts.googleapis.com":
                return String(decoding: call.body, as: UTF8.self).contains("subject_token=subject")
                    ? .json(200, #"{"access_token":"first","expires_in":3600}"#) : .json(400, "{}")
            case "iamcredentials.googleapis.com":
                let isKnown = call.header("Authorization") == "Bearer first"
                return isKnown ? .json(200, #"{"accessToken":"lent","expireTime":"2100-01-01T00:00:00.045123456Z"}"#) : .json(403, "{}")
            default: return nil
            }
        }
        #expect(lent.error == nil && lent.last?.header("Authorization") == "Bearer lent", "\(String(describing: lent.error))")
    }

    @Test("SY-4 every call names the billing project; the environment's has precedence over the file's")
    func quotaProject() async throws {
        let user = #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r","quota_project_id":"file"}"#
        for (environment, project) in [([:], "file"), (["GOOGLE_CLOUD_QUOTA_PROJECT": "variable"], "variable")] {
            let asked = try await ask(
                environment.merging(["GOOGLE_APPLICATION_CREDENTIALS": "/adc"]) { $1 }, files: ["/adc": user]
            ) { call in call.address.host == "oauth2.googleapis.com" ? .json(200, Self.token) : nil }
            #expect(asked.error == nil && asked.last?.header("x-goog-user-project") == project)
        }
    }

    @Test("SY-4 the error about an unsupported source of a token names it and an alternative: a program, a certificate")
    func sources() async throws {
        for (source, words, way) in [
            (#"{"executable":{"command":"x"}}"#, "a program's", "into a file"),
            (#"{"certificate":{}}"#, "a certificate", "another provider of the pool"),
            (#"{"environment_id":"aws1"}"#, "subject_token_type", ""), (#"{"url":"http://example.org/token"}"#, "http:", ""),
        ] {
            let file = #"{"type":"external_account","audience":"a","subject_token_type":"t","credential_source":\#(source)}"#
            let asked = try await ask(["GOOGLE_APPLICATION_CREDENTIALS": "/adc"], files: ["/adc": file]) { _ in nil }
            #expect(asked.error?.message.contains(words) == true && asked.last == nil, "\(String(describing: asked.error))")
            #expect(way.isEmpty || asked.error?.remedy?.contains(way) == true, "\(String(describing: asked.error))")
        }
        // The metadata service of another cloud speaks without protection, and is the machine's own.
        let address = "http://169.254.169.254/metadata/identity/oauth2/token?resource=x"
        let format = #"{"type":"json","subject_token_field_name":"access_token"}"#
        let azure = #"""
            {"type":"external_account","audience":"a","subject_token_type":"t",\#
            "credential_source":{"url":"\#(address)","headers":{"Metadata":"True"},"format":\#(format)}}
            """#
        let asked = try await ask(["GOOGLE_APPLICATION_CREDENTIALS": "/adc"], files: ["/adc": azure]) { call in
            switch call.address.host {
            case "169.254.169.254":
                call.url.hasSuffix("/metadata/identity/oauth2/token?resource=x") && call.header("Metadata") == "True"
                    ? .json(200, #"{"access_token":"theirs"}"#) : SystemReply(status: 404)
            case "sts.googleapis.com":
                String(decoding: call.body, as: UTF8.self).contains("subject_token=theirs") ? .json(200, Self.token) : .json(400, "{}")
            default: nil
            }
        }
        #expect(asked.error == nil && asked.last?.header("Authorization") == "Bearer lent", "\(String(describing: asked.error))")
    }

    @Test("SY-4 a workload on AWS: a signed request is the token, with the machine's key and region by either address")
    func signedByAWS() async throws {
        for host in ["169.254.169.254", "[fd00:ec2::254]"] {
            let source = #"""
                {"environment_id":"aws1","region_url":"http://\#(host)/latest/meta-data/placement/availability-zone",\#
                "url":"http://\#(host)/latest/meta-data/iam/security-credentials",\#
                "imdsv2_session_token_url":"http://\#(host)/latest/api/token",\#
                "regional_cred_verification_url":"https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"}
                """#
            let kind = "urn:ietf:params:aws:token-type:aws4_request"
            let file = #"{"type":"external_account","audience":"//pool","subject_token_type":"\#(kind)","credential_source":\#(source)}"#
            let asked = try await ask(["GOOGLE_APPLICATION_CREDENTIALS": "/adc"], files: ["/adc": file]) { call in
                func text(_ text: String) -> SystemReply { SystemReply(status: 200, body: Array(text.utf8)) }
                guard call.address.host == host else {
                    guard call.address.host == "sts.googleapis.com" else { return nil }
                    // Encoded once as the token, and again as part of the form.
                    let form = String(decoding: call.body, as: UTF8.self)
                    let isSigned = ["sts.eu-west-1.amazonaws.com", "ASIALENT", "x-goog-cloud-target-resource"].allSatisfy(form.contains)
                    let names = "host%253Bx-amz-date%253Bx-amz-security-token%253Bx-goog-cloud-target-resource"
                    return isSigned && form.contains(names) ? .json(200, Self.token) : .json(400, "{}")
                }
                guard call.method == "GET" else { return text("session") }
                guard call.header("x-aws-ec2-metadata-token") == "session" else { return SystemReply(status: 401) }
                return switch call.encodedPath {
                case "/latest/meta-data/placement/availability-zone": text("eu-west-1b")
                case "/latest/meta-data/iam/security-credentials": text("role")
                case "/latest/meta-data/iam/security-credentials/role":
                    text(#"{"AccessKeyId":"ASIALENT","SecretAccessKey":"s","Token":"t"}"#)
                default: SystemReply(status: 404)
                }
            }
            #expect(asked.error == nil && asked.last?.header("Authorization") == "Bearer lent", "\(String(describing: asked.error))")
        }
    }

    @Test("SY-4 an emulator's variable decides the address, with the emulator's token; an endpoint of the plan has precedence")
    func emulators() async throws {
        for (kind, variable, settings) in [
            ("firestore", "FIRESTORE_EMULATOR_HOST", ["project": "p", "path": "users/{person}"]),
            ("firebase-auth", "FIREBASE_AUTH_EMULATOR_HOST", ["project": "p"]),
            ("firebase-storage", "STORAGE_EMULATOR_HOST", ["bucket": "b", "prefix": "{person}/"]),
            ("firebase-storage", "FIREBASE_STORAGE_EMULATOR_HOST", ["bucket": "b", "prefix": "{person}/"]),
            (
                "realtime-database", "FIREBASE_DATABASE_EMULATOR_HOST",
                ["endpoint": "https://app-default-rtdb.europe-west1.firebasedatabase.app", "path": "users/{person}"]
            ),
        ] {
            for host in ["127.0.0.1:9099", "http://127.0.0.1:9099"] {
                let call = await first(kind, [variable: host], settings)
                #expect(call?.url.hasPrefix("http://127.0.0.1:9099/") == true, "\(kind): \(call?.url ?? "")")
                #expect(call?.header("Authorization") == "Bearer owner")
                #expect(kind != "firebase-auth" || call?.url.contains("/identitytoolkit.googleapis.com/v1/") == true)
                #expect(kind != "realtime-database" || call?.url.hasSuffix("ns=app-default-rtdb") == true, "\(call?.url ?? "")")
            }
            #expect(throws: FarewellError.self, "\(variable)") {
                try service(kind, [variable: "https://127.0.0.1:9099/x"], settings)
            }
        }
        // The database's address may be the emulator's own.
        let own = await first(
            "realtime-database", [:], ["endpoint": "http://127.0.0.1:9000?ns=app", "path": "users/{person}"])
        #expect(own?.url.hasPrefix("http://127.0.0.1:9000/users/u1.json?") == true && own?.url.hasSuffix("ns=app") == true)
        let planned = await first(
            "firestore", ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"],
            ["project": "p", "path": "users/{person}", "endpoint": "http://127.0.0.1:2"])
        #expect(planned?.address.host != "127.0.0.1:1")
    }

    private func service(
        _ kind: String, _ environment: [String: String], _ settings: [String: String]
    ) throws -> (connector: any Connector, service: AnsweringService) {
        let service = AnsweringService { _ in SystemReply(status: 500) }
        let world = ConnectorWorld.hurried(service, environment: environment)
        let plan = Plan(
            subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [],
            systems: [SystemPlan(name: "it", kind: kind, settings: settings)])
        return (try #require(try ConnectorKinds.connectors(of: plan, world: world)["it"]), service)
    }

    /// The first call that a connector sends.
    private func first(_ kind: String, _ environment: [String: String], _ settings: [String: String]) async -> SystemCall? {
        guard let (connector, service) = try? service(kind, environment, settings) else { return nil }
        _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        return service.sent.first
    }

    /// As Google words it where the clocks differ.
    private static let untimely =
        #"{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token (60 minutes) "#
        + #"and in a reasonable timeframe. Check your iat and exp values in the JWT claim."}"#

    @Test(
        "SY-3 a sign-in that fails for a moment is tried again, under status 400 as well; another is the credentials' fault",
        arguments: [
            (#"{"error":"internal_failure","error_description":"Backend Error"}"#, "connector.unavailable"),
            (#"{"error":"temporarily_unavailable"}"#, "connector.unavailable"),
            (untimely, "connector.unavailable"),
            (#"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#, "connector.credentials"),
            ("{}", "connector.garbled"),
        ])
    func passing(_ body: String, _ code: String) async throws {
        let user = #"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}"#
        let asked = try await ask(["GOOGLE_APPLICATION_CREDENTIALS": "/adc"], files: ["/adc": user]) { call in
            call.address.host == "oauth2.googleapis.com" ? .json(400, body) : nil
        }
        #expect(asked.error?.code.rawValue == code, "\(String(describing: asked.error))")
    }
}
