// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Foundation
import Testing

/// A system whose template has a part behind the person: `users/{person}/photos`.
enum EndedSystem: String, Sendable, CaseIterable {
    case s3
    case storage = "firebase-storage"
    case supabase = "supabase-storage"
    case collection, document
    case tree = "realtime-database"
    case table = "dynamodb"

    var kind: String { [.collection, .document].contains(self) ? "firestore" : rawValue }

    var setting: String { settings["value"] != nil ? "value" : settings["prefix"] != nil ? "prefix" : "path" }

    var settings: [String: String] {
        switch self {
        case .s3: ["region": "r", "bucket": "b", "prefix": "users/{person}/photos/", "endpoint": "https://s3.example.org"]
        case .storage: ["bucket": "b", "prefix": "users/{person}/photos/"]
        case .supabase: ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "users/{person}/photos/"]
        case .collection: ["project": "p", "path": "users/{person}/photos"]
        case .document: ["project": "p", "path": "users/{person}/photos/all"]
        case .tree: ["endpoint": "https://app.firebaseio.com", "path": "users/{person}/photos"]
        case .table: ["region": "r", "table": "t", "key": "k", "value": "users/{person}/photos/all"]
        }
    }

    /// A service that holds an entry at each of these paths, such as `users/7/photos/all`.
    func service(_ paths: [String]) -> AnsweringService { AnsweringService { answer($0, paths.sorted()) } }

    private func answer(_ call: SystemCall, _ paths: [String]) -> SystemReply {
        func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
        func list(_ texts: [String]) -> String { texts.joined(separator: ",") }
        /// The names right below a folder, and whether something is below each.
        func children(of folder: String) -> [(name: String, isFolder: Bool)] {
            let start = folder.isEmpty ? "" : folder + "/"
            let rests = paths.filter { $0.hasPrefix(start) }.map { $0.dropFirst(start.count) }
            let found = Dictionary(grouping: rests) { $0.split(separator: "/")[0] }
            return found.map { (name: String($0.key), isFolder: $0.value.contains { $0.contains("/") }) }.sorted { $0.name < $1.name }
        }
        let body = (try? StrictJSON.value(call.body)) ?? .null
        let (when, root) = (#""readTime":"2026-01-02T03:04:05Z""#, "projects/p/databases/(default)/documents")
        let prefix = asked("prefix") ?? ""
        let below = paths.filter { $0.hasPrefix(prefix) }
        let inPrefix = children(of: String(prefix.dropLast())).filter(\.isFolder).map { prefix + $0.name + "/" }
        let folders = asked("delimiter") == nil ? nil : inPrefix
        switch self {
        case .s3:
            let isVersions = asked("versions") != nil
            let name = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
            let most = Int(asked("max-keys") ?? "") ?? 0
            let inside =
                !isVersions
                ? ""
                : folders?.map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }.joined()
                    ?? below.prefix(most).map { "<Version><Key>\($0)</Key><VersionId>v</VersionId></Version>" }.joined()
            let end = folders == nil && isVersions && below.count > most ? "<NextKeyMarker>\(below[most - 1])</NextKeyMarker>" : ""
            return .xml(200, "<\(name)><IsTruncated>\(!end.isEmpty)</IsTruncated>\(end)\(inside)</\(name)>")
        case .storage:
            let items = below.map { #"{"name":"\#($0)","generation":"1"}"# }
            let inside = folders.map { #""prefixes":[\#(list($0.map { #""\#($0)""# }))]"# } ?? #""items":[\#(list(items))]"#
            return .json(200, #"{"kind":"storage#objects",\#(inside)}"#)
        case .supabase:
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b","name":"b"}"#) }
            let entries = children(of: body["prefix"]?.string ?? "").map { child in
                #"{"name":"\#(child.name)","id":\#(child.isFolder ? "null" : #""1""#)}"#
            }
            return .json(200, "[\(list(entries))]")
        case .collection, .document:
            let place = call.encodedPath.components(separatedBy: "/documents/").last ?? ""
            if place.hasSuffix(":runQuery") {
                // A document has no further documents below it.
                return .json(200, "[{\(when)}]")
            }
            if call.encodedPath.hasSuffix(":batchGet") {
                let names = (body["documents"]?.array ?? []).compactMap(\.string)
                let found = names.map { name in
                    let isThere = paths.contains { name == "\(root)/\($0)" }
                    return isThere ? #"{"found":{"name":"\#(name)"},\#(when)}"# : #"{"missing":"\#(name)",\#(when)}"#
                }
                return .json(200, "[\(list(found))]")
            }
            if place.hasSuffix(":listCollectionIds") { return .json(200, "{}") }
            let documents = children(of: place).map { #"{"name":"\#(root)/\#(place)/\#($0.name)"}"# }
            return .json(200, #"{"documents":[\#(list(documents))]}"#)
        case .tree:
            guard asked("equalTo") == nil else { return .json(200, "null") }
            let keys = children(of: String(call.encodedPath.dropFirst().dropLast(".json".count))).map { #""\#($0.name)":true"# }
            return .json(200, keys.isEmpty ? "null" : "{\(list(keys))}")
        case .table:
            let target = call.header("x-amz-target") ?? ""
            if target.hasSuffix("DescribeTable") {
                let key = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
                return .json(200, #"{"Table":{"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],\#(key)}}"#)
            }
            guard target.hasSuffix("Scan") else { return .json(200, #"{"Count":0,"Items":[]}"#) }
            return .json(200, #"{"Count":1,"Items":[\#(list(paths.map { #"{"k":{"S":"\#($0)"}}"# }))]}"#)
        }
    }
}

@Suite("The part of a plan's template behind the person's name", .contracts)
struct TemplateEndTests {
    /// The errors of counting, erasing, reading back and exporting.
    private func errors(_ connector: any Connector, _ record: PlaceRecord = .nothing) async -> [FarewellError?] {
        var asked = ConnectorRequest(key: "k", names: ["42"])
        asked.record = record
        let request = asked
        var all = [
            await fault { _ = try await connector.count(request) }, await fault { _ = try await connector.erase(request) },
            await fault {
                let reading = try await connector.verify(request)
                #expect(reading == .gone)
            },
        ]
        if let reader = connector as? any ReadingConnector {
            all.append(await fault { try await reader.read(request, into: CollectingSink()) })
        }
        return all
    }

    private static let others = (1...60).map { "users/\($0 + 100)/fotos/all" }

    @Test(
        "SY-1 an empty place proves nothing where nothing of any person seen beside it has the template's end",
        arguments: EndedSystem.allCases, [others, ["users/42/fotos/all"], others + ["users/42/fotos/all"]])
    func wrong(_ system: EndedSystem, _ paths: [String]) async throws {
        let service = system.service(paths)
        let connector = try service.emulated(system.kind, system.settings)
        for error in await errors(connector) {
            #expect(error?.code == "connector.refused", "\(system): \(String(describing: error))")
            #expect(error?.remedy?.contains("`\(system.setting)`") == true && error?.remedy?.contains("empty: allowed") == true)
            let isOwn = paths.contains("users/42/fotos/all") && system != .table
            #expect((error?.message.contains("the person has other entries") == true) == isOwn, "\(system): \(String(describing: error))")
        }
        #expect(await fault { _ = try await connector.prove() }?.code == "connector.refused", "\(system)")
        // However many persons there are, a few are looked at.
        let before = service.sent.count
        _ = await fault { _ = try await connector.verify(ConnectorRequest(key: "k", names: ["42"])) }
        #expect(service.sent.count - before < 64, "\(system): \(service.sent.count - before)")
        let allowed = try service.emulated(system.kind, system.settings.merging(["empty": "allowed"]) { $1 })
        for error in await errors(allowed) { #expect(error == nil, "\(system): \(String(describing: error))") }
        for record in [PlaceRecord.dataOfOthers, .dataOfSubject] {
            let recorded = try service.emulated(system.kind, system.settings)
            for error in await errors(recorded, record) { #expect(error == nil, "\(system): \(String(describing: error))") }
        }
    }

    @Test(
        "SY-1 an empty place counts where something of another person is at the template's end, whatever else the person has",
        arguments: EndedSystem.allCases,
        [
            ["users/7/photos/all"], ["users/42/fotos/all", "users/7/photos/all"],
            ["users/42/fotos/all", "users/7/fotos/all", "users/8/photos/all", "users/_meta/x"],
        ])
    func right(_ system: EndedSystem, _ paths: [String]) async throws {
        let service = system.service(paths)
        let connector = try service.emulated(system.kind, system.settings)
        for error in await errors(connector) { #expect(error == nil, "\(system): \(String(describing: error))") }
        #expect(await fault { _ = try await connector.prove() } == nil, "\(system)")
    }

    @Test("SY-1 in a long list, names from all its parts are looked for with the template's end")
    func long() async throws {
        let many = (0..<1_200).map { "users/100/fotos/\(1_000 + $0)" } + (1...9).map { "users/20\($0)/photos/all" }
        let connector = try EndedSystem.s3.service(many).emulated("s3", EndedSystem.s3.settings)
        for error in await errors(connector) { #expect(error == nil, "\(String(describing: error))") }
    }
}
