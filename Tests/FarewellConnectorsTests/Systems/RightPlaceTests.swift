// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Absence counts only from a verified place", .contracts)
struct RightPlaceTests {
    private static let names = ConnectorRequest(key: "k", names: ["u1"])

    /// The errors of each of the three questions.
    private func ends(_ connector: any Connector) async -> [FarewellError?] {
        [
            await fault { _ = try await connector.count(Self.names) },
            await fault { _ = try await connector.erase(Self.names) },
            await fault { _ = try await connector.verify(Self.names) },
        ]
    }

    private func expectRefused(_ connector: any Connector, _ what: String, saying word: String = "") async {
        for error in await ends(connector) {
            #expect(error?.family == .yoursToFix && error?.remedy != nil, "\(what): \(String(describing: error))")
            #expect(error?.message.contains(word) == true, "\(what): \(String(describing: error))")
        }
    }

    // MARK: Supabase

    /// As github.com/supabase/storage answers: an empty list, whatever the bucket and the key are.
    private static func storage(_ bucket: SystemReply) -> AnsweringService {
        AnsweringService { call in call.path.contains("/bucket/") ? bucket : .json(200, "[]") }
    }

    private static let storageSettings = [
        "endpoint": "https://abc.supabase.co/storage/v1", "bucket": "photos", "prefix": "users/{person}/",
    ]
    private static let bucketThere = SystemReply.json(200, #"{"id":"photos","name":"photos","public":false}"#)

    private static func token(_ claims: String) -> String {
        "\(Base64URL.text(Array(#"{"alg":"HS256"}"#.utf8))).\(Base64URL.text(Array(claims.utf8))).c2ln"
    }

    @Test("SYS-02 SY-1 an empty list of a missing bucket is no evidence, and one of a readable bucket is")
    func bucket() async throws {
        let missing = SystemReply.json(400, #"{"statusCode":"404","error":"Bucket not found","message":"Bucket not found"}"#)
        await expectRefused(
            try Self.storage(missing).connector("supabase-storage", Self.storageSettings), "no bucket", saying: "no such bucket")
        let other = SystemReply.json(200, #"{"id":"photo","name":"photo"}"#)
        await expectRefused(try Self.storage(other).connector("supabase-storage", Self.storageSettings), "another bucket")
        let there = try Self.storage(Self.bucketThere).connector("supabase-storage", Self.storageSettings)
        #expect(try await there.count(Self.names) == 0)
        #expect(try await there.erase(Self.names) == .nothingThere)
        #expect(try await there.verify(Self.names) == .gone)
        #expect(try await there.prove()?.contains("photos") == true)
    }

    @Test("SYS-02 SY-1 a key that row security filters proves nothing, whatever rows it shows")
    func blindKey() async throws {
        let service = Self.storage(Self.bucketThere)
        for key in [
            "sb_publishable_x", Self.token(#"{"role":"anon","ref":"abc"}"#), Self.token(#"{"role":"authenticated"}"#),
            Self.token(#"{"role":"service_role","ref":"other"}"#),
        ] {
            await expectRefused(try service.connector("supabase-storage", Self.storageSettings, key: key), key)
            let auth = AnsweringService { call in
                call.path.hasSuffix("/admin/users")
                    ? .json(200, #"{"users":[]}"#) : .json(404, #"{"code":404,"error_code":"user_not_found","msg":"User not found"}"#)
            }
            await expectRefused(
                try auth.connector("supabase-auth", ["endpoint": "https://abc.supabase.co/auth/v1"], key: key), key)
        }
        for key in ["sb_secret_x", Self.token(#"{"role":"service_role","ref":"abc"}"#)] {
            let connector = try service.connector("supabase-storage", Self.storageSettings, key: key)
            #expect(try await connector.verify(Self.names) == .gone)
        }
    }

    @Test("SYS-10 SY-1 doctor reports where no object of any user is, because the prefix may be mistyped")
    func emptyPrefix() async throws {
        for isEmpty in [true, false] {
            let service = AnsweringService { call in
                if call.path.contains("/bucket/") { return Self.bucketThere }
                if call.path.contains("/object/list/") { return .json(200, isEmpty ? "[]" : #"[{"name":"u2","id":null}]"#) }
                guard call.address.host == "s3.example.org" else {
                    let items = isEmpty ? "" : #","items":[{"name":"users/u2/a","generation":"1"}]"#
                    return .json(200, #"{"kind":"storage#objects"\#(items)}"#)
                }
                let isVersions = call.query.contains { $0.name == "versions" }
                let root = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
                let entry = isEmpty || !isVersions ? "" : "<Version><Key>users/u2/a</Key><VersionId>v</VersionId></Version>"
                return .xml(200, "<\(root)><IsTruncated>false</IsTruncated>\(entry)</\(root)>")
            }
            let s3 = ["region": "r", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"]
            let google = ["bucket": "b", "prefix": "users/{person}/"]
            for (kind, settings) in [("s3", s3), ("firebase-storage", google), ("supabase-storage", Self.storageSettings)] {
                let evidence = try await service.emulated(kind, settings).prove() ?? ""
                #expect(evidence.contains("nothing is below users/") == isEmpty, "\(kind): \(evidence)")
            }
        }
    }

    @Test("SB-2 a key in the newer form is not a token, so it is sent only as apikey; a legacy key is sent as both")
    func newerKey() async throws {
        let legacy = Self.token(#"{"role":"service_role","ref":"abc"}"#)
        for (key, authorization) in [("sb_secret_x", nil), (legacy, "Bearer \(legacy)")] {
            let service = Self.storage(Self.bucketThere)
            _ = try await service.connector("supabase-storage", Self.storageSettings, key: key).prove()
            let auth = AnsweringService { _ in .json(200, #"{"users":[]}"#) }
            let settings = ["endpoint": "https://abc.supabase.co/auth/v1"]
            _ = try await auth.connector("supabase-auth", settings, key: key).prove()
            for call in service.sent + auth.sent {
                let fields = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name.lowercased(), $0.value) })
                #expect(fields["apikey"] == key && fields["authorization"] == authorization, "\(call.path)")
            }
            #expect(!service.sent.isEmpty && !auth.sent.isEmpty)
        }
    }

    @Test("SY-1 Supabase Auth: a 404 for a name counts only from a project whose users the key may list")
    func authPlace() async throws {
        for list in [SystemReply.json(403, #"{"code":403,"error_code":"not_admin","msg":"User not allowed"}"#), .json(200, "{}")] {
            let service = AnsweringService { call in
                call.path.hasSuffix("/admin/users") ? list : .json(404, #"{"code":404,"error_code":"user_not_found"}"#)
            }
            let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
            for error in await ends(connector) { #expect(error != nil) }
        }
    }

    // MARK: Pages without entries

    @Test("SY-1 Cognito: an empty page of users is not the last one while it has a token")
    func emptyPage() async throws {
        let user = #"{"Username":"bob","Attributes":[{"Name":"sub","Value":"u1"}]}"#
        let service = AnsweringService { call in
            let body = String(decoding: call.body, as: UTF8.self)
            guard call.headers.contains(where: { $0.value.hasSuffix("ListUsers") }) else { return .json(200, "{}") }
            return .json(200, body.contains("PaginationToken") ? #"{"Users":[\#(user)]}"# : #"{"Users":[],"PaginationToken":"t1"}"#)
        }
        let pool = ["region": "eu-west-1", "pool": "eu-west-1_aB3", "by": "sub"]
        let connector = try service.connector("cognito", pool)
        #expect(try await connector.count(Self.names) == 1)
        let circle = AnsweringService { _ in .json(200, #"{"Users":[],"PaginationToken":"t1"}"#) }
        let lost = try circle.connector("cognito", pool)
        #expect(await fault { _ = try await lost.count(Self.names) } != nil)
    }

    // MARK: Stripe

    private static func stripe(_ customer: SystemReply, customers: String) -> AnsweringService {
        AnsweringService { call in
            call.path == "/v1/customers" ? .json(200, #"{"object":"list","data":[\#(customers)],"has_more":false}"#) : customer
        }
    }

    private static let missing = SystemReply.json(
        404, #"{"error":{"code":"resource_missing","type":"invalid_request_error","message":"No such customer: 'u1'"}}"#)

    @Test("SYS-03 SY-1 a customer of the other mode exists, and Stripe says so")
    func otherMode() async throws {
        for (mode, other) in [("live", "test"), ("test", "live")] {
            let reply = SystemReply.json(
                404,
                """
                {"error":{"code":"resource_missing","type":"invalid_request_error","param":"id","message":"No such customer: \
                'u1'; a similar object exists in \(mode) mode, but a \(other) mode key was used to make this request."}}
                """)
            let service = Self.stripe(reply, customers: #"{"id":"cus_2","livemode":true}"#)
            await expectRefused(try service.connector("stripe", [:]), mode, saying: "it exists in \(mode) mode")
        }
    }

    @Test("SYS-03 SY-1 a customer unknown to Stripe is not gone where the key sees no customers, in another mode, or without an account")
    func stripeAccount() async throws {
        await expectRefused(
            try Self.stripe(Self.missing, customers: "").connector("stripe", [:]), "no customers", saying: "sees no customers")
        // Every other account of the mode sees customers as well.
        let seeing = try Self.stripe(Self.missing, customers: #"{"id":"cus_2","livemode":true}"#).connector("stripe", [:])
        await expectRefused(seeing, "no account", saying: "does not name the account")
        for (mode, key, live) in [
            ("live", "sk_test_x", "true"), ("test", "k", "true"), ("live", "k", "false"), ("test", "rk_live_x", "false"),
        ] {
            let service = Self.stripe(Self.missing, customers: #"{"id":"cus_2","livemode":\#(live)}"#)
            await expectRefused(try service.connector("stripe", ["mode": mode], key: key), "\(mode) \(key) \(live)", saying: "mode")
        }
        // After a deletion, it is still known: that is evidence on its own.
        let deleted = Self.stripe(.json(200, #"{"id":"u1","object":"customer","deleted":true}"#), customers: "")
        #expect(try await deleted.connector("stripe", [:]).verify(Self.names) == .gone)
        let wrong = SystemReply.json(404, #"{"error":{"type":"invalid_request_error","message":"Unrecognized request URL (GET: /v2)."}}"#)
        await expectRefused(try Self.stripe(wrong, customers: "").connector("stripe", [:]), "another address", saying: "address")
    }

    @Test("SYS-03 SY-1 a customer unknown to Stripe does not count as gone in another account than the plan's")
    func otherAccount() async throws {
        for (id, isGone) in [("acct_1", true), ("acct_2", false)] {
            let service = AnsweringService { call in
                switch call.path {
                case "/v1/customers": .json(200, #"{"object":"list","data":[{"id":"cus_2","livemode":true}],"has_more":false}"#)
                case "/v1/account": .json(200, #"{"object":"account","id":"\#(id)"}"#)
                default: Self.missing
                }
            }
            let connector = try service.connector("stripe", ["account": "acct_1"])
            guard isGone else {
                await expectRefused(connector, id, saying: "another account")
                continue
            }
            #expect(try await connector.verify(Self.names) == .gone)
        }
    }

    // MARK: Apple, RevenueCat, AWS

    @Test("SYS-03 SY-1 Apple: a token of another client does not count as revoked")
    func otherClient() async throws {
        let service = AnsweringService { call in
            call.path.hasSuffix("/revoke")
                ? SystemReply(status: 200)
                : .json(400, #"{"error":"invalid_grant","error_description":"client_id mismatch. The code was not issued to app."}"#)
        }
        let key = try PeerProcess.vendors.get().text("apple")
        let connector = try service.connector("apple", ["client": "app", "team": "T", "key_id": "K"], key: key)
        let error = await fault { _ = try await connector.verify(Self.names) }
        #expect(error?.code == "connector.refused" && error?.message.contains("another client") == true, "\(String(describing: error))")
    }

    @Test("SY-1 Apple: an identifier or an address is no refresh token, and what Apple says of it proves nothing")
    func noToken() async throws {
        try await expectNoToken([
            "0b0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f", "42", "ada@example.org", "001234.0b0e7d1c93f44c5e8a8a0c6f6b1d2e3f.1234",
            "other.app 0B0E7D1C-93F4-4C5E-8A8A-0C6F6B1D2E3F",
        ])
    }

    @Test("SY-1 Apple: an identity token, a code, an access token, a digest or a generated identifier is no refresh token")
    func otherToken() async throws {
        try await expectNoToken([
            "eyJraWQiOiJmaDZCczhDIn0.eyJzdWIiOiIxIn0.c2ln", "c0b0e7d1c93f44c5e8a8a0c6f6b1d2e3f.0.mruyq.cYz-1_2",
            "a0b0e7d1c93f44c5e8a8a0c6f6b1d2e3f.0.mruyq.aYz-1_2", "0b0e7d1c93f44c5e8a8a0c6f6b1d2e3f",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "XyZ0123456789abcdefghijklMN7",
        ])
    }

    private func expectNoToken(_ names: [String]) async throws {
        let service = AnsweringService { call in
            call.path.hasSuffix("/revoke") ? SystemReply(status: 200) : .json(400, #"{"error":"invalid_grant"}"#)
        }
        let key = try PeerProcess.vendors.get().text("apple")
        let connector = try service.connector("apple", ["client": "app", "team": "T", "key_id": "K"], key: key)
        for name in names {
            let request = ConnectorRequest(key: "k", names: [name])
            for act in [true, false] {
                let error = await fault {
                    if act { _ = try await connector.erase(request) } else { _ = try await connector.verify(request) }
                }
                #expect(error?.message.contains("no refresh token") == true, "\(name): \(String(describing: error))")
                #expect(error?.remedy?.contains("person") == true && error?.description.contains(name) == false)
            }
        }
        #expect(service.sent.isEmpty)
        let token = ConnectorRequest(key: "k", names: ["r0b0e7d1c93f44c5e8a8a0c6f6b1d2e3f.0.mruyq.rxYz-1_2"])
        #expect(try await connector.verify(token) == .gone)
    }

    @Test("SY-1 RevenueCat: a 404 whose sentence contains the customer's name is not taken for a missing project")
    func namedInSentence() async throws {
        let service = AnsweringService { call in
            call.path.hasSuffix("/customers")
                ? .json(200, #"{"object":"list","items":[]}"#)
                : .json(404, #"{"object":"error","type":"resource_missing","message":"Customer my-project was not found."}"#)
        }
        let connector = try service.connector("revenuecat", ["project": "p"])
        let request = ConnectorRequest(key: "k", names: ["my-project"])
        #expect(try await connector.count(request) == 0)
        #expect(try await connector.erase(request) == .nothingThere)
        #expect(try await connector.verify(request) == .gone)
    }

    @Test("SY-1 RevenueCat: a missing project is not a missing customer")
    func otherProject() async throws {
        let missing = SystemReply.json(404, #"{"object":"error","type":"resource_missing","message":"Resource not found."}"#)
        let service = AnsweringService { _ in missing }
        await expectRefused(try service.connector("revenuecat", ["project": "p"]), "another project")
        let listing = AnsweringService { call in
            call.path.hasSuffix("/customers") ? .json(200, #"{"object":"list","items":[]}"#) : missing
        }
        #expect(try await listing.connector("revenuecat", ["project": "p"]).verify(Self.names) == .gone)
    }

    @Test("SY-1 RevenueCat's first API: a missing customer is gone only where the project has the known one, and none is created")
    func knownCustomer() async throws {
        for (settings, word) in [
            (["api": "v1"], "nothing shows"), (["api": "v1", "known": "team"], "does not have the customer"),
            (["api": "v1", "known": "team", "there": "yes"], ""),
        ] {
            let isThere = settings["there"] != nil
            let created = Guarded<Set<String>>([])
            let service = AnsweringService { call in
                let name = call.path.split(separator: "/").last.map(String.init) ?? ""
                if call.method == "DELETE" {
                    let isGone = created.withLock { $0.remove(name) } == nil
                    return isGone ? .json(404, #"{"code":7259,"message":"m"}"#) : .json(200, #"{"deleted":true}"#)
                }
                if name == "team", isThere { return .json(200, #"{"subscriber":{}}"#) }
                return .json(created.withLock { $0.insert(name).inserted } ? 201 : 200, #"{"subscriber":{}}"#)
            }
            let connector = try service.connector("revenuecat", settings.filter { $0.key != "there" })
            let doctor = await fault { _ = try await connector.prove() }
            let erasing = await fault {
                let answer = try await connector.erase(Self.names)
                #expect(answer == .nothingThere)
            }
            let reading = await fault {
                let left = try await connector.verify(Self.names)
                #expect(left == .gone)
            }
            for error in [doctor, erasing, reading] {
                let isRefused =
                    error?.code == "connector.refused" && error?.message.contains(word) == true
                    && error?.remedy?.contains("known") == true
                #expect(isThere ? error == nil : isRefused, "\(settings): \(String(describing: error))")
            }
            #expect(created.withLock { $0.isEmpty }, "\(settings)")
        }
    }

    @Test("SY-2 Cognito: a user that the pool finds by an alias or by other capitals is another user")
    func alias() async throws {
        for found in [
            #"{"Username":"U1"}"#, #"{"Username":"x","UserAttributes":[{"Name":"preferred_username","Value":"u1"}]}"#,
        ] {
            let service = AnsweringService { _ in .json(200, found) }
            let connector = try service.connector("cognito", ["region": "eu-west-1", "pool": "p"])
            await expectRefused(connector, found, saying: "another name")
        }
        let byMail = AnsweringService { _ in .json(200, #"{"Username":"x","UserAttributes":[{"Name":"email","Value":"u1"}]}"#) }
        #expect(try await byMail.connector("cognito", ["region": "eu-west-1", "pool": "p"]).verify(Self.names) == .left(1))
    }

    // MARK: Firebase

    private static func firestore(_ rows: @escaping @Sendable (SystemCall) -> String) -> AnsweringService {
        AnsweringService { call in
            call.header("Authorization") == nil && call.path.hasSuffix("/token")
                ? .json(200, #"{"access_token":"t","expires_in":3600}"#) : .json(200, rows(call))
        }
    }

    private static func connector(_ service: AnsweringService, _ settings: [String: String]) throws -> any Connector {
        let system = SystemPlan(name: "it", kind: "firestore", settings: settings.merging(["project": "p"]) { $1 })
        var world = ConnectorWorld.hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
        world.read = { _ in nil }
        return try FirestoreConnector(system, world: world)
    }

    private static let none = #"[{"readTime":"2026-01-02T03:04:05Z"}]"#

    private static func end(_ value: String) -> String {
        let name = "projects/p/databases/(default)/documents/f/x"
        return #"[{"document":{"name":"\#(name)","fields":{"ref":\#(value)}},"readTime":"2026-01-02T03:04:05Z"}]"#
    }

    @Test(
        "SYS-13 SY-1 a field of another type than the plan's is refused, with the type that it has",
        arguments: [
            (#"{"referenceValue":"projects/p/databases/(default)/documents/users/u1"}"#, "references"),
            (#"{"arrayValue":{"values":[{"stringValue":"u1"}]}}"#, "arrays"), (#"{"mapValue":{"fields":{}}}"#, "maps"),
            (#"{"integerValue":"1"}"#, "numbers"),
        ])
    func fieldType(_ value: String, _ word: String) async throws {
        let service = Self.firestore { call in
            String(decoding: call.body, as: UTF8.self).contains("unaryFilter") ? Self.end(value) : Self.none
        }
        await expectRefused(try Self.connector(service, ["collection": "f", "field": "ref"]), word, saying: word)
    }

    @Test("SYS-13 SY-1 a collection or field without any document is refused, unless the plan says that it may be empty")
    func emptyCollection() async throws {
        let service = Self.firestore { call in call.method == "GET" ? "{}" : call.path.hasSuffix("x") ? "[]" : Self.none }
        for settings in [["collection": "f", "field": "ref"], ["collection": "f", "field": "n", "type": "integer"]] {
            let error = await fault { _ = try await Self.connector(service, settings).verify(.init(key: "k", names: ["1"])) }
            #expect(error?.code == "connector.refused" && error?.message.contains("is empty") == true, "\(String(describing: error))")
            let allowed = try Self.connector(service, settings.merging(["empty": "allowed"]) { $1 })
            #expect(try await allowed.verify(.init(key: "k", names: ["1"])) == .gone)
        }
    }

    @Test("SYS-13 SY-1 a name that the field's type cannot hold is refused")
    func impossibleName() async throws {
        let service = Self.firestore { _ in Self.none }
        let connector = try Self.connector(service, ["collection": "f", "field": "n", "type": "integer"])
        await expectRefused(connector, "no number", saying: "integer")
    }
}
