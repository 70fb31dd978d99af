// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Names of files that lead to another file")
struct DotSegmentTests {
    private static let settings = ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"]

    /// Supabase Storage behind a gateway that removes dot segments and empty parts from paths. Lists and deletions name
    /// paths in the body.
    private func service(_ files: [String]) -> AnsweringService {
        let left = Guarded(files)
        return AnsweringService { call in
            let body = (try? StrictJSON.value(call.body)) ?? .null
            if call.path.hasPrefix("/bucket/") { return .json(200, #"{"id":"b","name":"b"}"#) }
            if call.path.hasPrefix("/object/list/") {
                let folder = body["prefix"]?.string ?? ""
                let start = folder.isEmpty ? "" : folder + "/"
                let rests = left.withLock { $0.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) } }
                let names = Dictionary(grouping: rests) { $0.prefix { $0 != "/" } }
                let entries = names.map { name, rests in
                    #"{"name":"\#(name)","id":\#(rests[0].contains("/") ? "null" : #""\#(start)\#(name)""#)}"#
                }
                return .json(200, "[\(entries.sorted().joined(separator: ","))]")
            }
            if call.method == "DELETE" {
                let gone = Set((body["prefixes"]?.array ?? []).compactMap(\.string))
                left.withLock { $0.removeAll { gone.contains($0) } }
                return .json(200, "[\(gone.map { #"{"name":"\#($0)"}"# }.joined(separator: ","))]")
            }
            var parts: [Substring] = []
            for part in call.path.split(separator: "/") where part != "." {
                if part == ".." { _ = parts.popLast() } else { parts.append(part) }
            }
            // object, info or authenticated, and the bucket.
            let file = parts.dropFirst(3).joined(separator: "/")
            guard left.withLock({ $0.contains(file) }) else { return .json(400, #"{"message":"Object not found"}"#) }
            return .json(200, #"{"contents of":"\#(file)"}"#)
        }
    }

    @Test(
        "EX-2 SY-1 an export leaves out a file whose path has a part that gateways remove, and reads no file of another user",
        arguments: ["7/../8/secret.txt", "7/./secret.txt", "7/x/../../8/secret.txt"])
    func export(_ path: String) async throws {
        let service = service(["7/own.txt", "8/secret.txt", path])
        let connector = try #require(
            try service.connector("supabase-storage", Self.settings) as? any ReadingConnector)
        let sink = CollectingSink()
        var request = ConnectorRequest(key: "k", names: ["7"])
        // By their owner; a gateway that joins slashes reads the first from the folder of another user.
        request.items = ["/8/secret.txt", "./8/secret.txt", "8/..", "9/also-own.txt"]
        try await connector.read(request, into: sink)
        #expect(sink.items.map(\.name) == ["7/own.txt"])
        #expect(sink.items.map { String(decoding: $0.bytes, as: UTF8.self) } == [#"{"contents of":"7/own.txt"}"#])
        #expect(sink.omissions == Array(repeating: .unreadable, count: 4))
        let isAstray = service.sent.contains { $0.leadsElsewhere || $0.path.contains("//") }
        #expect(!isAstray)
    }

    @Test("SY-1 SY-3 a file with .. in its path that is still listed is not said to be gone, and it is deleted by its whole name")
    func verified() async throws {
        let request = ConnectorRequest(key: "k", names: ["7"])
        // At the path that a gateway makes of it, nothing is there.
        let service = service(["7/../9/mine.txt", "8/secret.txt"])
        let connector = try service.connector("supabase-storage", Self.settings)
        #expect(try await connector.count(request) == 1)
        #expect(try await connector.verify(request) == .left(1))
        #expect(try await connector.erase(request) == .erased(1))
        #expect(try await connector.verify(request) == .gone)
        let isAstray = service.sent.contains { $0.leadsElsewhere }
        #expect(!isAstray)
    }

    @Test(
        "SY-1 a path with a part . or .. is sent to no system, unless the signature of the call contains the path",
        arguments: ["/a/../b", "/..", "/a/.", "/a/./b", "/a/%2e%2E/b", "/a/.%2e"])
    func sent(_ path: String) async throws {
        let service = AnsweringService { _ in .json(200, "{}") }
        let caller = SystemCaller("it", budget: RateBudget(), world: .hurried(service))
        var call = SystemCall("GET", try SystemAddress("https://s.example.org", system: "it"), "/", permission: "")
        call.writtenPath = path
        #expect(call.leadsElsewhere)
        let refused = call
        #expect(await fault { _ = try await caller.send(refused) }?.code == "connector.refused")
        #expect(service.sent.isEmpty)
        call.isPathSigned = true
        _ = try await caller.send(call)
        call.isPathSigned = false
        for harmless in ["/a/b", "/a/...", "/a/..b", "/.well-known/a", "/a%2F..%2Fb"] {
            call.writtenPath = harmless
            _ = try await caller.send(call)
        }
        #expect(service.sent.count == 6)
    }
}
