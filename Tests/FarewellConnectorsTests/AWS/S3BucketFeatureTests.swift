// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Buckets of S3 that no key alone can empty", .contracts)
struct S3BucketFeatureTests {
    private static let settings = [
        "region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org",
    ]

    @Test("SY-4 a bucket with MFA Delete is named as the cause by doctor and by an erasure, and not a missing right")
    func secondFactor() async throws {
        let message = "Mfa Authentication must be used for this request"
        let service = AnsweringService { call in
            let query = Set(call.query.map(\.name))
            guard call.method == "GET" else {
                if query.contains("uploadId") { return SystemReply(status: 204) }
                return .xml(403, "<Error><Code>AccessDenied</Code><Message>\(message)</Message></Error>")
            }
            if query.contains("uploads") {
                return .xml(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
            }
            // The second key goes alone, because XML cannot express it.
            let rows = ["users/u1/a", "users/u1/%10"].map { "<Version><Key>\($0)</Key><VersionId>1</VersionId></Version>" }
            let list = "<Name>b</Name><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>\(rows.joined())"
            return .xml(200, "<ListVersionsResult>\(list)</ListVersionsResult>")
        }
        let connector = try service.connector("s3", Self.settings)
        for error in [
            await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) },
            await fault { _ = try await connector.proveRights() },
        ] {
            #expect(
                error?.code == "connector.misconfigured" && error?.message.contains("MFA Delete") == true,
                "\(String(describing: error))")
        }
    }

    @Test("SY-4 a directory bucket of Amazon's is refused when the plan is read, and another service may have such a name")
    func directoryBucket() throws {
        var settings = Self.settings.merging(["bucket": "photos--euw1-az1--x-s3"]) { $1 }
        let service = AnsweringService { _ in SystemReply(status: 500) }
        _ = try service.connector("s3", settings)
        settings["endpoint"] = nil
        let error = #expect(throws: FarewellError.self) { try service.connector("s3", settings) }
        #expect(error?.message.contains("directory bucket") == true)
    }

    @Test(
        "SY-1 of a bucket whose requester pays, every call says so and signs it; without the setting none does",
        arguments: [true, false])
    func requesterPays(_ pays: Bool) async throws {
        let service = AnsweringService { call in
            let query = Set(call.query.map(\.name))
            switch call.method {
            case "DELETE": return SystemReply(status: 204)
            case "POST": return .xml(200, "<DeleteResult></DeleteResult>")
            default: break
            }
            guard query.contains("uploads") || query.contains("versions") else {
                return SystemReply(status: 206, headers: ["content-range": "bytes 0-0/1"], body: [1])
            }
            guard query.contains("versions") else {
                let upload = "<Upload><Key>users/u1/b</Key><UploadId>2</UploadId></Upload>"
                return .xml(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>\(upload)</ListMultipartUploadsResult>")
            }
            // The second key goes alone, because XML cannot express it.
            let rows = ["users/u1/a", "users/u1/%10"].map { "<Version><Key>\($0)</Key><VersionId>1</VersionId></Version>" }
            let list = "<Name>b</Name><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>\(rows.joined())"
            return .xml(200, "<ListVersionsResult>\(list)</ListVersionsResult>")
        }
        let connector = try service.connector("s3", Self.settings.merging(pays ? ["payer": "requester"] : [:]) { $1 })
        _ = try await connector.prove()
        _ = try await connector.proveRights()
        _ = try await connector.erase(.init(key: "k", names: ["u1"]))
        try await #require(connector as? any ReadingConnector).read(.init(key: "k", names: ["u1"]), into: CollectingSink())
        #expect(Set(service.sent.map(\.method)) == ["GET", "POST", "DELETE"])
        for call in service.sent {
            #expect(call.header("x-amz-request-payer") == (pays ? "requester" : nil), "\(call.method) \(call.encodedQuery)")
            #expect(call.header("Authorization")?.contains(";x-amz-request-payer") == pays)
        }
    }

    @Test("SY-1 a question about the bucket itself, which has no such parameter, does not name its payer")
    func versioningHasNoPayer() async throws {
        let service = AnsweringService { call in
            let query = Set(call.query.map(\.name))
            if query.contains("versioning") { return .xml(200, "<VersioningConfiguration></VersioningConfiguration>") }
            if query.contains("versions") || query.contains("uploads") { return .xml(501, "<Error><Code>NotImplemented</Code></Error>") }
            return .xml(
                200,
                "<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
                    + "<Contents><Key>users/u1/a</Key></Contents></ListBucketResult>")
        }
        let connector = try service.connector("s3", Self.settings.merging(["payer": "requester"]) { $1 })
        #expect(try await connector.count(.init(key: "k", names: ["u1"])) == 1)
        #expect(service.sent.contains { $0.encodedQuery.contains("versioning") })
        for call in service.sent {
            let isAboutBucket = call.encodedQuery.contains("versioning")
            #expect(call.header("x-amz-request-payer") == (isAboutBucket ? nil : "requester"), "\(call.encodedQuery)")
        }
    }

    @Test("the setting `payer` takes no other word than `owner` and `requester`")
    func strangePayer() throws {
        let service = AnsweringService { _ in SystemReply(status: 500) }
        let error = #expect(throws: FarewellError.self) {
            try service.connector("s3", Self.settings.merging(["payer": "yes"]) { $1 })
        }
        #expect(error?.code == "plan.system")
    }
}
