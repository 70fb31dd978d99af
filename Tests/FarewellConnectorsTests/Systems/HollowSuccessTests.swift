// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("An answer of success that does not say what was done", .contracts)
struct HollowSuccessTests {
    private static let names = ConnectorRequest(key: "k", names: ["u1"])

    @Test("SYS-06 Cognito answers a deletion without a body, which counts only with the number that its answers have")
    func cognito() async throws {
        for fields in [["x-amzn-requestid": "1"], [:]] {
            let isGone = Guarded(false)
            let service = AnsweringService { call in
                let target = call.headers.first { $0.name == "x-amz-target" }?.value ?? ""
                if target.hasSuffix(".AdminDeleteUser") { isGone.withLock { $0 = true } }
                let type = ["content-type": "application/x-amz-json-1.1"]
                if !target.hasSuffix(".AdminGetUser") { return SystemReply(status: 200, headers: type.merging(fields) { $1 }) }
                return isGone.withLock { $0 }
                    ? .json(400, #"{"__type":"UserNotFoundException"}"#)
                    : .json(200, #"{"Username":"u1","UserAttributes":[]}"#)
            }
            let connector = try service.connector("cognito", ["region": "r", "pool": "p", "mixed": "allowed"])
            guard fields.isEmpty else {
                #expect(try await connector.erase(Self.names) == .erased(1))
                #expect(try await connector.verify(Self.names) == .gone)
                continue
            }
            let error = await fault { _ = try await connector.erase(Self.names) }
            #expect(error?.code == "connector.garbled", "\(String(describing: error))")
        }
    }

    @Test("SY-1 RevenueCat: the customer as an answer to a deletion does not say that the customer is deleted")
    func revenueCat() async throws {
        let service = AnsweringService { call in
            call.path.hasSuffix("/aliases")
                ? .json(200, #"{"object":"list","items":[{"id":"u1"}]}"#) : .json(200, #"{"object":"customer","id":"u1"}"#)
        }
        let connector = try service.connector("revenuecat", ["project": "p"])
        let error = await fault { _ = try await connector.erase(Self.names) }
        #expect(error?.code == "connector.garbled", "\(String(describing: error))")
        #expect(service.sent.contains { $0.method == "DELETE" })
    }

    @Test(
        "SY-1 Stripe: a subscription ends only if Stripe says so, and the customer is not deleted before",
        arguments: [
            SystemReply.json(200, #"{"id":"sub_1","status":"active"}"#), .json(200, #"{"id":"sub_2","status":"canceled"}"#),
            .json(404, #"{"message":"no route"}"#), .json(404, "{}"),
        ])
    func stripe(_ reply: SystemReply) async throws {
        let service = AnsweringService { call in
            switch (call.method, call.path) {
            case ("GET", "/v1/customers/u1"): return .json(200, #"{"id":"u1","object":"customer"}"#)
            case ("GET", _): return .json(200, #"{"object":"list","data":[{"id":"sub_1","status":"active"}],"has_more":false}"#)
            case (_, "/v1/customers/u1"): return .json(200, #"{"id":"u1","deleted":true}"#)
            default: return reply
            }
        }
        let connector = try service.connector("stripe", [:])
        let error = await fault { _ = try await connector.erase(Self.names) }
        #expect(error?.code == "connector.garbled", "\(String(describing: error))")
        #expect(!service.sent.contains { $0.method == "DELETE" && $0.path == "/v1/customers/u1" })
    }

    @Test("SY-1 DynamoDB: items that a batch did not delete count as left, under whatever name the answer lists them")
    func dynamoDB() async throws {
        let keys = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
        let attributes = #""AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]"#
        let table = #"{"Table":{"TableName":"tab",\#(keys),\#(attributes)}}"#
        let left = #"{"DeleteRequest":{"Key":{"k":{"S":"u1"}}}}"#
        for unprocessed in [#"{"other":[\#(left)]}"#, #"{"tab":\#(left)}"#, #"{"tab":[\#(left),\#(left)]}"#, "[]"] {
            let service = AnsweringService { call in
                let target = call.headers.first { $0.name == "x-amz-target" }?.value ?? ""
                if target.hasSuffix(".DescribeTable") { return .json(200, table) }
                if target.hasSuffix(".BatchWriteItem") { return .json(200, #"{"UnprocessedItems":\#(unprocessed)}"#) }
                return .json(200, #"{"Count":1,"Items":[{"k":{"S":"u1"}}]}"#)
            }
            let connector = try service.connector("dynamodb", ["region": "r", "table": "tab", "key": "k"])
            let error = await fault { _ = try await connector.erase(Self.names) }
            #expect(error?.code == "connector.garbled", "\(unprocessed): \(String(describing: error))")
        }
    }

    @Test("SY-1 S3: a page as an answer to the deletion of one object does not say that the object is deleted")
    func s3() async throws {
        // A batch cannot contain the key, so the object is deleted alone.
        let version = "<Version><Key>users/u1/b%10c</Key><VersionId>v1</VersionId></Version>"
        let list = "<Name>b</Name><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
        let service = AnsweringService { call in
            if call.method == "DELETE" {
                return SystemReply(status: 200, headers: ["content-type": "text/html"], body: Array("<p>Welcome</p>".utf8))
            }
            let isOfUploads = call.query.contains { $0.name == "uploads" }
            return isOfUploads
                ? .xml(200, "<ListMultipartUploadsResult><Bucket>b</Bucket><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
                : .xml(200, "<ListVersionsResult>\(list)\(version)</ListVersionsResult>")
        }
        let connector = try service.connector("s3", ["region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/"])
        let error = await fault { _ = try await connector.erase(Self.names) }
        #expect(error?.code == "connector.garbled", "\(String(describing: error))")
        #expect(service.sent.contains { $0.method == "DELETE" })
    }

    @Test("SY-1 Realtime Database: the address of another region is named as the cause, and is no empty database")
    func region() async throws {
        let service = AnsweringService { _ in
            .json(404, #"{"correctUrl":"https://a.example","error":"Database lives in a different region. Please change your URL"}"#)
        }
        let settings = ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"]
        let connector = try service.emulated("realtime-database", settings)
        let error = await fault { _ = try await connector.verify(Self.names) }
        #expect(
            error?.code == "connector.misconfigured" && error?.message.contains("another region") == true,
            "\(String(describing: error))")
    }
}
