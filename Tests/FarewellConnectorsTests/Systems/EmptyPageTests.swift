// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Pages without entries before the last", .contracts)
struct EmptyPageTests {
    @Test("SY-1 Cloud Storage: an empty page behind which others follow does not show that the place is empty", arguments: ["", "photos/"])
    func empty(_ end: String) async throws {
        let service = AnsweringService { call in
            let query = Dictionary(call.query.map { ($0.name, $0.value) }) { first, _ in first }
            let isOwn = query["prefix"]?.hasPrefix("users/u1/") == true
            guard !isOwn, query["pageToken"] != nil else {
                return .json(200, #"{"kind":"storage#objects"\#(isOwn ? "" : #","nextPageToken":"t""#)}"#)
            }
            let found = query["delimiter"] == nil ? #""items":[{"name":"users/u2/photos/a"}]"# : #""prefixes":["users/u2/"]"#
            return .json(200, #"{"kind":"storage#objects",\#(found)}"#)
        }
        let connector = try service.emulated("firebase-storage", ["bucket": "b", "prefix": "users/{person}/\(end)"])
        #expect(try await connector.verify(.init(key: "k", names: ["u1"])) == .gone)
        #expect(service.sent.contains { $0.query.contains { $0.name == "pageToken" } })
    }

    @Test("SY-1 Firestore: an empty page behind which others follow does not show that the collection is empty")
    func emptyCollection() async throws {
        let root = "projects/p/databases/(default)/documents"
        let service = AnsweringService { call in
            switch call.encodedPath {
            case let path where path.hasSuffix(":batchGet"): return .json(200, #"[{"missing":"\#(root)/users/u1"}]"#)
            case let path where path.hasSuffix(":listCollectionIds"): return .json(200, "{}")
            case let path where path.hasSuffix(":runQuery"): return .json(200, #"[{"readTime":"2026-01-02T03:04:05Z"}]"#)
            default:
                let isSecond = call.query.contains { $0.name == "pageToken" }
                let document = #"{"name":"\#(root)/users/u2","createTime":"2026-01-02T03:04:05Z"}"#
                return .json(200, isSecond ? #"{"documents":[\#(document)]}"# : #"{"nextPageToken":"t"}"#)
            }
        }
        let connector = try service.emulated("firestore", ["project": "p", "path": "users/{person}"])
        #expect(try await connector.verify(.init(key: "k", names: ["u1"])) == .gone)
    }
}
