// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import Testing

@Suite("AWS keys of an environment, and the parts of AWS", .contracts)
struct AWSMachineTests {
    private static let keys = #"{"AccessKeyId":"ASIALENT","SecretAccessKey":"s","Token":"lent","Expiration":"2100-01-01T00:00:00Z"}"#

    /// A connector to an empty bucket, in an environment with these files.
    private func bucket(
        _ environment: [String: String], files: [String: String] = [:], _ edit: (inout SystemPlan) -> Void = { _ in },
        _ lending: @escaping @Sendable (SystemCall) -> SystemReply?
    ) throws -> (connector: any Connector, service: AnsweringService) {
        let service = AnsweringService { call in
            if let reply = lending(call) { return reply }
            let isVersions = call.query.contains { $0.name == "versions" }
            let root = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
            let name = isVersions ? "Name" : "Bucket"
            return .xml(200, "<\(root)><\(name)>my.bucket</\(name)><IsTruncated>false</IsTruncated></\(root)>")
        }
        var world = ConnectorWorld.hurried(service, environment: environment)
        world.read = { path in files[path].map { Array($0.utf8) } }
        var system = SystemPlan(
            name: "it", kind: "s3", settings: ["region": "eu-west-1", "bucket": "my.bucket", "prefix": "{person}/"])
        edit(&system)
        return (try S3Connector(system, world: world), service)
    }

    private func expectLent(_ place: (connector: any Connector, service: AnsweringService), _ id: String = "ASIALENT") async throws {
        #expect(try await place.connector.verify(.init(key: "k", names: ["u1"])) == .gone)
        let signed = place.service.sent.filter { $0.query.contains { $0.name == "versions" } }
        #expect(signed.allSatisfy { $0.header("Authorization")?.contains("Credential=\(id)/") == true })
        #expect(signed.last?.header("x-amz-security-token") == "lent")
    }

    @Test("SY-4 a container's role is found by path, by address, and with the agent's token")
    func container() async throws {
        let relative = try bucket(["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/x"]) { call in
            call.address.host == "169.254.170.2" && call.encodedPath == "/v2/credentials/x" ? .json(200, Self.keys) : nil
        }
        try await expectLent(relative)
        let pod = try bucket(
            [
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token",
            ], files: ["/token": "pod-token\n"]
        ) { call in
            call.address.host == "169.254.170.23" && call.header("Authorization") == "pod-token" ? .json(200, Self.keys) : nil
        }
        try await expectLent(pod)
        #expect(throws: FarewellError.self) {
            try SystemAddress("http://10.0.0.1/credentials", system: "it")
        }
    }

    @Test("SY-4 a machine's role comes only from version 2 of its metadata; a missing role is a credentials error")
    func machine() async throws {
        let machine = try bucket([:]) { call in
            guard call.address.host == "169.254.169.254" else { return nil }
            if call.method == "PUT" { return SystemReply(status: 200, body: Array("session".utf8)) }
            guard call.header("x-aws-ec2-metadata-token") == "session" else { return SystemReply(status: 401) }
            return call.path.hasSuffix("/farewell") ? .json(200, Self.keys) : SystemReply(status: 200, body: Array("farewell".utf8))
        }
        try await expectLent(machine)
        for environment in [[:], ["AWS_EC2_METADATA_DISABLED": "true"]] {
            let nowhere = try bucket(environment) { call in
                call.address.host == "169.254.169.254" ? SystemReply(status: 404) : nil
            }
            let error = await fault { _ = try await nowhere.connector.verify(.init(key: "k", names: ["u1"])) }
            #expect(error?.code == "connector.credentials", "\(String(describing: error))")
        }
    }

    @Test("SY-4 a machine without IPv4 gets its key at the IPv6 address, by the variable's mode or address")
    func sixteenBytes() async throws {
        for environment in [
            ["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"], ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://[fd00:ec2::254]"],
        ] {
            let machine = try bucket(environment) { call in
                guard call.address.host == "[fd00:ec2::254]" else { return nil }
                if call.method == "PUT" { return SystemReply(status: 200, body: Array("session".utf8)) }
                return call.path.hasSuffix("/farewell")
                    ? .json(200, Self.keys) : SystemReply(status: 200, body: Array("farewell".utf8))
            }
            try await expectLent(machine)
        }
    }

    @Test("SY-4 a temporary key that a service refuses before its expiry is not used again, and half a key in the plan is refused")
    func refused() async throws {
        let number = Guarded(0)
        let lending: @Sendable (SystemCall) -> SystemReply? = { call in
            if call.address.host == "169.254.170.2" {
                let count = number.withLock { count in
                    count += 1
                    return count
                }
                return .json(200, Self.keys.replacing("ASIALENT", with: "ASIA\(count)"))
            }
            // The first key was revoked.
            let isFirst = call.header("Authorization")?.contains("Credential=ASIA1/") == true
            return isFirst ? .xml(400, "<Error><Code>ExpiredToken</Code></Error>") : nil
        }
        let place = try bucket(["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"]) { lending($0) }
        #expect(try await place.connector.verify(.init(key: "k", names: ["u1"])) == .gone)
        #expect(place.service.sent.last?.header("Authorization")?.contains("Credential=ASIA2/") == true)
        #expect(place.service.sent.count { $0.header("Authorization")?.contains("Credential=ASIA1/") == true } == 1)
        let half = try bucket(
            ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s"],
            { $0.secrets = ["access_key_id": .environment("AWS_ACCESS_KEY_ID")] }, { _ in nil })
        let halved = await fault { _ = try await half.connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(halved?.code == "connector.credentials" && half.service.sent.isEmpty, "\(String(describing: halved))")
    }

    @Test("SY-4 a temporary key that has ended is replaced within the call, and one that stays the same parks the erasure")
    func ended() async throws {
        for isReplaced in [true, false] {
            let number = Guarded(0)
            let service = AnsweringService { call in
                if call.address.host == "169.254.170.2" {
                    let count = number.withLock { count in
                        count += isReplaced ? 1 : 0
                        return count
                    }
                    return .json(200, Self.keys.replacing("ASIALENT", with: "ASIA\(count)"))
                }
                let isGood = call.header("Authorization")?.contains("Credential=ASIA2/") == true
                return isGood
                    ? .json(200, #"{"Username":"u1","UserAttributes":[]}"#)
                    : .json(400, #"{"__type":"com.amazon.coral.service#ExpiredTokenException"}"#)
            }
            let world = ConnectorWorld.hurried(service, environment: ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"])
            let system = SystemPlan(name: "it", kind: "cognito", settings: ["region": "eu-west-1", "pool": "eu-west-1_p"])
            let connector = try CognitoConnector(system, world: world)
            let error = await fault {
                let count = try await connector.count(.init(key: "k", names: ["u1"]))
                #expect(count == 1)
            }
            #expect(isReplaced ? error == nil : error?.code == "connector.credentials", "\(String(describing: error))")
        }
    }

    @Test("SY-4 single sign-on exchanges the cached token, which is only read, for the role's key")
    func signOn() async throws {
        let config = """
            [profile work]
            sso_session = corp
            sso_account_id = 123456789012
            sso_role_name = Farewell
            [sso-session corp]
            sso_region = eu-central-1
            sso_start_url = https://corp.awsapps.com/start
            """
        // The SHA-1 of `corp`, as botocore names the file.
        let cache = "/people/a/.aws/sso/cache/\(Self.sha1OfCorp).json"
        func place(_ end: String) throws -> (connector: any Connector, service: AnsweringService) {
            try bucket(
                ["HOME": "/people/a", "AWS_PROFILE": "work"],
                files: ["/people/a/.aws/config": config, cache: #"{"accessToken":"sso-token","expiresAt":"\#(end)"}"#]
            ) { call in
                guard call.address.host == "portal.sso.eu-central-1.amazonaws.com" else { return nil }
                guard call.header("x-amz-sso_bearer_token") == "sso-token" else { return SystemReply(status: 401) }
                let keys = #"{"accessKeyId":"ASIALENT","secretAccessKey":"s","sessionToken":"lent","expiration":4102444800000}"#
                return .json(200, #"{"roleCredentials":\#(keys)}"#)
            }
        }
        try await expectLent(try place("2100-01-01T00:00:00Z"))
        let ended = try place("2020-01-01T00:00:00Z")
        let error = await fault { _ = try await ended.connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.credentials" && error?.message.contains("aws sso login") == true)
    }

    private static let sha1OfCorp = "ee0bfd2552fbd840c02cc48b6e823320543c450f"

    @Test("SY-4 regions of China and the US government have their own host names and ARNs")
    func partitions() async throws {
        for (region, suffix, partition) in [
            ("cn-north-1", "amazonaws.com.cn", "aws-cn"), ("us-gov-west-1", "amazonaws.com", "aws-us-gov"),
            ("eu-west-1", "amazonaws.com", "aws"),
        ] {
            for (kind, settings, host) in [
                ("dynamodb", ["table": "t", "key": "k"], "dynamodb"), ("cognito", ["pool": "p"], "cognito-idp"),
                ("s3", ["bucket": "photos", "prefix": "{person}/"], "photos.s3"),
            ] {
                let service = AnsweringService { _ in SystemReply(status: 500) }
                let connector = try service.connector(kind, settings.merging(["region": region]) { $1 })
                #expect(connector.declaration.grants.allSatisfy { $0.resource.hasPrefix("arn:\(partition):") }, "\(kind) \(region)")
                _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
                #expect(service.sent.first?.address.host == "\(host).\(region).\(suffix)", "\(kind) \(region)")
            }
        }
    }

    @Test(
        "SY-1 a bucket whose name no host can have is reached by its path, with its own capitals",
        arguments: ["MyBucket", "my_bucket", "My_Bucket.2014", "bucket-"])
    func noHost(_ name: String) async throws {
        let service = AnsweringService { _ in SystemReply(status: 500) }
        let connector = try service.connector("s3", ["region": "us-east-1", "bucket": name, "prefix": "{person}/"])
        _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        let call = try #require(service.sent.first)
        #expect(call.address.host == "s3.us-east-1.amazonaws.com" && call.path == "/" + name)
        #expect(call.url.hasPrefix("https://s3.us-east-1.amazonaws.com/\(name)?"), "\(call.url)")
    }

    @Test(
        "SY-1 the path of an endpoint is a part of every call, as Supabase's S3 endpoint has one",
        arguments: [
            ("s3", ["bucket": "b", "prefix": "{person}/"], "/storage/v1/s3/b"),
            ("dynamodb", ["table": "t", "key": "k"], "/storage/v1/s3/"), ("cognito", ["pool": "p"], "/storage/v1/s3/"),
        ])
    func endpointWithPath(_ kind: String, _ settings: [String: String], _ path: String) async throws {
        let place = ["region": "eu-west-1", "endpoint": "https://abc.storage.supabase.co/storage/v1/s3"]
        let service = AnsweringService { call in SystemReply(status: call.method == "DELETE" ? 204 : 500) }
        let connector = try service.connector(kind, settings.merging(place) { $1 })
        _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(service.sent.first?.encodedPath == path && service.sent.first?.address.host == "abc.storage.supabase.co")
        guard kind == "s3" else { return }
        _ = try await connector.proveRights()
        #expect(service.sent.last?.method == "DELETE" && service.sent.last?.encodedPath.hasPrefix(path + "/farewell-unused-") == true)
    }

    @Test("an endpoint that ends with the bucket names the bucket once")
    func endpointWithBucket() async throws {
        let service = AnsweringService { _ in SystemReply(status: 500) }
        let connector = try service.connector(
            "s3",
            [
                "region": "auto", "bucket": "photos", "prefix": "{person}/",
                "endpoint": "https://abc.r2.cloudflarestorage.com/photos",
            ])
        _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(service.sent.first?.encodedPath == "/photos")
    }

    @Test("a bucket with dots in its name is reached by its path, since the certificate covers one label")
    func dotted() async throws {
        for (name, host, path) in [
            ("my.bucket", "s3.eu-west-1.amazonaws.com", "/my.bucket"), ("bucket", "bucket.s3.eu-west-1.amazonaws.com", "/"),
        ] {
            let service = AnsweringService { _ in SystemReply(status: 500) }
            let connector = try service.connector("s3", ["region": "eu-west-1", "bucket": name, "prefix": "{person}/"])
            _ = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
            #expect(service.sent.first?.address.host == host && service.sent.first?.path == path)
        }
    }
}
