// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import Testing

@Suite("Content that apps and users write stops no erasure", .contracts)
struct WrittenByAppsTests {
    private static func drive(_ connector: any Connector, _ name: String) async throws {
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        _ = try await driver.run(.init(key: "k", names: [name]), from: nil) { _ in }
    }

    @Test(
        "SY-3 SY-4 documents with equal names, repeated members, half characters, endless numbers or deep nesting stop no erasure",
        arguments: OddDocument.all)
    func odd(_ document: OddDocument) async throws {
        let isGone = Guarded(false)
        let service = AnsweringService { call in
            let reply = document.answer(call, isGone.withLock { $0 })
            if document.erases(call) { isGone.withLock { $0 = true } }
            return reply
        }
        let key = document.kind == "webhook" ? ScriptedService.secret : "k"
        let connector = try service.emulated(document.kind, document.settings, key: key)
        _ = try await connector.prove()
        if connector.declaration.abilities.contains(.count) {
            #expect(try await connector.count(.init(key: "k", names: [document.name])) != 0)
        }
        #expect(try await connector.verify(.init(key: "k", names: [document.name])) != .gone)
        if let connector = connector as? any ReadingConnector {
            let sink = CollectingSink()
            try await connector.read(.init(key: "k", names: [document.name]), into: sink)
            #expect(!sink.items.isEmpty && !sink.omissions.contains(.unreadable), "\(sink.omissions)")
        }
        try await Self.drive(connector, document.name)
        #expect(isGone.withLock { $0 } && service.sent.contains(where: document.erases))
    }

    @Test("EX-1 an odd document is exported as it is written")
    func exported() async throws {
        for (kind, item) in [
            ("dynamodb", "tab.json"), ("supabase-auth", "user.json"), ("firebase-auth", "account.json"), ("stripe", "customer.json"),
        ] {
            let document = try #require(OddDocument.all.first { $0.kind == kind })
            let service = AnsweringService { document.answer($0, false) }
            let connector = try #require(try service.emulated(kind, document.settings) as? any ReadingConnector)
            let sink = CollectingSink()
            try await connector.read(.init(key: "k", names: [document.name]), into: sink)
            let text = String(decoding: try #require(sink.items.first { $0.name == item }).bytes, as: UTF8.self)
            #expect(text.containsText(OddDocument.odd), "\(kind)")
        }
    }

    // MARK: Too long

    private static func bytes(_ count: Int) -> SystemReply {
        SystemReply(
            status: 200, headers: ["content-type": "application/json"],
            body: [UInt8](repeating: UInt8(ascii: " "), count: count))
    }

    @Test("SY-3 SY-4 Supabase Auth: a user whose metadata is too long to read is erased, and delays no other user")
    func longUser() async throws {
        let isGone = Guarded(false)
        let service = AnsweringService { call in
            if call.path.hasSuffix("/admin/users") {
                return call.query.contains { $0 == ("page", "1") } ? Self.bytes(17 << 20) : .json(200, #"{"users":[{"id":"u2"}]}"#)
            }
            if call.method == "DELETE" { isGone.withLock { $0 = true } }
            guard call.path.hasSuffix("/u1"), !isGone.withLock({ $0 }) || call.method == "DELETE" else {
                return .json(404, #"{"code":404,"error_code":"user_not_found","msg":"User not found"}"#)
            }
            return call.method == "DELETE" ? .json(200, "{}") : Self.bytes(17 << 20)
        }
        let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
        #expect(try await connector.prove() != nil)
        #expect(try await connector.verify(.init(key: "k", names: ["u9"])) == .gone)
        #expect(try await connector.count(.init(key: "k", names: ["u1"])) == 1)
        try await Self.drive(connector, "u1")
        #expect(isGone.withLock { $0 })
    }

    @Test("SY-3 Supabase Storage: a list that is longer than can be read is read in smaller pages")
    func longList() async throws {
        let files = Guarded((0..<1_100).map { "f\($0)" })
        let service = AnsweringService { call in
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b"}"#) }
            let body = (try? StrictJSON.value(call.body)) ?? .null
            if call.method == "DELETE" {
                let gone = Set((body["prefixes"]?.array ?? []).compactMap(\.string))
                files.withLock { $0.removeAll { gone.contains("u1/\($0)") } }
                return .json(200, "[" + gone.map { #"{"name":"\#($0)"}"# }.joined(separator: ",") + "]")
            }
            let (offset, limit) = (Int(body["offset"]?.integer ?? 0), Int(body["limit"]?.integer ?? 0))
            guard limit <= 300 else { return Self.bytes(17 << 20) }
            let page = files.withLock { $0.dropFirst(offset).prefix(limit) }
            return .json(200, "[" + page.map { #"{"name":"\#($0)","id":"i"}"# }.joined(separator: ",") + "]")
        }
        let connector = try service.connector(
            "supabase-storage", ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"])
        try await Self.drive(connector, "u1")
        #expect(files.withLock { $0.isEmpty })
    }

    @Test("SY-3 Realtime Database: a place with more keys than can be read is erased")
    func longKeys() async throws {
        let isGone = Guarded(false)
        let service = AnsweringService { call in
            if call.method == "DELETE" {
                isGone.withLock { $0 = true }
                return .json(200, "null")
            }
            if call.query.contains(where: { $0.name == "equalTo" }) { return .json(200, "{}") }
            if call.query.contains(where: { $0.name == "orderBy" }) { return .json(200, #"{"u0":1}"#) }
            return isGone.withLock { $0 } ? .json(200, "null") : Self.bytes(17 << 20)
        }
        let connector = try service.emulated(
            "realtime-database", ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"])
        #expect(try await connector.count(.init(key: "k", names: ["u1"])) == nil)
        try await Self.drive(connector, "u1")
        #expect(isGone.withLock { $0 })
    }

    @Test(
        "EX-1 Firestore: a matching document that is too long to read is counted, and all others are read",
        arguments: ["string", "map"])
    func longMatch(_ type: String) async throws {
        let field = type == "map" ? #"{"mapValue":{"fields":{"u1":{"integerValue":"1"}}}}"# : #"{"stringValue":"u1"}"#
        let service = AnsweringService { call in
            let asked = (try? StrictJSON.value(call.body, depth: 32))?["structuredQuery"] ?? .null
            guard asked["from"]?.array?.first?["allDescendants"]?.boolean != true else {
                return .json(200, #"[{"readTime":"t"}]"#)
            }
            let limit = Int(asked["limit"]?.integer ?? 100)
            let last = asked["startAt"]?["values"]?.array?.last?["referenceValue"]?.string?.split(separator: "/").last ?? ""
            let all = ["d1", "d2", "d3", "d4"].filter { $0 > last }.dropFirst(Int(asked["offset"]?.integer ?? 0)).prefix(limit)
            let isNamed = asked["select"]?["fields"]?.array?.first?["fieldPath"] == "__name__"
            if all.contains("d2"), !isNamed { return Self.bytes((64 << 20) + 1) }
            let found = all.map { name in
                let fields = isNamed ? "" : #","fields":{"owner":\#(field)}"#
                return #"{"document":{"name":"projects/p/databases/(default)/documents/notes/\#(name)"\#(fields)},"readTime":"t"}"#
            }
            return .json(200, "[" + (found + [#"{"readTime":"t"}"#]).joined(separator: ",") + "]")
        }
        let settings = ["project": "p", "collection": "notes", "field": "owner", "type": type]
        let shared = type == "map" ? ["shared": "erase"] : [:]
        let connector = try #require(
            try service.emulated("firestore", settings.merging(shared) { $1 }) as? any ReadingConnector)
        let sink = CollectingSink()
        try await connector.read(.init(key: "k", names: ["u1"]), into: sink)
        let text = String(decoding: try #require(sink.items.first).bytes, as: UTF8.self)
        #expect(["d1", "d3", "d4"].allSatisfy { text.contains("notes/\($0)") } && !text.contains("notes/d2"), "\(text)")
        #expect(sink.omissions == [.unreadable])
    }
}

extension String {
    /// Whether these bytes occur in it.
    fileprivate func containsText(_ text: String) -> Bool {
        Array(utf8).split(separator: Array(text.utf8), maxSplits: 1, omittingEmptySubsequences: false).count == 2
    }
}
