// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellPlan
import FarewellTesting
import Foundation
import InteropProgram
import Subprocess
import Testing

@Suite("Firebase, as its documentation describes it", .serialized, .contracts)
struct FirebaseTests {
    @Test(
        "Items 46, 48, F10-F16 Firebase: the promises of connectors, with every failure",
        arguments: [FirebaseBed.Place.account, .tenant, .document, .group, .objects, .tree])
    func promises(_ place: FirebaseBed.Place) async throws {
        let bed = try FirebaseBed(place)
        try await bed.requireEveryRow()
        try await ConnectorConformance(bed).run()
    }

    @Test(
        "a name given by a collection, a field or a number is erased with everything below it, and other users keep their data",
        arguments: FirebaseBed.Place.allCases)
    func whole(_ place: FirebaseBed.Place) async throws {
        let bed = try FirebaseBed(place)
        let person = try await bed.settle()
        let before = try await bed.census()
        let own = bed.entries(of: person, in: before)
        let request = ConnectorRequest(key: "run/step", names: person)
        let found = try #require(try await bed.connector.count(request))
        // Of a tree only the first level is counted.
        #expect(place == .tree ? found == 3 : found == own.count, "\(found)")
        #expect(try await bed.connector.verify(request) != .gone)
        try await erase(request, by: bed)
        #expect(try await bed.connector.verify(request) == .gone)
        #expect(try await bed.census() == before.filter { !own.contains($0.key) })
    }

    @Test(
        "SY-2 a strange name that a collection or a field gives: every neighbour stays, byte for byte",
        arguments: [FirebaseBed.Place.collection, .field])
    func strangeName(_ place: FirebaseBed.Place) async throws { try await FirebaseBed(place).eraseStrangeName() }

    @Test("the systems in the guide for Firebase are valid, and its table names every kind of Firebase")
    func guide() throws {
        let guide = try String(
            contentsOf: InteropProgram.root.appending(path: "docs/adopting/firebase.md"), encoding: .utf8)
        let block = try #require(guide.components(separatedBy: "  ```yaml\n").dropFirst().first?.components(separatedBy: "  ```")[0])
        let head = "farewell: 1\nsubject: {table: people, key: id}\ntables: {people: {rule: erase, columns: [id]}}\n"
        let systems = block.split(separator: "\n").map { $0.dropFirst(2) }.joined(separator: "\n")
        let plan = try PlanFile.read(Array((head + systems).utf8), path: "firebase.md")
        let connectors = try ConnectorKinds.connectors(of: plan, world: .hurried(FaultySending(), environment: [:]))
        #expect(connectors.keys.sorted() == ["accounts", "photos"])
        for kind in ConnectorKinds.names where kind.contains("fire") || kind == "realtime-database" {
            #expect(guide.contains("| `\(kind)` |"), "\(kind)")
        }
    }

    /// As the run does it: again where the service asks for it, and on where it has more.
    private func erase(_ request: ConnectorRequest, by bed: FirebaseBed) async throws {
        let driver = ConnectorDriver(bed.name, bed.connector, sleep: { _ in }, chance: { 0.5 })
        _ = try await driver.run(request, from: nil) { _ in }
    }

    @Test("a thousand documents below one are erased in batches, found by their own query")
    func many() async throws {
        let bed = try FirebaseBed(.document)
        let person = try await bed.settle(more: 1_000)
        try await erase(.init(key: "run/step", names: person), by: bed)
        #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
        #expect(await bed.calls < 40)
    }

    @Test("a tree too large for one deletion is deleted child by child")
    func largeTree() async throws {
        let bed = try FirebaseBed(.tree)
        let person = try await bed.settle(more: 20)
        try await erase(.init(key: "run/step", names: person), by: bed)
        #expect(bed.entries(of: person, in: try await bed.census()).isEmpty)
    }

    @Test("the error about a held object names the cause, after all other objects are deleted")
    func held() async throws {
        let bed = try FirebaseBed(.objects)
        let person = try await bed.settle()
        let own = bed.entries(of: person, in: try await bed.census())
        let object = try #require(own.first { $0.contains("old/") })
        _ = try await bed.peer.control("POST", "/hold/firebase-storage", object)
        await #expect {
            try await erase(.init(key: "run/step", names: person), by: bed)
        } throws: { error in
            let error = error as? FarewellError
            return error?.code == "connector.refused" && error?.message.contains("1 object is held") == true
        }
        #expect(bed.entries(of: person, in: try await bed.census()) == [object])
    }

    @Test("one token serves all calls until shortly before its expiry, and a refused one is renewed once")
    func tokens() async throws {
        let bed = try FirebaseBed(.account)
        let person = try await bed.settle()
        let request = ConnectorRequest(key: "run/step", names: person)
        func granted() async throws -> String? { try await bed.peer.control("GET", "/census/google")["granted"]?.string }
        let first = try #require(try await granted().flatMap { Int($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...8 { group.addTask { _ = try await bed.connector.count(request) } }
            try await group.waitForAll()
        }
        #expect(try await granted() == "\(first + 1)")
        // Forgotten by the service, before its time.
        _ = try await bed.peer.control("POST", "/settle/google")
        #expect(try await bed.connector.count(request) == 1)
        #expect(try await granted() == "\(first + 2)")
    }

    @Test("a service account of another project, or none, is a credentials error")
    func strangers() async throws {
        let peer = try PeerProcess.vendors.get()
        var file = try #require(try StrictJSON.value(Array(try peer.text("service_account").utf8)).object)
        file["client_email"] = .string("somebody@else.example")
        let other = String(decoding: try JSONEncoder().encode(JSONValue.object(file)), as: UTF8.self)
        for text in [other, "{}", "no JSON", #"{"client_email": "a", "private_key": "canary"}"#] {
            let world = ConnectorWorld.hurried(FaultySending(), environment: ["SERVICE_ACCOUNT": text])
            var system = SystemPlan(name: "people", kind: "firebase-auth", settings: ["project": "farewell-test"])
            system.settings["endpoint"] = "\(try peer.text("endpoint"))/firebase-auth"
            system.secrets["service_account"] = .environment("SERVICE_ACCOUNT")
            let connector = try FirebaseAuthConnector(system, world: world)
            await #expect(throws: ConnectorFault.credentials("people", needs: "a service account and its key")) {
                try await connector.count(.init(key: "k", names: ["ada"]))
            }
        }
    }

    @Test(
        "an error never counts as absence: another project, another database, another bucket",
        arguments: [
            FirebaseBed.Place.account, .tenant, .document, .field, .objects,
        ])
    func elsewhere(_ place: FirebaseBed.Place) async throws {
        let bed = try FirebaseBed(place) { $0.settings[place == .objects ? "bucket" : "project"] = "another" }
        let request = ConnectorRequest(key: "k", names: ["ada"])
        await #expect(throws: ConnectorFault.self) { try await bed.connector.count(request) }
        await #expect(throws: ConnectorFault.self) { try await bed.connector.verify(request) }
        await #expect(throws: ConnectorFault.self) { try await bed.connector.erase(request) }
    }

    @Test("SY-1 a tenant that the project does not have is refused, and no account of the project or another tenant is touched")
    func tenants() async throws {
        let bed = try FirebaseBed(.tenant)
        let person = try await bed.settle()
        let before = try await bed.census()
        let request = ConnectorRequest(key: "run/step", names: person)
        for tenant in ["another", "Farewell-tenant", "farewell-tenan"] {
            let other = try FirebaseBed(.tenant) { $0.settings["tenant"] = tenant }
            for act in [
                { _ = try await other.connector.erase(request) }, { _ = try await other.connector.verify(request) },
                { _ = try await other.connector.prove() },
            ] as [@Sendable () async throws -> Void] {
                let error = await fault(act)
                #expect(error?.code == "connector.misconfigured", "\(tenant): \(String(describing: error))")
                #expect(error?.message.contains("no such tenant") == true && error?.remedy != nil, "\(String(describing: error))")
            }
        }
        #expect(try await bed.census() == before)
        #expect(try await bed.connector.prove()?.contains("the tenant answers") == true)
        try await erase(request, by: bed)
        let left = try await bed.census()
        #expect(Set(before.keys).subtracting(left.keys) == ["farewell-tenant/\(person[0].plain)"])
    }

    @Test(
        "SY-1 an account of a tenant other than the plan's does not answer the lookup",
        arguments: [("t", #","tenantId":"T""#), ("t", ""), (nil, #","tenantId":"t""#)])
    func anotherTenant(_ tenant: String?, _ told: String) async throws {
        let service = AnsweringService { _ in
            .json(200, #"{"kind":"identitytoolkit#GetAccountInfoResponse","users":[{"localId":"u1"\#(told)}]}"#)
        }
        var settings = ["project": "p"]
        settings["tenant"] = tenant
        let world = ConnectorWorld.hurried(service, environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:1", "HOME": "/nowhere"])
        let connector = try FirebaseAuthConnector(
            SystemPlan(name: "it", kind: "firebase-auth", settings: settings), world: world)
        let error = await fault { _ = try await connector.verify(.init(key: "k", names: ["u1"])) }
        #expect(error?.code == "connector.misconfigured", "\(String(describing: error))")
    }

    @Test("SY-1 a user who is missing in a project with tenants may be in a tenant, so nothing counts without the plan's word")
    func projectWithTenants() async throws {
        let none = SystemReply.json(200, #"{"kind":"identitytoolkit#GetAccountInfoResponse"}"#)
        let missing = SystemReply.json(400, #"{"error":{"code":400,"message":"USER_NOT_FOUND"}}"#)
        let request = ConnectorRequest(key: "k", names: ["u1"])
        let denied = SystemReply.json(403, #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"m"}}"#)
        let project = { (configuration: SystemReply) in
            AnsweringService { call in
                if call.encodedPath.hasSuffix("/v2/projects/p/config") { return configuration }
                return call.encodedPath.hasSuffix(":delete") ? missing : none
            }
        }
        for (configuration, settings, code) in [
            (SystemReply.json(200, #"{"multiTenant":{"allowTenants":true}}"#), [:], "connector.refused"),
            (.json(200, #"{"multiTenant":{"allowTenants":true}}"#), ["tenants": "allowed"], nil),
            (.json(200, #"{"multiTenant":{"allowTenants":true}}"#), ["tenant": "t"], nil),
            (.json(200, #"{"multiTenant":{}}"#), [:], nil), (.json(200, #"{"subtype":"FIREBASE_AUTH"}"#), [:], nil),
            (denied, [:], "connector.credentials"),
        ] as [(SystemReply, [String: String], String?)] {
            let connector = try project(configuration).emulated("firebase-auth", settings.merging(["project": "p"]) { $1 })
            for act in [
                { _ = try await connector.prove() }, { _ = try await connector.count(request) },
                { _ = try await connector.erase(request) }, { _ = try await connector.verify(request) },
            ] as [@Sendable () async throws -> Void] {
                let error = await fault(act)
                #expect(error?.code.rawValue == code, "\(settings): \(String(describing: error))")
                if code == "connector.refused" { #expect(error?.remedy?.contains("tenants: allowed") == true) }
                if code == "connector.credentials" { #expect(error?.message.contains("firebaseauth.configs.get") == true) }
            }
        }
        #expect(throws: FarewellError.self) {
            try project(none).emulated("firebase-auth", ["project": "p", "tenant": "t", "tenants": "allowed"])
        }
    }

    @Test(
        "SYS-06 an error of Identity Platform is recognised by its message, whatever its status",
        arguments: ResponseTable.firebaseAuth.lines.filter { line in
            ["identity-platform", "reference/rest/auth"].contains { line.source.contains($0) }
        })
    func identityErrors(_ line: ResponseLine) async throws {
        let code = try #require(line.code)
        let service = AnsweringService { call in
            call.encodedPath.hasSuffix("accounts:batchGet")
                ? .json(200, "{}")
                : .json(400, #"{"error":{"code":400,"message":"\#(code) : Something.","status":"INVALID_ARGUMENT"}}"#)
        }
        let world = ConnectorWorld.hurried(service, environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:1", "HOME": "/nowhere"])
        let connector = try FirebaseAuthConnector(
            SystemPlan(name: "it", kind: "firebase-auth", settings: ["project": "p", "tenant": "t"]), world: world)
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        let expected =
            switch line.outcome {
            case .absent: ""
            case .later: "connector.throttled"
            case .credentials: "connector.credentials"
            default: "connector.misconfigured"
            }
        #expect((error?.code.rawValue ?? "") == expected, "\(code): \(String(describing: error))")
    }

    @Test(
        "a name that could lead elsewhere is refused before any call",
        arguments: [
            (FirebaseBed.Place.document, "a/b"), (.document, ".."), (.document, "__x__"), (.collection, "a/b"), (.objects, "a/b"),
            (.tree, "a/b"), (.tree, "a.b"), (.tree, "a#b"), (.tree, "$a"),
        ])
    func names(_ place: FirebaseBed.Place, _ name: String) async throws {
        let bed = try FirebaseBed(place)
        await #expect(throws: ConnectorFault.self) { try await bed.connector.erase(.init(key: "k", names: [name])) }
        #expect(await bed.calls == 0)
    }

    @Test(
        "a plan whose path could reach a neighbour is refused",
        arguments: [
            "users/{person}x", "users/x{person}", "users//{person}", "{person}/{person}", "users/a", "/users/{person}", "users/{person}/",
        ])
    func paths(_ path: String) throws {
        for place in [FirebaseBed.Place.document, .tree] {
            #expect(throws: FarewellError.self) { try FirebaseBed(place) { $0.settings["path"] = path } }
        }
        for prefix in ["users/{person}", "users{person}/", "{person}", "users/"] {
            #expect(throws: FarewellError.self) { try FirebaseBed(.objects) { $0.settings["prefix"] = prefix } }
        }
    }

    @Test("Google's own clients understand the fake Firebase as Farewell does")
    func published() async throws {
        let peer = try PeerProcess.vendors.get()
        let file = FileManager.default.temporaryDirectory.appending(path: "farewell-\(UUID().uuidString).json")
        try Data(try peer.text("service_account").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Interop/firebase_clients.py")
        let result = try await Subprocess.run(
            .name("python3"), arguments: [script.path, try peer.text("endpoint"), file.path], output: .bytes(limit: 1 << 20),
            error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        let told = try StrictJSON.value(Array(result.standardOutput).split(separator: 0x0a).last.map(Array.init) ?? [])
        let truths = [
            "token", "auth", "auth list", "auth gone", "auth gone twice", "auth neighbour", "tenant", "tenant gone", "tenant missing",
            "storage gone", "realtime gone", "realtime query", "firestore owned",
        ]
        for truth in truths { #expect(told[truth] == .boolean(true), "\(truth)") }
        #expect(told["storage"]?.array?.compactMap(\.string) == ["a.jpg", "a.jpg", "old/b c.jpg", "q?#&+%2F.jpg"])
        #expect(told["storage live"] == .integer(3) && told["storage neighbour"] == .integer(4))
        #expect(told["firestore missing"] == .array([.array([.string("c"), .boolean(false)])]))
        #expect(told["firestore below"]?.array?.count == 5)
        #expect(told["firestore partial"] == .array([.integer(0), .integer(10)]), "a batch fails in part")
        #expect(told["firestore present"] == .array([.string("")]) && told["firestore absent"] == .array([.string("/notes/a")]))
    }
}
