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
        arguments: [FirebaseBed.Place.account, .document, .group, .objects, .tree])
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
        let connectors = try ConnectorKinds.connectors(of: plan, world: .hurried(TroubledSending(), environment: [:]))
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

    @Test("the refusal of a held object names the cause, after all other objects are gone")
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
            return error?.code == "connector.refused" && error?.message.contains("1 objects are held") == true
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

    @Test("a service account that is not the project's, or no service account, is a matter of credentials")
    func strangers() async throws {
        let peer = try PeerProcess.vendors.get()
        var file = try #require(try StrictJSON.value(Array(try peer.text("service_account").utf8)).object)
        file["client_email"] = .string("somebody@else.example")
        let other = String(decoding: try JSONEncoder().encode(JSONValue.object(file)), as: UTF8.self)
        for text in [other, "{}", "no JSON", #"{"client_email": "a", "private_key": "canary"}"#] {
            let world = ConnectorWorld.hurried(TroubledSending(), environment: ["SERVICE_ACCOUNT": text])
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
        "an error is never absence: another project, another database, another bucket",
        arguments: [
            FirebaseBed.Place.account, .document, .field, .objects,
        ])
    func elsewhere(_ place: FirebaseBed.Place) async throws {
        let bed = try FirebaseBed(place) { $0.settings[place == .objects ? "bucket" : "project"] = "another" }
        let request = ConnectorRequest(key: "k", names: ["ada"])
        await #expect(throws: ConnectorFault.self) { try await bed.connector.count(request) }
        await #expect(throws: ConnectorFault.self) { try await bed.connector.verify(request) }
        await #expect(throws: ConnectorFault.self) { try await bed.connector.erase(request) }
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
            "token", "auth", "auth gone", "auth gone twice", "auth neighbour", "storage gone", "realtime gone", "realtime query",
            "firestore owned",
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
