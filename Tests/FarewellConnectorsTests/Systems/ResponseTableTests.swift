// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import InteropProgram
import Testing

/// A line of a table, and its table.
struct TabledLine: Sendable, CustomTestStringConvertible {
    let table: ResponseTable
    let line: ResponseLine

    var testDescription: String { "\(table.kind): \(line.response)" }

    static let all = ResponseTable.all.flatMap { table in table.lines.map { TabledLine(table: table, line: $0) } }

    var status: Int { line.statuses.first ?? 400 }
    var message: String { line.saying.map { "before \($0) after" } ?? "Something." }
}

@Suite("The connectors' reading of responses, line by line", .contracts)
struct ResponseTableTests {
    @Test("SYS-06 SYS-07 SYS-12 no line is hidden by an earlier one", arguments: TabledLine.all)
    func reachable(_ tabled: TabledLine) {
        let (line, code) = (tabled.line, tabled.line.code ?? "")
        #expect(tabled.table.line(tabled.status, code: code, message: tabled.message) == line, "\(tabled.testDescription)")
        #expect(line.source.hasPrefix("https://"))
    }

    @Test("SYS-06 SYS-07 SYS-12 the connector treats the vendor's response as the line says", arguments: TabledLine.all)
    func told(_ tabled: TabledLine) async throws {
        guard let (kind, settings, reply) = try scene(tabled) else { return }
        let service = AnsweringService { _ in reply }
        let keys = ["apple": try PeerProcess.vendors.get().text("apple"), "webhook": ScriptedService.secret]
        let key = keys[kind] ?? "k"
        let expected: Set<String> =
            switch tabled.line.outcome {
            case .again: ["connector.unavailable"]
            case .later: ["connector.throttled"]
            case .credentials: ["connector.credentials"]
            case .misconfigured: ["connector.misconfigured"]
            case .refused, .kept, .unsupported: ["connector.refused"]
            // Nothing there, asked again and again, comes to the proof of the place, which is not there either; or it is
            // no answer to the question that was asked.
            case .absent: ["connector.refused", "connector.misconfigured", "connector.garbled", ""]
            }
        let connector = try service.emulated(kind, settings, key: key)
        let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(expected.contains(error?.code.rawValue ?? ""), "\(tabled.testDescription): \(String(describing: error))")
        #expect(error?.message.contains("before") != true, "a vendor's sentence is not shown: it may name a person")
    }

    @Test("SYS-06 SYS-12 a response without a line of its own follows the lines of HTTP, in every kind", arguments: places.keys.sorted())
    func untabled(_ kind: String) async throws {
        let table = try #require(ResponseTable.all.first { $0.kind == kind })
        for line in ResponseTable.http.lines {
            let status = try #require(line.statuses.first)
            let service = AnsweringService { _ in SystemReply(status: status) }
            let connector = try service.emulated(kind, Self.places[kind] ?? [:])
            let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
            let expected = table.fault(status, code: "", of: "it", needs: "a right").error
            #expect(error?.code == expected.code, "\(kind), \(status): \(String(describing: error))")
        }
    }

    /// Settings of kinds that are reached by the `emulated` service.
    private static let places: [String: [String: String]] = [
        "dynamodb": ["region": "eu-west-1", "table": "t", "key": "k"],
        "cognito": ["region": "eu-west-1", "pool": "eu-west-1_p"],
        "firestore": ["project": "p", "path": "users/{person}"], "firebase-auth": ["project": "p"],
        "firebase-storage": ["bucket": "b", "prefix": "{person}/"],
        "realtime-database": ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"],
        "stripe": [:], "supabase-auth": ["endpoint": "https://auth.example.org"], "revenuecat": ["project": "p"],
    ]

    @Test("SYS-06 SYS-12 an error of the service that gives the key of a role is read as its line says", arguments: ResponseTable.sts.lines)
    func role(_ line: ResponseLine) async throws {
        let tabled = TabledLine(table: .sts, line: line)
        let text = "<Error><Code>\(line.code ?? "")</Code><Message>\(tabled.message)</Message></Error>"
        let service = AnsweringService { _ in .xml(tabled.status, "<ErrorResponse>\(text)</ErrorResponse>") }
        var world = ConnectorWorld.hurried(
            service, environment: ["AWS_ROLE_ARN": "arn:aws:iam::1:role/a", "AWS_WEB_IDENTITY_TOKEN_FILE": "/token"])
        world.read = { $0 == "/token" ? Array("t".utf8) : nil }
        let system = SystemPlan(name: "it", kind: "cognito", settings: ["region": "eu-west-1", "pool": "eu-west-1_p"])
        let connector = try CognitoConnector(system, world: world)
        let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        let expected = ResponseTable.sts.fault(
            tabled.status, code: line.code ?? "", message: tabled.message, of: "it", needs: "a right"
        ).error
        #expect(error?.code == expected.code && error?.message.contains("before") != true, "\(String(describing: error))")
    }

    /// A connector of the kind, and the response as the vendor writes it.
    private func scene(_ tabled: TabledLine) throws -> (kind: String, settings: [String: String], reply: SystemReply)? {
        let (status, code, message) = (tabled.status, tabled.line.code ?? "", tabled.message)
        func json(_ value: JSONValue) throws -> SystemReply {
            .json(status, String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
        }
        switch tabled.table.kind {
        case "s3":
            return (
                "s3", ["region": "eu-west-1", "bucket": "b", "prefix": "{person}/", "endpoint": "https://s3.example.org"],
                .xml(status, "<Error><Code>\(code)</Code><Message>\(message)</Message></Error>")
            )
        case "cognito", "dynamodb":
            return (
                tabled.table.kind, Self.places[tabled.table.kind] ?? [:],
                try json(.object(["__type": .string("com.amazon#\(code)"), "message": .string(message)]))
            )
        case "stripe":
            let name = code == "invalid_request_error" ? "type" : "code"
            let error: [String: JSONValue] = code.isEmpty ? [:] : [name: .string(code)]
            return ("stripe", [:], try json(.object(["error": .object(error.merging(["message": .string(message)]) { $1 })])))
        case "supabase-auth":
            return (
                "supabase-auth", ["endpoint": "https://auth.example.org"],
                try json(.object(["code": .integer(Int64(status)), "error_code": .string(code), "msg": .string(message)]))
            )
        case "supabase-storage":
            return (
                "supabase-storage", ["endpoint": "https://storage.example.org", "bucket": "b", "prefix": "{person}/"],
                try json(.object(["statusCode": .string("\(status)"), "code": .string(code), "message": .string(message)]))
            )
        case "revenuecat":
            let isFirst = Int64(code) != nil
            let error: JSONValue =
                isFirst
                ? .object(["code": .integer(Int64(code) ?? 0), "message": .string(message)])
                : .object(["object": .string("error"), "type": .string(code), "message": .string(message)])
            return ("revenuecat", isFirst ? ["api": "v1"] : ["project": "p"], try json(error))
        case "apple":
            return (
                "apple", ["client": "app", "team": "T", "key_id": "K"],
                try json(.object(["error": .string(code), "error_description": .string(message)]))
            )
        case "webhook":
            return ("webhook", ["endpoint": "https://127.0.0.1/erase", "allow": "127.0.0.1"], SystemReply(status: status))
        case ResponseTable.http.kind: return ("stripe", [:], SystemReply(status: status))
        // They are met by another test.
        case ResponseTable.sts.kind: return nil
        case "realtime-database":
            return (tabled.table.kind, Self.places[tabled.table.kind] ?? [:], try json(.object(["error": .string(message)])))
        default:
            var error: [String: JSONValue] = ["code": .integer(Int64(status)), "message": .string(message)]
            let isReason = code.first?.isLowercase == true
            if isReason { error["errors"] = .array([.object(["reason": .string(code)])]) } else { error["status"] = .string(code) }
            return (tabled.table.kind, Self.places[tabled.table.kind] ?? [:], try json(.object(["error": .object(error)])))
        }
    }

    private static let link = "https://console.firebase.google.com/v1/r/project/p/firestore/indexes?create_exemption=Cl"

    @Test("SYS-06 a list of errors from Firestore is read, and the missing index is named with its link")
    func listed() async throws {
        let message =
            "The query requires an index. You can create it here: " + Self.link
        let error = #"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"\#(message)"}}"#
        for (status, body) in [(400, "[\(error)]"), (400, error), (200, #"[{"readTime":"2026-01-02T03:04:05Z"},\#(error)]"#)] {
            let service = AnsweringService { _ in .json(status, body) }
            let system = SystemPlan(
                name: "it", kind: "firestore", settings: ["project": "p", "collection": "orders", "field": "owner", "scope": "group"])
            let connector = try FirestoreConnector(
                system, world: .hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]))
            let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
            #expect(
                error?.code == "connector.misconfigured" && error?.message.contains("needs an index") == true,
                "\(String(describing: error))")
            #expect(error?.remedy?.contains("https://console.firebase.google.com/v1/r/project/p/") == true)
        }
    }

    @Test("SYS-06 the remedy for a missing index of Firestore is to create it, also where the answer has no link")
    func unlinked() async throws {
        let message = "The query requires a COLLECTION_GROUP_ASC index for collection orders and field owner."
        let service = AnsweringService { _ in
            .json(400, #"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"\#(message)"}}"#)
        }
        let system = SystemPlan(
            name: "it", kind: "firestore", settings: ["project": "p", "collection": "orders", "field": "owner", "scope": "group"])
        let connector = try FirestoreConnector(
            system, world: .hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]))
        let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.misconfigured", "\(String(describing: error))")
        #expect(error?.remedy?.hasPrefix("Create this index") == true, "\(String(describing: error))")
    }

    @Test("SYS-07 Stripe's 409 is temporary: the erasure continues and ends")
    func conflict() async throws {
        let (conflicts, isThere) = (Guarded(2), Guarded(true))
        let service = AnsweringService { call in
            if call.method == "DELETE" {
                let left = conflicts.withLock {
                    $0 -= 1; return $0
                }
                guard left < 0 else {
                    return .json(409, #"{"error":{"type":"idempotency_error","code":"idempotency_key_in_use","message":"Try again."}}"#)
                }
                isThere.withLock { $0 = false }
                return .json(200, #"{"id":"u1","object":"customer","deleted":true}"#)
            }
            if call.path == "/v1/customers/u1" {
                return .json(200, #"{"id":"u1","object":"customer"\#(isThere.withLock { $0 } ? "" : ",\"deleted\":true")}"#)
            }
            return .json(200, #"{"object":"list","data":[],"has_more":false}"#)
        }
        let connector = try service.connector("stripe", [:])
        for _ in 0..<2 {
            let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
            #expect(error?.family == .tryAgain, "\(String(describing: error))")
        }
        #expect(try await connector.erase(.init(key: "k", names: ["u1"])) == .erased(1))
    }

    @Test("SYS-12 a retention of Cloud Storage is reported with its date")
    func retention() async throws {
        let service = AnsweringService { call in
            guard call.method == "DELETE" else {
                return .json(200, #"{"kind":"storage#objects","items":[{"name":"u1/a","generation":"1"}]}"#)
            }
            let message =
                "Object 'b/u1/a' is subject to bucket's retention policy and cannot be deleted until 2031-05-06T07:08:09Z"
            return .json(403, #"{"error":{"code":403,"message":"\#(message)","errors":[{"reason":"retentionPolicyNotMet"}]}}"#)
        }
        let system = SystemPlan(name: "it", kind: "firebase-storage", settings: ["bucket": "b", "prefix": "{person}/"])
        let connector = try FirebaseStorageConnector(
            system, world: .hurried(service, environment: ["STORAGE_EMULATOR_HOST": "127.0.0.1:1"]))
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.refused" && error?.message.contains("2031-05-06") == true, "\(String(describing: error))")
    }

    @Test("SY-1 Cloud Storage's 404 to a deletion is success for an object, whatever its name is, and not for a bucket")
    func missing() async throws {
        let bucket = "The specified bucket does not exist."
        let told: [(String, String?)] = [("No such object: b/u1/\(bucket)", nil), (bucket, "connector.misconfigured")]
        for (message, expected) in told {
            let service = AnsweringService { call in
                call.method == "DELETE"
                    ? .json(404, #"{"error":{"code":404,"message":"\#(message)","errors":[{"reason":"notFound"}]}}"#)
                    : .json(200, #"{"kind":"storage#objects","items":[{"name":"u1/a","generation":"1"}]}"#)
            }
            let connector = try service.emulated("firebase-storage", Self.places["firebase-storage"] ?? [:])
            let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
            #expect(error?.code.rawValue == expected, "\(message): \(String(describing: error))")
        }
        // An export reads the same table: such a bucket is no unreadable object.
        let paid = AnsweringService { call in
            call.query.contains { $0.name == "alt" }
                ? .json(400, #"{"error":{"code":400,"message":"Bucket is a requester pays bucket.","errors":[{"reason":"required"}]}}"#)
                : .json(200, #"{"kind":"storage#objects","items":[{"name":"u1/a","generation":"1"}]}"#)
        }
        let reading = try #require(
            try paid.emulated("firebase-storage", Self.places["firebase-storage"] ?? [:]) as? any ReadingConnector)
        let error = await fault { try await reading.read(.init(key: "export", names: ["u1"]), into: CollectingSink()) }
        #expect(error?.code == "connector.misconfigured", "\(String(describing: error))")
    }

    @Test("SYS-06 the state of one document in a batch of Firestore is read by the table's names", arguments: 0...17)
    func state(_ number: Int) async throws {
        let service = AnsweringService { _ in .json(200, #"{"status":[{"code":\#(number)}],"writeResults":[{}]}"#) }
        let connector = try service.emulated("firestore", Self.places["firestore"] ?? [:])
        let error = await fault { _ = try await connector.proveRights() }
        let expected: String? =
            switch number {
            case 1, 2, 4, 8, 10, 13, 14: "connector.unavailable"
            case 7, 16: "connector.credentials"
            default: nil
            }
        #expect(error?.code.rawValue == expected, "\(number): \(String(describing: error))")
    }

    @Test("SYS-06 SYS-12 every kind of system has its own table")
    func complete() {
        let others = [ResponseTable.sts.kind, ResponseTable.http.kind]
        #expect(ResponseTable.all.map(\.kind).sorted() == (ConnectorKinds.names + others).sorted())
        for kind in ConnectorKinds.names {
            let own = ResponseTable.all.filter { $0.kind == kind }.flatMap(\.lines)
            let all = ResponseTable.all.filter { $0.kind != kind }.flatMap(\.lines)
            #expect(!Set(own).subtracting(all).isEmpty, "\(kind) has no line that it alone can meet")
        }
    }

    @Test("SYS-06 SYS-07 SYS-12 the documentation shows the tables as they are")
    func documented() throws {
        let page = try String(contentsOf: InteropProgram.root.appending(path: "docs/systems/responses.md"), encoding: .utf8)
        for table in ResponseTable.all {
            let text = Self.text(of: table)
            #expect(page.contains(text), "docs/systems/responses.md must hold:\n\(text)")
        }
    }

    static func text(of table: ResponseTable) -> String {
        let rows = table.lines.map { "| \($0.response) | \($0.outcome.words) | [page](\($0.source)) |" }
        return (["## \(table.kind)", "", "| response | outcome | source |", "|---|---|---|"] + rows).joined(separator: "\n")
    }
}
