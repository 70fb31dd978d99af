// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

/// A system in which the subject has two names, and refuses the first.
struct TwoNames: Sendable, CustomTestStringConvertible {
    let kind: String
    let settings: [String: String]
    let names: [String]
    let answer: @Sendable (SystemCall) -> SystemReply
    /// Whether a call deletes the second name's data.
    let deletes: @Sendable (SystemCall) -> Bool

    var testDescription: String { kind }

    init(
        _ kind: String, _ settings: [String: String], _ names: [String],
        _ answer: @escaping @Sendable (SystemCall) -> SystemReply, deletes: @escaping @Sendable (SystemCall) -> Bool
    ) {
        self.kind = kind
        self.settings = settings
        self.names = names
        self.answer = answer
        self.deletes = deletes
    }

    private static func isRemoval(_ call: SystemCall, _ end: String) -> Bool {
        call.method == "DELETE" && call.encodedPath.hasSuffix(end)
    }

    static let all: [TwoNames] = [
        TwoNames(
            "s3", ["region": "r", "bucket": "b", "prefix": "{person}/", "endpoint": "https://s3.example.org"],
            ["a/b", "u1"]
        ) { call in
            if call.method == "POST" { return .xml(200, "<DeleteResult></DeleteResult>") }
            let isVersions = call.query.contains { $0.name == "versions" }
            let root = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
            let version = isVersions ? "<Version><Key>u1/x</Key><VersionId>v</VersionId></Version>" : ""
            return .xml(200, "<\(root)><IsTruncated>false</IsTruncated>\(version)</\(root)>")
        } deletes: {
            $0.method == "POST" && String(decoding: $0.body, as: UTF8.self).contains("<Key>u1/x</Key>")
        },
        TwoNames("dynamodb", ["region": "r", "table": "t", "key": "k"], ["ann", "7"]) { call in
            switch call.header("x-amz-target") ?? "" {
            case let target where target.hasSuffix("DescribeTable"):
                let key = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
                return .json(
                    200, #"{"Table":{"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"N"}],\#(key)}}"#)
            case let target where target.hasSuffix("Query"):
                return .json(200, #"{"Count":1,"Items":[{"k":{"N":"7"}}]}"#)
            default: return .json(200, #"{"UnprocessedItems":{}}"#)
            }
        } deletes: {
            $0.header("x-amz-target")?.hasSuffix("BatchWriteItem") == true
                && String(decoding: $0.body, as: UTF8.self).contains(#""N":"7""#)
        },
        TwoNames("cognito", ["region": "r", "pool": "p"], ["ann", "u1"]) { call in
            let isAnn = String(decoding: call.body, as: UTF8.self).contains("ann")
            return .json(200, #"{"Username":"\#(isAnn ? "ANN" : "u1")"}"#)
        } deletes: {
            $0.header("x-amz-target")?.hasSuffix("AdminDeleteUser") == true
                && String(decoding: $0.body, as: UTF8.self).contains("u1")
        },
        TwoNames("firebase-auth", ["project": "p"], ["ann", "u1"]) { call in
            String(decoding: call.body, as: UTF8.self).contains("ann")
                ? .json(400, #"{"error":{"code":400,"message":"INVALID_LOCAL_ID","errors":[{"reason":"invalid"}]}}"#)
                : .json(200, #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
        } deletes: {
            $0.encodedPath.hasSuffix("accounts:delete") && String(decoding: $0.body, as: UTF8.self).contains("u1")
        },
        TwoNames("firestore", ["project": "p", "path": "users/{person}"], ["a/b", "u1"]) { call in
            let path = "projects/p/databases/(default)/documents/users/u1"
            return switch call.encodedPath {
            case let verb where verb.hasSuffix("runQuery"): .json(200, #"[{"readTime":"2026-01-02T03:04:05Z"}]"#)
            case let verb where verb.hasSuffix("batchGet"): .json(200, #"[{"found":{"name":"\#(path)"}}]"#)
            default: .json(200, #"{"status":[{}],"writeResults":[{}]}"#)
            }
        } deletes: {
            $0.encodedPath.hasSuffix("batchWrite") && String(decoding: $0.body, as: UTF8.self).contains("u1")
        },
        TwoNames("firebase-storage", ["bucket": "b", "prefix": "{person}/"], ["a/b", "u1"]) { call in
            call.method == "DELETE"
                ? SystemReply(status: 204)
                : .json(200, #"{"kind":"storage#objects","items":[{"name":"u1/x","generation":"1"}]}"#)
        } deletes: {
            isRemoval($0, "/o/u1%2Fx")
        },
        TwoNames(
            "realtime-database", ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"], ["a.b", "u1"]
        ) { call in
            call.method == "DELETE" ? .json(200, "null") : .json(200, #"{"x":true}"#)
        } deletes: {
            isRemoval($0, "/users/u1.json")
        },
        TwoNames("supabase-auth", ["endpoint": "https://auth.example.org"], ["a/b", "u1"]) { _ in
            .json(200, "{}")
        } deletes: {
            isRemoval($0, "/admin/users/u1")
        },
        TwoNames(
            "supabase-storage", ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"],
            ["a/b", "u1"]
        ) { call in
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b"}"#) }
            return call.method == "DELETE" ? .json(200, #"[{"name":"u1/x"}]"#) : .json(200, #"[{"name":"x","id":"1"}]"#)
        } deletes: {
            $0.method == "DELETE" && String(decoding: $0.body, as: UTF8.self).contains("u1")
        },
        TwoNames("apple", ["client": "app", "team": "T", "key_id": "K"], ["theirs", "ours"]) { call in
            String(decoding: call.body, as: UTF8.self).contains("theirs")
                ? .json(400, #"{"error":"invalid_grant","error_description":"client_id mismatch"}"#)
                : SystemReply(status: 200)
        } deletes: {
            $0.encodedPath.hasSuffix("/auth/revoke") && String(decoding: $0.body, as: UTF8.self).contains("ours")
        },
        TwoNames("stripe", [:], ["cus_1", "cus_2"]) { call in
            if call.encodedPath.hasSuffix("/cus_1") {
                let why =
                    "No such customer: 'cus_1'; a similar object exists in live mode, but a test mode key was used."
                return .json(404, #"{"error":{"code":"resource_missing","message":"\#(why)"}}"#)
            }
            if call.method == "DELETE" { return .json(200, #"{"id":"cus_2","object":"customer","deleted":true}"#) }
            return call.encodedPath.hasSuffix("/cus_2")
                ? .json(200, #"{"id":"cus_2","object":"customer"}"#)
                : .json(200, #"{"object":"list","data":[],"has_more":false}"#)
        } deletes: {
            isRemoval($0, "/v1/customers/cus_2")
        },
        TwoNames("revenuecat", ["project": "p"], ["a/b", "u1"]) { call in
            if call.method == "DELETE" { return .json(200, #"{"object":"customer","id":"u1","deleted_at":1}"#) }
            return .json(200, call.path.hasSuffix("/aliases") ? #"{"object":"list","items":[{"id":"u1"}]}"# : #"{"id":"u1"}"#)
        } deletes: {
            isRemoval($0, "/customers/u1")
        },
    ]
}

@Suite("A subject with several names in a system", .contracts)
struct ManyNamesTests {
    @Test(
        "SY-3 one refused name does not keep the data of the others, and is reported at the end",
        arguments: TwoNames.all)
    func refused(_ two: TwoNames) async throws {
        let service = AnsweringService(two.answer)
        let key = two.kind == "apple" ? try PeerProcess.vendors.get().text("apple") : "k"
        let connector = try service.emulated(two.kind, two.settings, key: key)
        let error = await fault { try await Self.drive(connector, two.names) }
        #expect(error?.code == "connector.refused", "\(two.kind): \(String(describing: error))")
        #expect(service.sent.contains(where: two.deletes), "\(two.kind): \(service.sent.map(\.url))")
    }

    /// A whole run: counted, erased page by page, read back.
    static func drive(_ connector: any Connector, _ names: [String]) async throws {
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        _ = try await driver.run(.init(key: "k", names: names), from: nil) { _ in }
    }

    @Test("SY-3 Stripe's postponed customers keep their order, and a single refused customer is refused at once")
    func stripe() async throws {
        let gone = Guarded<[String]>([])
        let service = AnsweringService { call in
            let name = call.encodedPath.split(separator: "/").last.map(String.init) ?? ""
            guard name.hasPrefix("cus_") else { return .json(200, #"{"object":"list","data":[],"has_more":false}"#) }
            if ["cus_1", "cus_3"].contains(name) {
                return .json(
                    404, #"{"error":{"code":"resource_missing","message":"a similar object exists in live mode"}}"#)
            }
            if call.method == "DELETE" { gone.withLock { $0.append(name) } }
            return .json(
                200, #"{"id":"\#(name)","object":"customer"\#(call.method == "DELETE" ? ",\"deleted\":true" : "")}"#)
        }
        let connector = try service.connector("stripe", [:])
        let error = await fault { try await Self.drive(connector, ["cus_1", "cus_2", "cus_3", "cus_4"]) }
        #expect(
            error?.code == "connector.refused" && error?.message.contains("live mode") == true,
            "\(String(describing: error))")
        #expect(gone.withLock { $0 } == ["cus_2", "cus_4"])
        let alone = await fault { _ = try await connector.erase(.init(key: "k", names: ["cus_1"])) }
        #expect(alone?.code == "connector.refused")
    }
}

extension AnsweringService {
    /// A connector of that kind; those of Google's believe that it is an emulator.
    func emulated(_ kind: String, _ settings: [String: String], key: String = "k") throws -> any Connector {
        guard kind.hasPrefix("fire") || kind == "realtime-database" else {
            return try connector(kind, settings, key: key)
        }
        let variables = [
            "FIRESTORE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "STORAGE_EMULATOR_HOST",
            "FIREBASE_DATABASE_EMULATOR_HOST",
        ]
        let world = ConnectorWorld.hurried(
            self, environment: Dictionary(uniqueKeysWithValues: variables.map { ($0, "127.0.0.1:1") }))
        let plan = Plan(
            subject: SubjectRoot(table: TableName("people"), key: "id"), tables: [],
            systems: [SystemPlan(name: "it", kind: kind, settings: settings)])
        return try #require(try ConnectorKinds.connectors(of: plan, world: world)["it"])
    }
}
