// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Foundation
import Testing

// One after the other with the other tests of the same services.
extension AWSTests {
    @Suite("Object names are bytes, and one strange name stops no other deletion")
    struct S3NameTests {
        @Test(
            "SYS-01 SYS-04 SYS-11 SY-2 spaces, marks and uploads in progress are erased, and every neighbour stays"
        )
        func strange() async throws {
            let bed = try AWSBed("strange")
            let person = try await bed.settle()
            let before = try await bed.census()
            let own = bed.entries(of: person, in: before)
            #expect(own.count == 14 && own.contains { $0.contains(" upload ") })
            #expect(try await bed.connector.count(.init(key: "k", names: person)) == own.count)
            let driver = ConnectorDriver("strange", bed.connector, sleep: { _ in }, chance: { 0.5 })
            _ = try await driver.run(.init(key: "k", names: person), from: nil) { _ in }
            #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
            #expect(try await bed.census() == before.filter { !own.contains($0.key) })
        }

        @Test("SYS-12 the error about a legal hold says so, after all other objects are deleted")
        func legalHold() async throws {
            let bed = try AWSBed("held")
            let person = try await bed.settle()
            let error = await fault { _ = try await bed.connector.erase(.init(key: "k", names: person)) }
            #expect(
                error?.code == "connector.refused" && error?.message.contains("a legal hold keeps 1") == true,
                "\(String(describing: error))")
            // Rows and other systems may be left.
            #expect(error?.remedy?.hasSuffix(". The person's other objects in the bucket are deleted.") == true)
            let left = bed.entries(of: person, in: try await bed.census())
            #expect(left.count == 1 && left.first?.contains("held.jpg") == true, "\(left)")
        }

        @Test("SYS-11 DynamoDB: keys by template and keys of bytes, and no neighbour", arguments: ["single", "binary"])
        func keys(_ kind: String) async throws {
            let bed = try AWSBed(kind)
            let person = try await bed.settle()
            let before = try await bed.census()
            let own = bed.entries(of: person, in: before)
            #expect(own.count >= 2 && own.count < before.count)
            #expect(try await bed.connector.count(.init(key: "k", names: person)) == own.count)
            #expect(try await bed.connector.erase(.init(key: "k", names: person)) == .erased(own.count))
            #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
            #expect(try await bed.census() == before.filter { !own.contains($0.key) })
        }

        @Test("SYS-13 SY-1 a key type that cannot hold the user's name means the wrong table, not an empty one")
        func otherType() async throws {
            let bed = try AWSBed("orders")
            for name in ["ada", "007", "1.0", "-0", "1e3"] {
                let error = await fault { _ = try await bed.connector.verify(.init(key: "k", names: [name])) }
                #expect(error?.code == "connector.refused", "\(name): \(String(describing: error))")
            }
        }
    }
}

@Suite("Lists of S3, as Amazon and other services write them", .contracts)
struct S3ListTests {
    /// A bucket that answers as Amazon does, or as `style` says.
    static func bucket(_ keys: [String], _ style: String) throws -> (any Connector, AnsweringService, Guarded<[String]>) {
        let left = Guarded(keys)
        let service = AnsweringService { call in
            let query = Dictionary(call.query.map { ($0.name, $0.value) }) { $1 }
            if call.method == "DELETE" {
                let key = String(call.path.dropFirst("/b/".count))
                left.withLock { $0.removeAll { Array($0.utf8) == Array(key.utf8) } }
                return SystemReply(status: 204)
            }
            if call.method == "POST" {
                guard let root = try? XMLText.read(call.body, from: "it"), !String(decoding: call.body, as: UTF8.self).contains("&#16;")
                else { return .xml(400, "<Error><Code>MalformedXML</Code></Error>") }
                let gone = root.all(named: "Object").compactMap { $0["Key"]?.text }
                left.withLock { keys in keys.removeAll { key in gone.contains { Array($0.utf8) == Array(key.utf8) } } }
                return .xml(200, "<DeleteResult></DeleteResult>")
            }
            if query["uploads"] != nil, style != "versions only" {
                return .xml(
                    200, "<ListMultipartUploadsResult><Bucket>b</Bucket><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
            }
            // One encodes as it is asked to, and does not say so.
            let style = style == "unsaid" && query["encoding-type"] == nil ? "plain" : style
            let all = left.withLock { $0 }.filter { $0.utf8.starts(with: (query["prefix"] ?? "").utf8) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let after = query["key-marker"].map { marker in all.filter { marker.utf8.lexicographicallyPrecedes($0.utf8) } } ?? all
            let page = after.prefix(2)
            let rows = page.map { "<Version><Key>\(written($0, style))</Key><VersionId>null</VersionId></Version>" }.joined()
            let more = after.count > 2
            let end = more ? "<NextKeyMarker>\(written(page.last ?? "", style))</NextKeyMarker>" : ""
            let encoding = ["plain", "unsaid"].contains(style) ? "" : "<EncodingType>url</EncodingType>"
            return .xml(
                200, "<ListVersionsResult><Name>b</Name>\(encoding)<IsTruncated>\(more)</IsTruncated>\(end)\(rows)</ListVersionsResult>")
        }
        let connector = try service.connector(
            "s3", ["region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"])
        return (connector, service, left)
    }

    private static func written(_ key: String, _ style: String) -> String {
        switch style {
        case "plain": key.replacing("&", with: "&amp;").replacing("\u{10}", with: "&#16;")
        case "percent": PercentEncoding.path(key).replacing("%2B", with: "+")
        default: PercentEncoding.path(key).replacing("%20", with: "+")
        }
    }

    @Test(
        "SYS-01 SY-2 a key with a space or a plus is erased, also at the end of a page, however the list writes it",
        arguments: ["amazon", "plain", "percent", "versions only"])
    func spaces(_ style: String) async throws { try await Self.goes(style) }

    @Test("SQL-03 SYS-01 a key with a space or a plus is erased where the list encodes keys without saying so")
    func unsaid() async throws { try await Self.goes("unsaid") }

    private static func goes(_ style: String) async throws {
        let own = ["a.jpg", "my photo.jpg", "a+b c.jpg", "100%25.jpg", "z z.jpg", "z+z.jpg", "\u{301}b.jpg"].map { "users/u1/\($0)" }
        let others = ["users/u10/my photo.jpg", "users/u1\u{301}/x.jpg", "users/U1/x.jpg"]
        let (connector, _, left) = try Self.bucket(own + others, style)
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        let progress = try await driver.run(.init(key: "k", names: ["u1"]), from: nil) { _ in }
        #expect(progress.counts["found"] == own.count)
        #expect(left.withLock { $0 } == others)
    }

    @Test("SYS-08 SY-3 a key that XML cannot express is erased alone, and stops no other")
    func controlCharacter() async throws {
        let (connector, service, left) = try Self.bucket(["users/u1/a.jpg", "users/u1/b\u{10}c.jpg"], "amazon")
        #expect(try await connector.erase(.init(key: "k", names: ["u1"])) == .erased(2))
        #expect(left.withLock { $0 } == [])
        #expect(service.sent.contains { $0.method == "DELETE" && $0.path == "/b/users/u1/b\u{10}c.jpg" })
    }

    @Test("SYS-05 SY-2 a slash counts as a slash whatever follows it: the neighbour's objects are not below the user's name")
    func slash() async throws {
        let (connector, service, _) = try Self.bucket(["users/u10/\u{301}x/of-u10.jpg"], "amazon")
        for name in ["u10/x", "u10/\u{301}x"] {
            let error = await fault { _ = try await connector.erase(.init(key: "k", names: [name])) }
            #expect(error?.code == "connector.refused", "\(name)")
        }
        #expect(service.sent.isEmpty)
    }

    @Test(
        "SY-1 an address in place of an object name is refused, and does not count as a missing object",
        arguments: ["s3", "firebase-storage"])
    func addresses(_ kind: String) async throws {
        let service = AnsweringService { _ in SystemReply(status: 500) }
        let connector = try service.connector(
            kind,
            ["region": "eu-west-1", "bucket": "b", "keys": "exact"].filter {
                kind == "s3" || $0.key != "region"
            })
        for name in ["https://b.s3.eu-west-1.amazonaws.com/users/u1/a.jpg", "http://b/a", "s3://b/a", "gs://b/a"] {
            let error = await fault { _ = try await connector.verify(.init(key: "k", names: [name])) }
            #expect(error?.code == "connector.refused" && error?.message.contains("address") == true, "\(String(describing: error))")
        }
        #expect(service.sent.isEmpty)
    }

    @Test("SY-1 a list of another bucket is no evidence, and Amazon's own list names its bucket")
    func otherBucket() async throws {
        for (endpoint, name) in [("https://s3.example.org", "<Name>c</Name>"), (nil, "")] {
            let service = AnsweringService { _ in
                .xml(200, "<ListVersionsResult>\(name)<IsTruncated>false</IsTruncated></ListVersionsResult>")
            }
            var settings = ["region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/"]
            settings["endpoint"] = endpoint
            let connector = try service.connector("s3", settings)
            #expect(await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) } != nil)
        }
    }

    @Test("SYS-08 SY-3 an object that is refused alone is reported after every page is deleted")
    func refusedItem() async throws {
        let service = AnsweringService { call in
            let query = Dictionary(call.query.map { ($0.name, $0.value) }) { $1 }
            if call.method == "DELETE" || call.method == "HEAD" {
                return .xml(403, "<Error><Code>AccessDenied</Code></Error>")
            }
            if call.method == "POST" {
                let isFirst = String(decoding: call.body, as: UTF8.self).contains("stays.jpg")
                let error = "<Error><Key>users/u1/stays.jpg</Key><VersionId>1</VersionId><Code>AccessDenied</Code></Error>"
                return .xml(200, "<DeleteResult>\(isFirst ? error : "")</DeleteResult>")
            }
            if query["uploads"] != nil {
                return .xml(200, "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>")
            }
            let isFirst = query["key-marker"] == nil
            let rows = (isFirst ? ["a.jpg", "stays.jpg"] : ["z.jpg"]).map {
                "<Version><Key>users/u1/\($0)</Key><VersionId>1</VersionId></Version>"
            }
            let end = isFirst ? "<NextKeyMarker>users/u1/stays.jpg</NextKeyMarker>" : ""
            let list = "<IsTruncated>\(isFirst)</IsTruncated>\(end)\(rows.joined())"
            return .xml(200, "<ListVersionsResult>\(list)</ListVersionsResult>")
        }
        let connector = try service.connector(
            "s3", ["region": "eu-west-1", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"])
        let first = try await connector.erase(.init(key: "k", names: ["u1"]))
        guard case .more(1, let cursor) = first else {
            Issue.record("\(first)")
            return
        }
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"], cursor: cursor)) }
        #expect(error?.code == "connector.credentials", "\(String(describing: error))")
        let bodies = service.sent.filter { $0.method == "POST" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 2 && bodies[1].contains("z.jpg"), "the page after the refused object went too")
    }
}
