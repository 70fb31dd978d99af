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
}
