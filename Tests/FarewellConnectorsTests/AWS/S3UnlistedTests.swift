// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Testing

/// A store of S3's protocol that lists no versions: it says so in one of the ways in which such stores do.
private struct PlainStore: Sendable {
    enum Refusal: String, Sendable, CaseIterable {
        /// Garage, Cloudflare R2, MinIO on a file system, Apache Ozone from 2.3 on.
        case notImplemented = "501 with a code"
        case bare = "501 without a code"
        case notAllowed = "405"
        case badRequest = "400"
        /// Supabase Storage, and Apache Ozone before 2.3: the parameter is ignored.
        case ignored = "200 with a list of objects"

        var reply: SystemReply {
            switch self {
            case .notImplemented: .xml(501, "<Error><Code>NotImplemented</Code></Error>")
            case .bare: SystemReply(status: 501)
            case .notAllowed: .xml(405, "<Error><Code>MethodNotAllowed</Code></Error>")
            case .badRequest: .xml(400, "<Error><Code>NotImplemented</Code></Error>")
            case .ignored: SystemReply(status: 200)
            }
        }
    }

    let keys: Guarded<[String]>
    var refusal = Refusal.notImplemented
    /// The answer to the question about versioning; `nil` if the store does not know it either.
    var versioning: String?
    /// Uploads in progress by key; `nil` if the store lists none.
    var uploads: Guarded<[String]>?
    /// In place of the list of objects.
    var listing: SystemReply?

    init(_ keys: [String], _ refusal: Refusal = .notImplemented) {
        self.keys = Guarded(keys)
        self.refusal = refusal
    }

    static let settings = [
        "region": "auto", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org",
    ]

    func service() -> AnsweringService { AnsweringService { call in answer(call) } }

    private func answer(_ call: SystemCall) -> SystemReply {
        func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
        func remove(_ gone: [String]) {
            keys.withLock { keys in keys.removeAll { key in gone.contains { Array($0.utf8) == Array(key.utf8) } } }
        }
        let key = String(call.path.dropFirst("/b/".count))
        switch call.method {
        case "DELETE":
            if asked("uploadId") != nil {
                guard let uploads else { return refusal.reply }
                uploads.withLock { uploads in uploads.removeAll { $0 == key } }
            } else if asked("versionId") != nil {
                return refusal == .ignored ? SystemReply(status: 204) : refusal.reply
            } else {
                remove([key])
            }
            return SystemReply(status: 204)
        case "POST":
            let root = try? XMLText.read(call.body, from: "it")
            remove(root?.all(named: "Object").compactMap { $0["Key"]?.text } ?? [])
            return .xml(200, "<DeleteResult></DeleteResult>")
        default: break
        }
        if !key.isEmpty { return SystemReply(status: 200, body: Array(key.utf8)) }
        if asked("uploads") != nil {
            guard let uploads else { return refusal == .ignored ? list(asked) : refusal.reply }
            let rows = uploads.withLock { $0 }.filter { $0.hasPrefix(asked("prefix") ?? "") }.map {
                "<Upload><Key>\($0)</Key><UploadId>1</UploadId></Upload>"
            }
            let inside = "<Bucket>b</Bucket><IsTruncated>false</IsTruncated>\(rows.joined())"
            return .xml(200, "<ListMultipartUploadsResult>\(inside)</ListMultipartUploadsResult>")
        }
        if asked("versioning") != nil {
            guard let versioning else { return refusal == .ignored ? list(asked) : refusal.reply }
            return .xml(200, "<VersioningConfiguration>\(versioning)</VersioningConfiguration>")
        }
        if asked("versions") != nil { return refusal == .ignored ? list(asked) : refusal.reply }
        return listing ?? list(asked)
    }

    /// Two keys a page.
    private func list(_ asked: (String) -> String?) -> SystemReply {
        let (prefix, after) = (asked("prefix") ?? "", asked("start-after") ?? "")
        let all = keys.withLock { $0 }.filter { $0.utf8.starts(with: prefix.utf8) && after.utf8.lexicographicallyPrecedes($0.utf8) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let page = all.prefix(2).map { "<Contents><Key>\(PercentEncoding.path($0))</Key></Contents>" }
        let head = "<Name>b</Name><EncodingType>url</EncodingType><IsTruncated>\(all.count > 2)</IsTruncated>"
        return .xml(200, "<ListBucketResult>\(head)\(page.joined())</ListBucketResult>")
    }
}

@Suite("Stores of S3's protocol that list no versions", .contracts)
struct S3UnlistedTests {
    private static let own = ["a.jpg", "my photo.jpg", "a+b.jpg", "100%25.jpg", "z z.jpg"].map { "users/u1/\($0)" }
    private static let others = ["users/u10/my photo.jpg", "users/U1/x.jpg", "users/u1\u{301}/x.jpg"]
    private static let request = ConnectorRequest(key: "k", names: ["u1"])

    private func run(_ connector: any Connector) async throws -> StepProgress {
        let driver = ConnectorDriver("it", connector, sleep: { _ in }, chance: { 0.5 })
        return try await driver.run(Self.request, from: nil) { _ in }
    }

    @Test(
        "SY-1 SYS-12 a store that lists no versions is erased by its list of objects, and the receipt says so",
        arguments: PlainStore.Refusal.allCases)
    fileprivate func erased(_ refusal: PlainStore.Refusal) async throws {
        let store = PlainStore(Self.own + Self.others, refusal)
        let service = store.service()
        let connector = try service.connector("s3", PlainStore.settings)
        #expect(connector.declaration.remarks.count == 1 && connector.declaration.abilities.contains(.versions))
        let evidence = try await connector.prove()
        #expect(
            evidence == "the bucket b lists its objects for this key; the service does not list versions or uploads in progress")
        let progress = try await run(connector)
        #expect(progress.counts["found"] == Self.own.count && progress.counts["erased"] == Self.own.count)
        #expect(store.keys.withLock { $0 } == Self.others)
        #expect(try await connector.verify(Self.request) == .gone)
        let notes = connector.declaration.remarks.map(\.note)
        #expect(notes.contains { $0.contains("earlier versions were not read") }, "\(notes)")
        #expect(notes.contains { $0.contains("uploads in progress, so they were not read") }, "\(notes)")
        #expect(!connector.declaration.abilities.contains(.versions))
        let bodies = service.sent.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(!bodies.contains { $0.contains("VersionId") })
        #expect(!service.sent.contains { call in call.query.contains { $0.name == "versionId" } })
    }

    @Test("SYS-11 EX-1 objects are read without a version, and uploads in progress are ended where they are listed")
    func readAndUploads() async throws {
        var store = PlainStore(Self.own + Self.others)
        store.versioning = ""
        store.uploads = Guarded(["users/u1/film.mp4", "users/u10/film.mp4"])
        let connector = try store.service().connector("s3", PlainStore.settings)
        let sink = CollectingSink()
        try await #require(connector as? any ReadingConnector).read(Self.request, into: sink)
        #expect(Set(sink.items.map(\.name)) == Set(Self.own))
        #expect(try await run(connector).counts["erased"] == Self.own.count + 1)
        #expect(store.uploads?.withLock { $0 } == ["users/u10/film.mp4"])
        let notes = connector.declaration.remarks.map(\.note)
        #expect(notes.contains { $0.contains("says that it keeps none") } && notes.count == 2, "\(notes)")
    }

    @Test("SYS-11 MinIO lists uploads only by an object's whole name: the receipt says that those below a prefix were not read")
    func wholeNames() async throws {
        for (server, isUnread) in [("MinIO", true), ("other", false)] {
            let service = AnsweringService { call in
                let isVersions = call.query.contains { $0.name == "versions" }
                let root = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
                let inside = isVersions ? "<Version><Key>users/u1/a</Key><VersionId>null</VersionId></Version>" : ""
                var reply = SystemReply.xml(200, "<\(root)><IsTruncated>false</IsTruncated>\(inside)</\(root)>")
                reply.headers["server"] = server
                return reply
            }
            let connector = try service.connector("s3", PlainStore.settings)
            #expect(try await connector.verify(Self.request) == .left(1))
            _ = try await connector.count(Self.request)
            let notes = connector.declaration.remarks.map(\.note)
            #expect(notes.contains { $0.contains("uploads in progress") } == isUnread, "\(notes)")
            #expect(connector.declaration.abilities.contains(.versions))
        }
    }

    @Test("SY-1 a bucket that keeps versions its service does not list is not erased: a deletion would only hide them")
    func kept() async throws {
        var store = PlainStore(Self.own)
        store.versioning = "<Status>Enabled</Status>"
        let service = store.service()
        let connector = try service.connector("s3", PlainStore.settings)
        let error = await fault { _ = try await run(connector) }
        #expect(error?.code == "connector.refused" && error?.message.contains("keeps versions") == true, "\(String(describing: error))")
        #expect(service.sent.allSatisfy { $0.method == "GET" } && store.keys.withLock { $0 } == Self.own)
        store.versioning = "<Status>Suspended</Status>"
        let suspended = try store.service().connector("s3", PlainStore.settings)
        #expect(try await run(suspended).counts["erased"] == Self.own.count)
        #expect(suspended.declaration.remarks.contains { $0.note.contains("earlier versions were not read") })
    }

    @Test(
        "SY-1 no answer makes Amazon's own S3 a store without versions",
        arguments: [
            nil, "https://s3.eu-west-1.amazonaws.com", "https://bucket.vpce-1.s3.eu-west-1.vpce.amazonaws.com",
            "https://s3.dualstack.cn-north-1.amazonaws.com.cn", "https://s3.eu-west-1.api.aws",
        ])
    func amazon(_ endpoint: String?) async throws {
        for refusal in PlainStore.Refusal.allCases {
            let store = PlainStore(Self.own, refusal)
            let service = store.service()
            var settings = PlainStore.settings
            settings["region"] = "eu-west-1"
            settings["endpoint"] = endpoint
            let connector = try service.connector("s3", settings)
            let error = await fault { _ = try await connector.erase(Self.request) }
            let expected: FarewellError.Code = refusal == .ignored ? "connector.garbled" : "connector.refused"
            #expect(error?.code == expected, "\(refusal): \(String(describing: error))")
            let asked = Set(service.sent.flatMap(\.query).map(\.name))
            #expect(asked.isDisjoint(with: ["list-type", "versioning"]), "\(asked)")
            #expect(store.keys.withLock { $0 } == Self.own)
        }
    }

    @Test("SY-1 a store that lists no versions proves no place: its list of objects must, with the bucket's name")
    func unproved() async throws {
        func list(_ inside: String) -> SystemReply {
            .xml(200, "<ListBucketResult>\(inside)<IsTruncated>false</IsTruncated></ListBucketResult>")
        }
        let listings: [(SystemReply, FarewellError.Code)] = [
            (.xml(501, "<Error><Code>NotImplemented</Code></Error>"), "connector.refused"),
            (.xml(404, "<Error><Code>NoSuchBucket</Code></Error>"), "connector.misconfigured"),
            (.xml(403, "<Error><Code>AccessDenied</Code></Error>"), "connector.credentials"),
            (list("<Name>other</Name>"), "connector.refused"), (list(""), "connector.garbled"),
            // Names of another form than the person's.
            (list("<Name>b</Name><CommonPrefixes><Prefix>users/\(UUIDText.one)/</Prefix></CommonPrefixes>"), "connector.refused"),
        ]
        for (listing, code) in listings {
            var store = PlainStore([])
            store.listing = listing
            let connector = try store.service().connector("s3", PlainStore.settings)
            for name in ["7", "8"] {
                let error = await fault { _ = try await connector.verify(.init(key: "k", names: [name])) }
                #expect(error?.code == code, "\(listing): \(String(describing: error))")
            }
        }
    }

    private enum UUIDText { static let one = "0b0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f" }

    @Test("SY-1 versions inside a list of objects are not taken for objects without versions")
    func versionsInside() async throws {
        let service = AnsweringService { call in
            let inside = "<Name>b</Name><IsTruncated>false</IsTruncated><Version><Key>users/u1/a</Key></Version>"
            return .xml(200, "<ListBucketResult>\(call.method == "GET" ? inside : "")</ListBucketResult>")
        }
        let connector = try service.connector("s3", PlainStore.settings)
        #expect(await fault { _ = try await connector.erase(Self.request) }?.code == "connector.garbled")
        #expect(service.sent.count == 1)
    }

    @Test("SYS-10 SY-4 where a store knows no versions, doctor tests the right to delete an object")
    func rights() async throws {
        let allowed = try PlainStore([]).service().connector("s3", PlainStore.settings)
        #expect(try await allowed.proveRights() == "this key may delete objects")
        let service = AnsweringService { call in
            let isPlain = call.query.isEmpty
            return .xml(isPlain ? 403 : 501, "<Error><Code>\(isPlain ? "AccessDenied" : "NotImplemented")</Code></Error>")
        }
        let denied = try service.connector("s3", PlainStore.settings)
        let error = await fault { _ = try await denied.proveRights() }
        let isNamed = error?.message.contains("s3:DeleteObject.") == true
        #expect(error?.code == "connector.credentials" && isNamed, "\(String(describing: error))")
    }
}

// One after the other with the other tests of moto.
extension AWSTests {
    @Test("SY-1 SY-2 SYS-11 in moto's bucket behind a gateway that lists no versions, all is erased and every neighbour stays")
    func unlisted() async throws {
        let bed = try AWSBed("plain")
        let person = try await bed.settle()
        let before = try await bed.census()
        let own = bed.entries(of: person, in: before)
        #expect(own.count > 10 && own.count < before.count)
        await bed.sending.answer { call, _ in
            let isRefused = call.query.contains { ["versions", "versioning", "versionId"].contains($0.name) }
            return isRefused ? .xml(501, "<Error><Code>NotImplemented</Code></Error>") : nil
        }
        let read = try await Reading.of(person, by: bed)
        #expect(read.items.count == own.count { !$0.contains(" upload ") })
        let driver = ConnectorDriver("plain", bed.connector, sleep: { _ in }, chance: { 0.5 })
        let progress = try await driver.run(.init(key: "k", names: person), from: nil) { _ in }
        #expect(progress.counts["found"] == own.count && progress.counts["erased"] == own.count)
        #expect(try await bed.connector.verify(.init(key: "k", names: person)) == .gone)
        #expect(try await bed.census() == before.filter { !own.contains($0.key) })
    }
}
