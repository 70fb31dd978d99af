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
        for (kind, settings) in [(kind, settings)] + (Self.relatives[kind] ?? []) {
            let connector = try service.emulated(kind, settings, key: key)
            let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
            #expect(expected.contains(error?.code.rawValue ?? ""), "\(kind), \(tabled.testDescription): \(String(describing: error))")
            #expect(error?.message.contains("before") != true, "a vendor's sentence is not shown: it may name a person")
        }
    }

    /// The other kinds that read responses by the same table, and their settings.
    private static let relatives: [String: [(String, [String: String])]] = [
        "dynamodb": [("cognito", ["region": "eu-west-1", "pool": "eu-west-1_p"])],
        "firestore": [
            ("firebase-auth", ["project": "p"]), ("firebase-storage", ["bucket": "b", "prefix": "{person}/"]),
            ("realtime-database", ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"]),
        ],
    ]

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
        case "cognito, dynamodb":
            return (
                "dynamodb", ["region": "eu-west-1", "table": "t", "key": "k"],
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
        case "every kind": return ("stripe", [:], SystemReply(status: status))
        default:
            // 423 is only the Realtime Database's, in its own form.
            var error: [String: JSONValue] = ["code": .integer(Int64(status)), "message": .string(message)]
            let isReason = code.first?.isLowercase == true
            if isReason { error["errors"] = .array([.object(["reason": .string(code)])]) } else { error["status"] = .string(code) }
            return ("firestore", ["project": "p", "path": "users/{person}"], try json(.object(["error": .object(error)])))
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

    @Test("SYS-06 SYS-12 every kind of system has its own table")
    func complete() {
        let named = Set(ResponseTable.all.flatMap { $0.kind.split(separator: ", ").map(String.init) })
        #expect(named == Set(ConnectorKinds.names + ["every kind"]))
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
