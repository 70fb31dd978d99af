// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("An item that cannot be erased does not keep the others", .contracts)
struct OneOfManyTests {
    // MARK: Cloud Storage

    /// A bucket of so many objects, of which the key may not delete some.
    private func bucket(_ count: Int, denied: @escaping @Sendable (Int) -> Bool) -> AnsweringService {
        let left = Guarded(Set(0..<count))
        return AnsweringService { call in
            guard call.method == "DELETE" else {
                let items = left.withLock { $0.sorted() }.map { #"{"name":"u1/\#($0)","generation":"1"}"# }
                return .json(200, #"{"kind":"storage#objects","items":[\#(items.joined(separator: ","))]}"#)
            }
            let number = call.encodedPath.split(separator: "F").last.flatMap { Int($0) } ?? 0
            guard !denied(number) else {
                let message = "x does not have storage.objects.delete access to the Google Cloud Storage object."
                return .json(403, #"{"error":{"code":403,"message":"\#(message)","errors":[{"reason":"forbidden"}]}}"#)
            }
            left.withLock { _ = $0.remove(number) }
            return SystemReply(status: 204)
        }
    }

    @Test(
        "SY-3 Cloud Storage: an object that a condition of the role excludes does not keep the others, and the error names the right"
    )
    func oneDenied() async throws {
        let service = bucket(30) { $0 == 0 || $0 == 9 }
        let connector = try service.emulated("firebase-storage", ["bucket": "b", "prefix": "{person}/"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(
            error?.code == "connector.credentials" && error?.message.contains("storage.objects.delete") == true,
            "\(String(describing: error))")
        #expect(Set(service.sent.filter { $0.method == "DELETE" }.map(\.encodedPath)).count == 30)
        #expect(try await connector.count(.init(key: "k", names: ["u1"])) == 2)
    }

    @Test("SY-3 Cloud Storage: a key without the right is not tried on every object")
    func allDenied() async throws {
        let service = bucket(100) { _ in true }
        let connector = try service.emulated("firebase-storage", ["bucket": "b", "prefix": "{person}/"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.credentials", "\(String(describing: error))")
        #expect(service.sent.filter { $0.method == "DELETE" }.count < 20)
    }

    // MARK: Firestore

    /// A collection `users/u1/notes` with these documents. A document is refused if its name says so.
    private func notes(_ left: Guarded<[String]>) -> AnsweringService {
        AnsweringService { call in
            let root = "projects/p/databases/(default)/documents/"
            let time = #""2026-01-02T03:04:05Z""#
            let body = (try? StrictJSON.value(call.body)) ?? .null
            if call.encodedPath.hasSuffix(":batchWrite") {
                let states = (body["writes"]?.array ?? []).map { write -> String in
                    let name = String((write["delete"]?.string ?? "").dropFirst(root.count))
                    guard !name.contains("refused") else { return #"{"code":3}"# }
                    left.withLock { $0.removeAll { $0 == name } }
                    return "{}"
                }
                let results = states.map { _ in "{}" }.joined(separator: ",")
                return .json(200, #"{"status":[\#(states.joined(separator: ","))],"writeResults":[\#(results)]}"#)
            }
            guard let query = body["structuredQuery"] else {
                let notes = left.withLock { $0.filter { $0.split(separator: "/").count == 4 } }
                let documents = notes.map { #"{"name":"\#(root)\#($0)","createTime":\#(time)}"# }
                return .json(200, #"{"documents":[\#(documents.joined(separator: ","))]}"#)
            }
            let path = call.encodedPath.split(separator: "/documents/").last ?? ""
            let parent = "\(path.dropLast(":runQuery".count))/"
            let after = query["startAt"]?["values"]?.array?.first?["referenceValue"]?.string ?? ""
            let limit = Int(query["limit"]?.integer ?? 0)
            let found = left.withLock { $0.filter { $0.hasPrefix(parent) && root + $0 > after }.sorted().prefix(limit) }
            let elements = found.map { #"{"readTime":\#(time),"document":{"name":"\#(root)\#($0)"}}"# }
            let all = elements.isEmpty ? [#"{"readTime":\#(time)}"#] : elements
            return .json(200, "[\(all.joined(separator: ","))]")
        }
    }

    @Test("SY-3 Firestore: refused documents, more than a page of them, do not keep the others, and each counts once")
    func refusedBelow() async throws {
        let refused = (100...309).map { "users/u1/notes/a/c/b-refused\($0)" }
        let others = ["users/u1/notes/a", "users/u1/notes/b"] + (10...59).map { "users/u1/notes/a/c/d\($0)" }
        let left = Guarded(refused + others)
        let connector = try notes(left).emulated("firestore", ["project": "p", "path": "users/{person}/notes"])
        var request = ConnectorRequest(key: "k", names: ["u1"])
        let error = await fault {
            for _ in 1...5 {
                guard case .more(_, let cursor) = try await connector.erase(request) else { return }
                request.cursor = cursor
            }
        }
        #expect(error?.message.contains("210 documents could not be deleted") == true, "\(String(describing: error))")
        // The document above stays, because only it leads to those below.
        #expect(left.withLock { $0.sorted() } == ["users/u1/notes/a"] + refused)
    }

    // MARK: The Realtime Database

    @Test("SY-3 the Realtime Database: a refused child does not keep the others")
    func child() async throws {
        let left: Guarded<Set<String>> = Guarded(["a", "b", "c"])
        let service = AnsweringService { call in
            let key =
                call.encodedPath.hasSuffix("/u1.json")
                ? nil : call.encodedPath.split(separator: "/").last.map { String($0.dropLast(5)) }
            guard call.method == "DELETE" else {
                guard key == nil else { return .json(200, "true") }
                return .json(
                    200, "{" + left.withLock { $0.sorted() }.map { "\"\($0)\":true" }.joined(separator: ",") + "}")
            }
            guard let key, key != "a" else { return .json(400, #"{"error":"Data to write exceeds the maximum size"}"#) }
            left.withLock { _ = $0.remove(key) }
            return .json(200, "null")
        }
        let connector = try service.emulated(
            "realtime-database", ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.refused", "\(String(describing: error))")
        #expect(left.withLock { $0 } == ["a"])
    }

    // MARK: Supabase Storage

    /// A bucket with one file in the subject's folder, and folders in folders down to a depth.
    private func folders(_ depth: Int, _ deleted: Guarded<[String]>) -> AnsweringService {
        AnsweringService { call in
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b","name":"b"}"#) }
            let body = (try? StrictJSON.value(call.body)) ?? .null
            if call.method == "DELETE" {
                let paths = (body["prefixes"]?.array ?? []).compactMap(\.string)
                deleted.withLock { $0 += paths }
                return .json(200, "[" + paths.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",") + "]")
            }
            let level = (body["prefix"]?.string ?? "").utf8.split(separator: UInt8(ascii: "/")).count
            let folder = level < depth ? #",{"name":"f","id":null}"# : ""
            return .json(200, #"[{"name":"file","id":"\#(level)"}\#(folder)]"#)
        }
    }

    @Test(
        "SY-3 Supabase Storage: folders as deep as a name can be are emptied, and an endless folder does not keep the others")
    func deep() async throws {
        let settings = ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"]
        for (depth, ends) in [(300, nil), (Int.max, "connector.refused")] as [(Int, String?)] {
            let deleted = Guarded<[String]>([])
            let connector = try folders(depth, deleted).connector("supabase-storage", settings)
            let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
            #expect(error?.code.rawValue == ends, "\(String(describing: error))")
            #expect(deleted.withLock { $0.contains("u1/file") && $0.count >= min(depth, 500) })
        }
    }

    @Test("SY-3 Supabase Storage: a folder whose list is refused does not keep the others, and is reported")
    func closed() async throws {
        let deleted = Guarded<[String]>([])
        let service = AnsweringService { call in
            let body = (try? StrictJSON.value(call.body)) ?? .null
            if call.method == "DELETE" {
                let paths = (body["prefixes"]?.array ?? []).compactMap(\.string)
                deleted.withLock { $0 += paths }
                return .json(200, "[" + paths.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",") + "]")
            }
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b"}"#) }
            switch body["prefix"]?.string {
            case "u1": return .json(200, #"[{"name":"bad","id":null},{"name":"good","id":null}]"#)
            case "u1/good": return .json(200, #"[{"name":"file","id":"1"}]"#)
            default: return .json(400, #"{"statusCode":"400","code":"InvalidKey","message":"Invalid key"}"#)
            }
        }
        let connector = try service.connector(
            "supabase-storage", ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(
            error?.code == "connector.refused" && error?.message.contains("does not list 1 folder,") == true,
            "\(String(describing: error))")
        #expect(deleted.withLock { $0 } == ["u1/good/file"])
    }

    @Test("SYS-09 SY-4 Supabase Storage: counting reports a folder without a name, at which an erasure would stop, and deletes nothing")
    func nameless() async throws {
        let deleted = Guarded(0)
        // Strips slashes, and so lists the folder itself again.
        let service = AnsweringService { call in
            guard call.method != "DELETE" else {
                deleted.withLock { $0 += 1 }
                return .json(200, #"[{"name":"u1/a.jpg"}]"#)
            }
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b"}"#) }
            return .json(200, #"[{"name":"","id":null},{"name":"a.jpg","id":"1"}]"#)
        }
        let connector = try service.connector(
            "supabase-storage", ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"])
        let counted = await fault { _ = try await connector.count(.init(key: "k", names: ["u1"])) }
        #expect(counted?.code == "connector.refused", "\(String(describing: counted))")
        #expect(counted?.message.contains("1 folder has no name (two slashes in a row)") == true, "\(String(describing: counted))")
        #expect(counted?.remedy?.hasSuffix("then release the erasure.") == true, "\(String(describing: counted))")
        #expect(deleted.withLock { $0 } == 0)
        let erased = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(erased?.message == counted?.message, "\(String(describing: erased))")
        #expect(erased?.remedy?.hasSuffix("The person's other files in the bucket are deleted.") == true, "\(String(describing: erased))")
        #expect(deleted.withLock { $0 } == 1)
    }

    @Test("SY-3 Stripe: a subscription that Stripe does not cancel does not keep the others")
    func subscription() async throws {
        let service = AnsweringService { call in
            switch (call.method, call.path) {
            case ("GET", "/v1/customers/cus_1"): return .json(200, #"{"id":"cus_1","object":"customer"}"#)
            case ("GET", _):
                let all = ["sub_1", "sub_2"].map { #"{"id":"\#($0)","status":"active"}"# }.joined(separator: ",")
                return .json(200, #"{"object":"list","data":[\#(all)],"has_more":false}"#)
            case (_, "/v1/subscriptions/sub_1"): return .json(400, #"{"error":{"code":"resource_missing","message":"m"}}"#)
            default: return .json(200, #"{"id":"\#(call.path.split(separator: "/").last ?? "")","status":"canceled"}"#)
            }
        }
        let connector = try service.connector("stripe", [:])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["cus_1"])) }
        #expect(error?.code == "connector.refused", "\(String(describing: error))")
        #expect(service.sent.filter { $0.method == "DELETE" }.map(\.path) == ["/v1/subscriptions/sub_1", "/v1/subscriptions/sub_2"])
    }

    // MARK: Errors

    @Test(
        "SYS-12 Google: a 403 without a missing right names its cause: interface, billing, project, payer, scopes, perimeter"
    )
    func causes() async throws {
        for (reason, word) in [
            ("SERVICE_DISABLED", "not enabled"), ("BILLING_DISABLED", "billing"),
            ("CONSUMER_INVALID", "no such project"),
            ("CONSUMER_SUSPENDED", "suspended"), ("USER_PROJECT_DENIED", "serviceusage.services.use"),
            ("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "scopes"), ("SECURITY_POLICY_VIOLATED", "perimeter"),
        ] {
            let info =
                #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(reason)","domain":"googleapis.com"}"#
            let body =
                #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"m","details":[{"@type":"x"},\#(info)]}}"#
            let connector = try AnsweringService { _ in .json(403, body) }.emulated(
                "firestore", ["project": "p", "path": "users/{person}"])
            let error = await fault { _ = try await connector.prove() }
            #expect(
                error?.code == "connector.misconfigured" && error?.message.contains(word) == true,
                "\(reason): \(String(describing: error))")
        }
        let other =
            #"{"error":{"code":403,"status":"PERMISSION_DENIED","details":[{"reason":"IAM_PERMISSION_DENIED","domain":"googleapis.com"}]}}"#
        let connector = try AnsweringService { _ in .json(403, other) }.emulated(
            "firestore", ["project": "p", "path": "users/{person}"])
        #expect(await fault { _ = try await connector.prove() }?.code == "connector.credentials")
    }

    @Test(
        "SY-1 Supabase Auth versions without error codes report a missing user in words, and no other 404 counts as one")
    func olderAuth() async throws {
        for (message, isGone) in [
            ("User not found", true), ("user_id must be an UUID", false), ("page not found", false),
        ] {
            let service = AnsweringService { call in
                call.path.hasSuffix("/admin/users")
                    ? .json(200, #"{"users":[]}"#) : .json(404, #"{"code":404,"msg":"\#(message)"}"#)
            }
            let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
            let error = await fault {
                let reading = try await connector.verify(.init(key: "k", names: ["u1"]))
                #expect(reading == .gone)
            }
            #expect((error == nil) == isGone, "\(message): \(String(describing: error))")
        }
    }
}
