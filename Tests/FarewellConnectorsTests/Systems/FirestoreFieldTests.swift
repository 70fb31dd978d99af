// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellTesting
import Testing

private let names = ConnectorRequest(key: "k", names: ["u1"])
private let none = #"[{"readTime":"2026-01-02T03:04:05Z"}]"#

private func reference(_ path: String) -> String {
    #"{"referenceValue":"projects/p/databases/(default)/documents/\#(path)"}"#
}

private func array(_ elements: [String]) -> String {
    #"{"arrayValue":{"values":[\#(elements.joined(separator: ","))]}}"#
}

private func document(_ value: String) -> String {
    let name = "projects/p/databases/(default)/documents/f/x"
    return #"[{"document":{"name":"\#(name)","fields":{"ref":\#(value)}},"readTime":"2026-01-02T03:04:05Z"}]"#
}

/// A database without the subject, whose field has a first and a last value, and after its empty arrays another first
/// one.
private func between(_ first: String, _ last: String, afterEmpty: String? = nil) -> AnsweringService {
    AnsweringService { call in
        let text = String(decoding: call.body, as: UTF8.self)
        guard text.contains("unaryFilter") else { return .json(200, none) }
        if text.contains("startAt") { return .json(200, afterEmpty.map(document) ?? none) }
        return .json(200, document(text.contains("DESCENDING") ? last : first))
    }
}

private func connector(_ service: AnsweringService, _ settings: [String: String]) throws -> any Connector {
    let system = SystemPlan(name: "it", kind: "firestore", settings: settings.merging(["project": "p"]) { $1 })
    var world = ConnectorWorld.hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
    world.read = { _ in nil }
    return try FirestoreConnector(system, world: world)
}

/// It neither counts, nor erases, nor reads back as gone.
private func expectRefused(_ connector: any Connector, _ what: String, saying word: String) async {
    let ends = [
        await fault { _ = try await connector.count(names) }, await fault { _ = try await connector.erase(names) },
        await fault { _ = try await connector.verify(names) },
    ]
    for error in ends {
        #expect(error?.code == "connector.refused" && error?.message.contains(word) == true, "\(what): \(String(describing: error))")
        #expect(error?.remedy?.contains("mixed: allowed") == true, "\(what): \(String(describing: error))")
    }
}

@Suite("Firestore: what a field contains, and what the plan says of it")
struct FirestoreFieldTests {
    @Test(
        "SYS-13 SY-1 an array with elements of another type than the plan's is refused, because no query finds them",
        arguments: [
            ("array", [#"{"mapValue":{"fields":{"uid":{"stringValue":"u1"}}}}"#], "maps"),
            ("array", [reference("users/u1")], "references"), ("array", [#"{"integerValue":"1"}"#], "numbers"),
            ("array", [#"{"stringValue":"u2"}"#, reference("users/u1")], "contain also references"),
            ("array-of-references", [#"{"stringValue":"u1"}"#], "text"),
        ])
    func elementType(_ type: String, _ elements: [String], _ word: String) async throws {
        let wrong = array(elements)
        var settings = ["collection": "f", "field": "ref", "type": type]
        if type != "array" { settings["value"] = "users/{person}" }
        let empty = #"{"arrayValue":{}}"#
        for service in [between(wrong, wrong), between(empty, wrong, afterEmpty: wrong)] {
            await expectRefused(try connector(service, settings), "\(type) \(word)", saying: word)
            // Another system of the plan erases them.
            let mixed = try connector(service, settings.merging(["mixed": "allowed"]) { $1 })
            #expect(try await mixed.verify(names) == .gone)
        }
        let wanted = type == "array" ? #"{"stringValue":"u2"}"# : reference("users/u2")
        let right = array([wanted, #"{"nullValue":null}"#])
        await expectRefused(
            try connector(between(empty, right, afterEmpty: wrong), settings), "behind empty arrays", saying: word)
        for service in [between(right, right), between(empty, empty), between(empty, right, afterEmpty: right)] {
            #expect(try await connector(service, settings).verify(names) == .gone)
        }
    }

    @Test(
        "SYS-13 SY-1 a form of names that no value of the field can have is refused",
        arguments: [
            ("reference", "users/{person}", reference("profiles/a"), reference("profiles/z"), false),
            ("reference", "users/{person}", reference("usersonly/a"), reference("usersonly/z"), false),
            ("reference", "users/{person}", reference("teams/a"), reference("users/u2"), true),
            ("reference", "users/{person}", reference("users/a"), reference("users/a"), true),
            ("reference", "users/{person}", reference("teams/a"), reference("visits/a"), true),
            ("string", "user_{person}", #"{"stringValue":"a"}"#, #"{"stringValue":"u1"}"#, false),
            ("string", "user_{person}", #"{"stringValue":"user_a"}"#, #"{"stringValue":"user_z"}"#, true),
            ("string", "{person}", #"{"stringValue":"a"}"#, #"{"stringValue":"b"}"#, true),
        ])
    func form(_ type: String, _ value: String, _ first: String, _ last: String, _ isPossible: Bool) async throws {
        let settings = ["collection": "f", "field": "ref", "type": type, "value": value]
        let service = between(first, last)
        if isPossible {
            #expect(try await connector(service, settings).verify(names) == .gone)
        } else {
            await expectRefused(try connector(service, settings), "\(first) \(value)", saying: "form")
            for word in ["mixed", "empty"] {
                let allowed = try connector(service, settings.merging([word: "allowed"]) { $1 })
                #expect(try await allowed.verify(names) == .gone)
            }
        }
    }
}
