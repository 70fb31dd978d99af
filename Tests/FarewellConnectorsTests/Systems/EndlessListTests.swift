// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Testing

/// A system whose lists name the page that they are as the next one. After many calls it answers nothing any more.
private struct EndlessList: Sendable, CustomTestStringConvertible {
    let kind: String
    let settings: [String: String]
    let answer: @Sendable (SystemCall) -> SystemReply

    var testDescription: String { "\(kind) \(settings["path"] ?? settings["field"] ?? "")" }

    init(_ kind: String, _ settings: [String: String], _ answer: @escaping @Sendable (SystemCall) -> SystemReply) {
        (self.kind, self.settings, self.answer) = (kind, settings, answer)
    }

    func service() -> AnsweringService {
        let calls = Guarded(0)
        return AnsweringService { call in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            return number > 60 ? SystemReply(status: 500) : answer(call)
        }
    }

    private static func firestore(_ call: SystemCall) -> SystemReply {
        let name = #""name":"projects/p/databases/(default)/documents/"#
        if call.encodedPath.hasSuffix(":listCollectionIds") { return .json(200, #"{"collectionIds":[],"nextPageToken":"t"}"#) }
        if call.encodedPath.hasSuffix(":batchGet") { return .json(200, #"[{"missing":\#(name.dropFirst(7))users/u1"}]"#) }
        if call.encodedPath.hasSuffix(":batchWrite") {
            let writes = String(decoding: call.body, as: UTF8.self).split(separator: #""delete":"#).count - 1
            let some = Array(repeating: "{}", count: writes).joined(separator: ",")
            return .json(200, #"{"status":[\#(some)],"writeResults":[\#(some)]}"#)
        }
        guard call.encodedPath.hasSuffix(":runQuery") else { return .json(200, #"{"nextPageToken":"t"}"#) }
        let found = (0..<200).map { #"{"document":{\#(name)users/u1/a/\#($0)"},"readTime":"2026-01-02T03:04:05Z"}"# }
        return .json(200, "[\(found.joined(separator: ","))]")
    }

    static let all: [EndlessList] = [
        .init("firestore", ["project": "p", "path": "users/{person}"], firestore),
        .init("firestore", ["project": "p", "path": "users/{person}/notes"], firestore),
        .init("firebase-storage", ["bucket": "b", "prefix": "users/{person}/"]) { _ in
            .json(200, #"{"kind":"storage#objects","nextPageToken":"t"}"#)
        },
        .init("s3", ["region": "r", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"]) { call in
            let root = call.query.contains { $0.name == "versions" } ? "ListVersionsResult" : "ListMultipartUploadsResult"
            return .xml(200, "<\(root)><IsTruncated>true</IsTruncated><NextKeyMarker>users/u1/a</NextKeyMarker></\(root)>")
        },
        .init("dynamodb", ["region": "r", "table": "t", "key": "k"]) { call in
            guard call.headers.contains(where: { $0.value.hasSuffix("DescribeTable") }) else {
                return .json(200, #"{"Count":0,"Items":[],"LastEvaluatedKey":{"k":{"S":"u1"}}}"#)
            }
            let key = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
            return .json(200, #"{"Table":{"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],\#(key)}}"#)
        },
        .init("supabase-storage", ["endpoint": "https://abc.supabase.co/storage/v1", "bucket": "b", "prefix": "{person}/"]) { call in
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b"}"#) }
            return .json(200, "[\((0..<1_000).map { #"{"name":"\#($0)","id":"\#($0)"}"# }.joined(separator: ","))]")
        },
    ]
}

@Suite("Lists without an end", .contracts)
struct EndlessListTests {
    @Test(
        "SC-2 SY-1 a list whose next page is the same page again is no answer, for counting, erasing and reading back",
        arguments: EndlessList.all)
    private func samePage(_ list: EndlessList) async throws {
        for act in 0...2 {
            let connector = try list.service().emulated(list.kind, list.settings, key: "sb_secret_x")
            let error = await fault {
                switch act {
                case 0: _ = try await connector.count(.init(key: "k", names: ["u1"]))
                case 1:
                    let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
                    _ = try await driver.run(.init(key: "k", names: ["u1"]), from: StepProgress(effect: 1)) { _ in }
                default: _ = try await connector.verify(.init(key: "k", names: ["u1"]))
                }
            }
            let isTold = ["same page of a list again", "same cursor again"].contains { error?.message.contains($0) == true }
            #expect(isTold, "\(list.testDescription) \(act): \(String(describing: error))")
        }
    }

    @Test("SY-1 a page of Stripe's subscriptions that comes again is no answer, and the customer stays")
    func stripe() async throws {
        let calls = Guarded(0)
        let service = AnsweringService { call in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number > 60 { return SystemReply(status: 500) }
            guard call.path.contains("/subscriptions") || call.path.contains("/invoices") else {
                return .json(200, #"{"id":"cus_1","object":"customer","livemode":true}"#)
            }
            return .json(200, #"{"object":"list","data":[{"id":"sub_1","status":"active"}],"has_more":true}"#)
        }
        let error = await fault { _ = try await service.connector("stripe", [:]).erase(.init(key: "k", names: ["cus_1"])) }
        #expect(error?.message.contains("same page of a list again") == true, "\(String(describing: error))")
        #expect(!service.sent.contains { $0.method == "DELETE" && $0.path.hasPrefix("/v1/customers") })
    }

    /// One page of a list: the first has one entry, and each but the last ends at a mark.
    private static func page(_ kind: String, until mark: String?, isFirst: Bool) -> SystemReply {
        switch kind {
        case "s3":
            let own = isFirst ? "<Version><Key>users/u1/a</Key><VersionId>null</VersionId></Version>" : ""
            let end = mark.map { "<IsTruncated>true</IsTruncated><NextKeyMarker>users/u1/\($0)</NextKeyMarker>" }
            return .xml(200, "<ListVersionsResult>\(own)\(end ?? "<IsTruncated>false</IsTruncated>")</ListVersionsResult>")
        case "dynamodb":
            let end = mark.map { #","LastEvaluatedKey":{"k":{"S":"u1"},"s":{"S":"\#($0)"}}"# } ?? ""
            return .json(200, #"{"Count":\#(isFirst ? 1 : 0)\#(end)}"#)
        default:
            let own = isFirst ? #"{"id":"u1"}"# : ""
            let end = mark.map { #","next_page":"/v2/a?starting_after=\#($0)""# } ?? ""
            return .json(200, #"{"object":"list","items":[\#(own)]\#(end)}"#)
        }
    }

    private static let table =
        #"{"Table":{"KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],"#
        + #""AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"s","AttributeType":"S"}]}}"#

    @Test(
        "SY-2 two pages that end at names that Unicode treats as equal are two pages",
        arguments: [
            ("s3", ["region": "r", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"]),
            ("dynamodb", ["region": "r", "table": "t", "key": "k"]), ("revenuecat", ["project": "p"]),
        ])
    func alike(_ kind: String, _ settings: [String: String]) async throws {
        let (pages, marks) = (Guarded(0), ["e\u{301}", "\u{e9}"])
        let service = AnsweringService { call in
            if call.query.contains(where: { $0.name == "uploads" }) {
                return .xml(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
            }
            if call.headers.contains(where: { $0.value.hasSuffix("DescribeTable") }) { return .json(200, Self.table) }
            let number = pages.withLock { pages in
                pages += 1
                return pages
            }
            return Self.page(kind, until: number < 3 ? marks[number - 1] : nil, isFirst: number == 1)
        }
        #expect(try await service.connector(kind, settings).count(.init(key: "k", names: ["u1"])) == 1)
        #expect(pages.withLock { $0 } == 3)
    }

    @Test("P4 a service of the team's own that erases nothing and returns the same cursor ends no run by going on for ever")
    func cursor() async throws {
        let one = ScriptedService.Reply.json(200, #"{"erased":1,"cursor":"more"}"#)
        let none = ScriptedService.Reply.json(200, #"{"erased":0,"cursor":"more"}"#)
        let service = ScriptedService(replies: [.json(200, #"{"left":2}"#), one, one, none, none, none])
        let driver = ConnectorDriver("lists", try service.connector(), sleep: { _ in }, chance: { 0.5 })
        let error = await fault { _ = try await driver.run(.init(key: "k", names: ["u1"]), from: nil) { _ in } }
        #expect(error?.code == "connector.garbled" && error?.message.contains("same cursor again") == true, "\(String(describing: error))")
        #expect(service.sent.count == 4)
    }
}
