// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// A system whose key reads everything, and what it says to a deletion.
struct ReadingKey: Sendable, CustomTestStringConvertible {
    let kind: String
    var settings: [String: String] = [:]
    /// The right that an erasure needs.
    let right: String
    let reads: @Sendable (SystemCall) -> SystemReply?
    /// The answers to a deletion: without the right, and for something that does not exist.
    let denied: SystemReply
    let missing: SystemReply

    var testDescription: String { "\(kind) \(settings["index"] ?? settings["type"] ?? settings["keys"] ?? "")" }

    private static let noAWS = SystemReply.json(400, #"{"__type":"com.amazon.coral.service#AccessDeniedException"}"#)
    private static let noGoogle = SystemReply.json(
        403, #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"m"}}"#)
    private static let noStripe = SystemReply.json(
        403,
        #"{"error":{"type":"invalid_request_error","message":"The provided key does not have the required permissions."}}"#
    )
    private static let table = """
        {"Table":{"TableName":"t","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],\
        "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"},\
        {"AttributeName":"b","AttributeType":"B"}],"GlobalSecondaryIndexes":[{"IndexName":"i",\
        "KeySchema":[{"AttributeName":"b","KeyType":"HASH"}]}]}}
        """
    private static let dynamo: @Sendable (SystemCall) -> SystemReply? = { call in
        call.header("x-amz-target")?.hasSuffix("DescribeTable") == true ? .json(200, table) : nil
    }
    private static let firestore: @Sendable (SystemCall) -> SystemReply? = {
        $0.encodedPath.hasSuffix("batchWrite") ? nil : .json(200, "[]")
    }
    private static let written = SystemReply.json(200, #"{"status":[{"code":5}],"writeResults":[{}]}"#)
    private static let bucket: [String: String] = ["region": "r", "bucket": "b", "endpoint": "https://s3.example.org"]
    private static let gone = SystemReply.json(
        404, #"{"error":{"code":404,"message":"No such object","errors":[{"reason":"notFound"}]}}"#)

    static let all: [ReadingKey] = [
        .init(
            kind: "s3", settings: bucket.merging(["prefix": "users/{person}/"]) { $1 }, right: "s3:DeleteObjectVersion",
            reads: { _ in nil },
            denied: .xml(403, "<Error><Code>AccessDenied</Code></Error>"), missing: SystemReply(status: 204)),
        .init(
            kind: "s3", settings: bucket.merging(["keys": "exact"]) { $1 }, right: "s3:AbortMultipartUpload",
            reads: { call in call.query.contains { $0.name == "versionId" } ? SystemReply(status: 204) : nil },
            denied: .xml(403, "<Error><Code>AccessDenied</Code></Error>"),
            missing: .xml(404, "<Error><Code>NoSuchUpload</Code></Error>")),
        .init(
            kind: "dynamodb", settings: ["region": "r", "table": "t", "key": "k"], right: "dynamodb:BatchWriteItem",
            reads: dynamo,
            denied: noAWS, missing: .json(200, #"{"UnprocessedItems":{}}"#)),
        .init(
            kind: "dynamodb", settings: ["region": "r", "table": "t", "key": "b", "index": "i"],
            right: "dynamodb:DeleteItem", reads: dynamo,
            denied: noAWS,
            missing: .json(
                400,
                #"{"__type":"x#TransactionCanceledException","CancellationReasons":[{"Code":"ConditionalCheckFailed"}]}"#
            )),
        .init(
            kind: "cognito", settings: ["region": "r", "pool": "p"], right: "cognito-idp:AdminDeleteUser",
            reads: { call in
                let isSignOut = call.header("x-amz-target")?.hasSuffix("AdminUserGlobalSignOut") == true
                return isSignOut ? .json(400, #"{"__type":"UserNotFoundException"}"#) : nil
            }, denied: noAWS, missing: .json(400, #"{"__type":"UserNotFoundException"}"#)),
        .init(
            kind: "firebase-auth", settings: ["project": "p"], right: "firebaseauth.users.delete", reads: { _ in nil },
            denied: noGoogle, missing: .json(400, #"{"error":{"code":400,"message":"USER_NOT_FOUND"}}"#)),
        .init(
            kind: "firebase-auth", settings: ["project": "p", "tenant": "t"], right: "firebaseauth.users.delete",
            reads: { _ in nil }, denied: noGoogle,
            missing: .json(400, #"{"error":{"code":400,"message":"USER_NOT_FOUND","status":"INVALID_ARGUMENT"}}"#)),
        .init(
            kind: "firestore", settings: ["project": "p", "path": "users/{person}/notes"],
            right: "datastore.entities.delete", reads: firestore,
            denied: noGoogle, missing: written),
        .init(
            kind: "firestore", settings: ["project": "p", "collection": "teams", "field": "members", "type": "array"],
            right: "datastore.entities.update", reads: firestore, denied: noGoogle, missing: written),
        .init(
            kind: "firebase-storage", settings: ["bucket": "b", "prefix": "{person}/"], right: "storage.objects.delete",
            reads: { _ in nil },
            denied: .json(403, #"{"error":{"code":403,"message":"m","errors":[{"reason":"forbidden"}]}}"#),
            missing: gone),
        .init(
            kind: "realtime-database", settings: ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"],
            right: "firebasedatabase.instances.update", reads: { _ in nil },
            denied: .json(401, #"{"error":"Permission denied"}"#), missing: .json(200, "null")),
        .init(
            kind: "stripe", right: "Customers: write",
            reads: { call in
                if call.method == "GET" { return .json(200, #"{"object":"list","data":[],"has_more":false}"#) }
                let isSubscription = call.path.contains("/subscriptions/")
                return isSubscription
                    ? .json(404, #"{"error":{"code":"resource_missing","message":"No such subscription"}}"#) : nil
            }, denied: noStripe,
            missing: .json(404, #"{"error":{"code":"resource_missing","message":"No such customer"}}"#)),
        .init(
            kind: "revenuecat", settings: ["project": "p"], right: "customer_information:customers:read_write",
            reads: { _ in nil },
            denied: .json(403, #"{"object":"error","type":"authorization_error","message":"m"}"#),
            missing: .json(404, #"{"object":"error","type":"resource_missing","message":"Resource not found."}"#)),
    ]
}

@Suite("A right to read is not a right to delete", .contracts)
struct DeletionRightsTests {
    @Test("SYS-10 SY-4 doctor's test of the right to delete names the missing right", arguments: ReadingKey.all)
    func missing(_ key: ReadingKey) async throws {
        let service = AnsweringService { key.reads($0) ?? key.denied }
        let connector = try service.emulated(key.kind, key.settings)
        let error = await fault { _ = try await connector.proveRights() }
        #expect(
            error?.code == "connector.credentials" && error?.message.contains(key.right) == true,
            "\(String(describing: error))")
        #expect(
            connector.declaration.permissions.contains { $0.contains(key.right) },
            "\(connector.declaration.permissions)")
    }

    @Test(
        "SYS-10 SY-4 doctor's test of the right to delete uses a name that no user has, and another one each time",
        arguments: ReadingKey.all)
    func unused(_ key: ReadingKey) async throws {
        let service = AnsweringService { key.reads($0) ?? key.missing }
        let connector = try service.emulated(key.kind, key.settings)
        #expect(try await connector.proveRights() != nil)
        let first = service.sent
        #expect(try await connector.proveRights() != nil)
        let deletions = [first, Array(service.sent.dropFirst(first.count))].map { calls in
            calls.filter { key.reads($0) == nil }.map { $0.url + String(decoding: $0.body, as: UTF8.self) }
        }
        #expect(!deletions[0].isEmpty && Set(deletions[0]).isDisjoint(with: deletions[1]), "\(deletions)")
        #expect(
            deletions.joined().allSatisfy { $0.contains("farewell-unused-") || key.settings["index"] != nil },
            "\(deletions)")
    }
}
