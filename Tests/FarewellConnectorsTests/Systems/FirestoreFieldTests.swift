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

private func map(_ members: [(String, String)]) -> String {
    #"{"mapValue":{"fields":{\#(members.map { #""\#($0)":\#($1)"# }.joined(separator: ","))}}}"#
}

private func text(_ text: String) -> String { #"{"stringValue":"\#(text)"}"# }

private func document(_ value: String, _ identifier: String = "x") -> String {
    let name = "projects/p/databases/(default)/documents/f/\(identifier)"
    return #"[{"document":{"name":"\#(name)","fields":{"ref":\#(value)}},"readTime":"2026-01-02T03:04:05Z"}]"#
}

/// A database without the subject, whose field has a first and a last value in two documents, and after its empty arrays
/// another first one.
private func between(_ first: String, _ last: String, afterEmpty: String? = nil) -> AnsweringService {
    AnsweringService { call in
        let text = String(decoding: call.body, as: UTF8.self)
        // The subject's own place in a map is looked for by the same kind of filter.
        guard text.contains("unaryFilter"), !text.contains(#""ref."#) else { return .json(200, none) }
        if text.contains("startAt") { return .json(200, afterEmpty.map { document($0) } ?? none) }
        return .json(200, text.contains("DESCENDING") ? document(last, "z") : document(first))
    }
}

private func connector(_ service: AnsweringService, _ settings: [String: String]) throws -> any Connector {
    let system = SystemPlan(name: "it", kind: "firestore", settings: settings.merging(["project": "p"]) { $1 })
    var world = ConnectorWorld.hurried(service, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
    world.read = { _ in nil }
    return try FirestoreConnector(system, world: world)
}

/// It neither counts, nor erases, nor reads back as gone.
private func expectRefused(
    _ connector: any Connector, _ what: String, _ request: ConnectorRequest = names, saying word: String
) async {
    let ends = [
        await fault { _ = try await connector.count(request) }, await fault { _ = try await connector.erase(request) },
        await fault { _ = try await connector.verify(request) },
    ]
    for error in ends {
        #expect(error?.code == "connector.refused" && error?.message.contains(word) == true, "\(what): \(String(describing: error))")
        #expect(error?.remedy?.contains("mixed: allowed") == true, "\(what): \(String(describing: error))")
    }
}

@Suite("Firestore: the contents of a field, and the plan's type for it", .contracts)
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

    private static let user = "zT3kPq9RmB2sVw7XyL4nGc8HdJf1"
    /// An identifier of a user that happens to have no digit.
    private static let letters = "zTxkPqyRmBasVwdXyLunGcoHdJfi"
    private static let uuid = "0b0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f"

    @Test(
        "SYS-13 SY-1 texts of another form than the person's name are refused: paths, addresses, names of another kind",
        arguments: [
            ("u1", ["users/a", "users/z"], false), ("u1", ["a", "users/z"], true), ("u1", ["a@example.org", "z@example.org"], false),
            ("u1", ["auth0|a", "auth0|z"], false), (user, ["a", "zz"], false), (user, [user.replacing("z", with: "a"), "zz"], true),
            (uuid, [user, user], false), (uuid, [uuid.uppercased(), uuid], true), (uuid, [uuid.uppercased(), user], false),
            ("42", ["u2", "u3"], false), ("42", ["17", "u3"], true),
            ("64b7f0c2a1d3e4f5a6b7c8d9", ["a", "b"], false), ("ada", [uuid, uuid], false),
            ("a.b@example.org", ["c@example.org", "d@example.org"], true), ("auth0|a", ["auth0|b", "auth0|c"], true),
            (letters, [user, user], true), (letters, ["a", "zz"], true), (user, [letters, "zz"], true),
        ])
    func textForm(_ name: String, _ values: [String], _ isPossible: Bool) async throws {
        for type in ["string", "array"] {
            let ends = values.map { type == "array" ? array([text($0)]) : text($0) }
            let service = between(ends[0], ends[1])
            let settings = ["collection": "f", "field": "ref", "type": type]
            let request = ConnectorRequest(key: "k", names: [name])
            if isPossible {
                #expect(try await connector(service, settings).verify(request) == .gone, "\(type) \(name) \(values)")
            } else {
                await expectRefused(try connector(service, settings), "\(type) \(name)", request, saying: "another form")
            }
        }
    }

    @Test("SYS-13 SY-1 a recorded erasure proves an empty field, but not its type; another person's does not prove the form of names")
    func recorded() async throws {
        let settings = ["collection": "f", "field": "ref"]
        let empty = AnsweringService { _ in .json(200, none) }
        let (numbers, references) = (between(text("12"), text("13")), between(reference("a/1"), reference("a/2")))
        for record in [PlaceRecord.nothing, .dataOfOthers, .dataOfSubject] {
            var request = names
            request.record = record
            let asked = request
            let ends = [
                await fault {
                    let reading = try await connector(empty, settings).verify(asked)
                    #expect(reading == .gone)
                },
                await fault {
                    let reading = try await connector(numbers, settings).verify(asked)
                    #expect(reading == .gone)
                },
                await fault {
                    let reading = try await connector(references, settings).verify(asked)
                    #expect(reading == .gone)
                },
            ]
            let isRefused = ends.map { $0?.code == "connector.refused" }
            #expect(isRefused == [record == .nothing, record != .dataOfSubject, true], "\(record): \(ends)")
        }
    }

    @Test("SYS-13 SY-1 references in arrays to another collection than the plan's are refused")
    func referencesElsewhere() async throws {
        let settings = ["collection": "f", "field": "ref", "type": "array-of-references", "value": "users/{person}"]
        let elsewhere = array([reference("profiles/u1"), reference("teams/u1")])
        await expectRefused(try connector(between(elsewhere, elsewhere), settings), "profiles", saying: "form of the setting")
        let right = array([reference("profiles/u1"), reference("users/u2")])
        #expect(try await connector(between(elsewhere, right), settings).verify(names) == .gone)
    }

    @Test("SYS-13 SY-1 a map whose keys are no names is refused: they are the same everywhere, or the name is a value")
    func mapKeys() async throws {
        let settings = ["collection": "f", "field": "ref", "type": "map"]
        func role(_ first: String, _ second: String) -> String { map([("owner", text(first)), ("editor", text(second))]) }
        func members(_ names: String...) -> String { map(names.map { ($0, #"{"booleanValue":true}"#) }) }
        await expectRefused(
            try connector(between(role("u7", "u8"), role("u9", "u7")), settings), "roles", saying: "begin with the same key")
        await expectRefused(
            try connector(between(members("a", "b"), map([("owner", text("u1"))])), settings), "a value", saying: "is a value")
        let other = ConnectorRequest(key: "k", names: [Self.user])
        await expectRefused(
            try connector(between(members("admins"), members("editors")), settings), "words", other, saying: "another form")
        let empty = #"{"mapValue":{}}"#
        await expectRefused(
            try connector(between(empty, role("u9", "u7"), afterEmpty: role("u7", "u8")), settings), "behind empty maps",
            saying: "begin with the same key")
        for service in [
            between(members("u2", "u3"), members("u4")), between(members("u2"), members("u3", "u4")), between(empty, empty),
            between(empty, members("u4"), afterEmpty: members("u2")),
        ] {
            #expect(try await connector(service, settings).verify(names) == .gone)
        }
        let user = members(String(Self.user.reversed()))
        #expect(try await connector(between(user, members("a")), settings).verify(other) == .gone)
        let mixed = try connector(between(role("u7", "u8"), role("u9", "u7")), settings.merging(["mixed": "allowed"]) { $1 })
        #expect(try await mixed.verify(names) == .gone)
    }
}
