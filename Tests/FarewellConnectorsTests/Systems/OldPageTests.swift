// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

/// A service with one entry of `u1` on its first page, and a mark of a second page that it no longer takes.
struct OldPage: Sendable, CustomTestStringConvertible {
    let kind: String
    let settings: [String: String]
    /// Whether a call asks for the page behind the mark.
    let isBehind: @Sendable (SystemCall) -> Bool
    let refusal: SystemReply
    let deletes: @Sendable (SystemCall) -> Bool
    let deleted: SystemReply
    /// The answer to any other call.
    let answer: @Sendable (_ call: SystemCall, _ isThere: Bool) -> SystemReply

    var testDescription: String { kind }

    static let all = [
        OldPage(kind: "firebase-storage", settings: ["bucket": "b", "prefix": "{person}/"]) { call in
            call.query.contains { $0.name == "pageToken" }
        } refusal: {
            .json(400, #"{"error":{"code":400,"message":"Invalid argument.","errors":[{"reason":"invalid"}]}}"#)
        } deletes: {
            $0.method == "DELETE"
        } deleted: {
            SystemReply(status: 204)
        } answer: { _, isThere in
            let items = isThere ? #","items":[{"name":"u1/a","generation":"1"}],"nextPageToken":"old""# : ""
            return .json(200, #"{"kind":"storage#objects"\#(items)}"#)
        },
        OldPage(kind: "dynamodb", settings: ["region": "r", "table": "t", "key": "k"]) {
            String(decoding: $0.body, as: UTF8.self).contains("ExclusiveStartKey")
        } refusal: {
            .json(400, #"{"__type":"x#ValidationException","message":"The provided starting key is invalid"}"#)
        } deletes: {
            $0.header("x-amz-target")?.hasSuffix("BatchWriteItem") == true
        } deleted: {
            .json(200, #"{"UnprocessedItems":{}}"#)
        } answer: { call, isThere in
            if call.header("x-amz-target")?.hasSuffix("DescribeTable") == true {
                let key = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
                return .json(200, #"{"Table":{"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],\#(key)}}"#)
            }
            guard isThere else { return .json(200, #"{"Count":0,"Items":[]}"#) }
            let isCount = String(decoding: call.body, as: UTF8.self).contains("COUNT")
            let last = isCount ? "" : #","LastEvaluatedKey":{"k":{"S":"u1"}}"#
            return .json(200, #"{"Count":1,"Items":[{"k":{"S":"u1"}}]\#(last)}"#)
        },
        OldPage(kind: "firestore", settings: ["project": "p", "path": "users/{person}/notes"]) { call in
            call.query.contains { $0.name == "pageToken" }
        } refusal: {
            .json(400, #"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The page token is invalid."}}"#)
        } deletes: {
            $0.encodedPath.hasSuffix("batchWrite")
        } deleted: {
            .json(200, #"{"status":[{}],"writeResults":[{}]}"#)
        } answer: { call, isThere in
            if call.encodedPath.hasSuffix("runQuery") { return .json(200, #"[{"readTime":"2026-01-02T03:04:05Z"}]"#) }
            guard call.encodedPath.hasSuffix("/notes"), isThere else { return .json(200, "{}") }
            let name = "projects/p/databases/(default)/documents/users/u1/notes/a"
            let document = #"{"name":"\#(name)","createTime":"2026-01-02T03:04:05Z"}"#
            return .json(200, #"{"documents":[\#(document)],"nextPageToken":"old"}"#)
        },
    ]

    init(
        kind: String, settings: [String: String], isBehind: @escaping @Sendable (SystemCall) -> Bool,
        refusal: () -> SystemReply, deletes: @escaping @Sendable (SystemCall) -> Bool, deleted: () -> SystemReply,
        answer: @escaping @Sendable (_ call: SystemCall, _ isThere: Bool) -> SystemReply
    ) {
        self.kind = kind
        self.settings = settings
        self.isBehind = isBehind
        self.refusal = refusal()
        self.deletes = deletes
        self.deleted = deleted()
        self.answer = answer
    }
}

@Suite("Marks of pages that a service no longer takes", .contracts)
struct OldPageTests {
    @Test("SY-3 a released erasure reads from the beginning if the service no longer takes a page's mark", arguments: OldPage.all)
    func anew(_ old: OldPage) async throws {
        let isThere = Guarded(true)
        let service = AnsweringService { call in
            if old.isBehind(call) { return old.refusal }
            guard old.deletes(call) else { return old.answer(call, isThere.withLock { $0 }) }
            isThere.withLock { $0 = false }
            return old.deleted
        }
        let connector = try service.emulated(old.kind, old.settings)
        let kept = Guarded<StepProgress?>(nil)
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        func run() async throws -> StepProgress {
            try await driver.run(.init(key: "run", names: ["u1"]), from: kept.withLock { $0 }) { progress in
                kept.withLock { $0 = progress }
            }
        }
        #expect(await fault { _ = try await run() }?.code == "connector.refused")
        #expect(!isThere.withLock { $0 })
        #expect(try await run().counts["erased"] == 1)
    }
}
