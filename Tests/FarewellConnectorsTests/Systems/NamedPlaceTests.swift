// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// A place of a vendor's whose entries belong to the names that a test gives.
enum NamedSystem: String, Sendable, CaseIterable {
    case s3, firestore, collections
    case storage = "firebase-storage"
    case tree = "realtime-database"
    case supabase = "supabase-storage"
    case table = "dynamodb"
    case index

    var kind: String {
        switch self {
        case .collections: "firestore"
        case .index: "dynamodb"
        default: rawValue
        }
    }

    /// The setting that names the place.
    var setting: String { settings["value"] != nil ? "value" : settings["prefix"] != nil ? "prefix" : "path" }

    var settings: [String: String] {
        switch self {
        case .s3: ["region": "r", "bucket": "b", "prefix": "users/{person}/", "endpoint": "https://s3.example.org"]
        case .storage: ["bucket": "b", "prefix": "users/{person}/"]
        case .supabase: ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "users/{person}/"]
        case .firestore: ["project": "p", "path": "users/{person}"]
        case .collections: ["project": "p", "path": "rooms/main/{person}"]
        case .tree: ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"]
        case .table: ["region": "r", "table": "t", "key": "k", "value": "USER#{person}"]
        case .index: ["region": "r", "table": "t", "key": "k", "index": "people", "value": "USER#{person}"]
        }
    }

    /// - Parameters:
    ///   - names: Those of which the place has data; none of them is the subject's.
    ///   - others: Whether the bucket or table has anything elsewhere.
    func service(_ names: [String], others: Bool = true) -> AnsweringService {
        AnsweringService { call in answer(call, names, others) }
    }

    private func answer(_ call: SystemCall, _ names: [String], _ others: Bool) -> SystemReply {
        func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
        func list(_ texts: [String]) -> String { texts.joined(separator: ",") }
        let body = (try? StrictJSON.value(call.body)) ?? .null
        let (when, root) = (#""readTime":"2026-01-02T03:04:05Z""#, "projects/p/databases/(default)/documents")
        switch self {
        case .s3:
            let isVersions = asked("versions") != nil
            let root = isVersions ? "ListVersionsResult" : "ListMultipartUploadsResult"
            var inside = ""
            if isVersions, asked("delimiter") != nil {
                inside = names.map { "<CommonPrefixes><Prefix>users/\($0)/</Prefix></CommonPrefixes>" }.joined()
            } else if isVersions, others, asked("prefix") == "" {
                inside = "<Version><Key>logo</Key><VersionId>v</VersionId></Version>"
            }
            return .xml(200, "<\(root)><IsTruncated>false</IsTruncated>\(inside)</\(root)>")
        case .storage:
            var inside = ""
            if asked("delimiter") != nil, !names.isEmpty {
                inside = #","prefixes":[\#(list(names.map { #""users/\#($0)/""# }))]"#
            } else if others, asked("prefix") == "" {
                inside = #","items":[{"name":"logo","generation":"1"}]"#
            }
            return .json(200, #"{"kind":"storage#objects"\#(inside)}"#)
        case .supabase:
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b","name":"b"}"#) }
            switch body["prefix"]?.string {
            case "users": return .json(200, "[\(list(names.map { #"{"name":"\#($0)","id":null}"# }))]")
            case "": return .json(200, others ? #"[{"name":"logo","id":"1"}]"# : "[]")
            default: return .json(200, "[]")
            }
        case .firestore, .collections:
            if call.encodedPath.hasSuffix(":runQuery") { return .json(200, "[{\(when)}]") }
            if call.encodedPath.hasSuffix(":batchGet") {
                let missing = (body["documents"]?.array ?? []).compactMap(\.string).map { #"{"missing":"\#($0)",\#(when)}"# }
                return .json(200, "[\(list(missing))]")
            }
            if call.encodedPath.hasSuffix("rooms/main:listCollectionIds") {
                return .json(200, #"{"collectionIds":[\#(list(names.map { #""\#($0)""# }))]}"#)
            }
            guard call.encodedPath.hasSuffix("/documents/users") else { return .json(200, "{}") }
            let documents = names.map { #"{"name":"\#(root)/users/\#($0)","createTime":"2026-01-02T03:04:05Z"}"# }
            return .json(200, #"{"documents":[\#(list(documents))]}"#)
        case .tree:
            guard call.encodedPath.hasSuffix("/users.json"), asked("equalTo") == nil else { return .json(200, "null") }
            return .json(200, names.isEmpty ? "null" : "{\(list(names.map { #""\#($0)":true"# }))}")
        case .table, .index:
            let target = call.header("x-amz-target") ?? ""
            if target.hasSuffix("DescribeTable") {
                let key = #"[{"AttributeName":"k","KeyType":"HASH"}]"#
                let indexes = #""GlobalSecondaryIndexes":[{"IndexName":"people","KeySchema":\#(key)}]"#
                let attributes = #""AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]"#
                return .json(200, #"{"Table":{"KeySchema":\#(key),\#(attributes),\#(indexes)}}"#)
            }
            guard target.hasSuffix("Scan") else { return .json(200, #"{"Count":0,"Items":[]}"#) }
            var items = names.map { #"{"k":{"S":"USER#\#($0)"}}"# }
            // A single table has items of other kinds, and an index may have none.
            if others, self == .table ? !names.isEmpty : body["IndexName"] == nil { items.append(#"{"k":{"S":"PRODUCT#1"}}"#) }
            return .json(200, #"{"Count":\#(items.count),"Items":[\#(list(items))]}"#)
        }
    }
}

@Suite("Names in a place that the plan names", .contracts)
struct NamedPlaceTests {
    private static let uid = "zT3kPq9RmB2sVw7XyL4nGc8HdJf1"
    private static let uuid = "0b0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f"
    private static let other = "1c0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f"

    /// The errors of counting, erasing, reading back and exporting.
    private func errors(
        _ connector: any Connector, _ name: String, _ record: PlaceRecord = .nothing
    ) async -> [FarewellError?] {
        var request = ConnectorRequest(key: "k", names: [name])
        request.record = record
        let asked = request
        var all = [
            await fault { _ = try await connector.count(asked) },
            await fault {
                let answer = try await connector.erase(asked)
                #expect(answer == .nothingThere)
            },
            await fault {
                let reading = try await connector.verify(asked)
                #expect(reading == .gone)
            },
        ]
        if let reader = connector as? any ReadingConnector {
            all.append(await fault { try await reader.read(asked, into: CollectingSink()) })
        }
        return all
    }

    @Test(
        "SY-1 an empty place proves nothing if the names beside it have another form than the person's",
        arguments: NamedSystem.allCases,
        [
            ("12", [uid]), ("12", ["user_12", "user_13"]), ("12", [uuid, "default"]), (uid, ["12", "13"]), (uuid, ["12"]),
            (uuid, [other.uppercased()]), (uuid, [other.replacing("-", with: "")]), ("ada", ["user_ada", "user_bob"]),
            ("a@example.org", ["b%40example.org", "c%40example.org"]),
        ])
    func form(_ system: NamedSystem, _ names: (own: String, there: [String])) async throws {
        // A key of the Realtime Database has no dot.
        guard system != .tree || !names.own.contains(".") else { return }
        let service = system.service(names.there)
        for error in await errors(try service.emulated(system.kind, system.settings), names.own) {
            #expect(error?.code == "connector.refused", "\(system) \(names): \(String(describing: error))")
            #expect(error?.remedy?.contains("`\(system.setting)`") == true && error?.remedy?.contains("mixed: allowed") == true)
            #expect(error?.description.contains(names.own) == false && error?.description.contains(names.there[0]) == false)
        }
        let mixed = try service.emulated(system.kind, system.settings.merging(["mixed": "allowed"]) { $1 })
        for error in await errors(mixed, names.own) { #expect(error == nil, "\(system) \(names): \(String(describing: error))") }
    }

    @Test(
        "SY-1 an empty place counts where names beside it have the person's form, or several forms, and the person's is one",
        arguments: NamedSystem.allCases,
        [
            ("12", ["7"]), ("ada", ["bob"]), ("ada", ["12", "bob"]), (uuid, [other]), (uuid, [uid, other]),
            (uuid, [other.uppercased(), other]),
            (uid, [String(uid.reversed())]), ("user_12", ["user_7", "user_8"]), ("anna-1", ["anna-2", "ada"]), ("ada", ["anna-2"]),
            ("00000000-0000-4000-8000-000000000001", [other.uppercased()]), ("google-oauth2|9", ["auth0|1", "auth0|2"]),
            ("maximilian1987berlin", ["ada", "bob"]),
        ])
    func fits(_ system: NamedSystem, _ names: (own: String, there: [String])) async throws {
        let connector = try system.service(names.there).emulated(system.kind, system.settings)
        for error in await errors(connector, names.own) { #expect(error == nil, "\(system) \(names): \(String(describing: error))") }
    }

    @Test(
        "SY-1 a place without any name counts where the whole bucket or table is empty, or the plan allows it",
        arguments: NamedSystem.allCases)
    func empty(_ system: NamedSystem) async throws {
        // A path exists by its contents alone.
        let isPath = system.setting == "path"
        for others in [true, false] {
            let service = system.service([], others: others)
            let strict = try service.emulated(system.kind, system.settings)
            // A table without items of any kind is empty, whatever the index.
            let isRefused = isPath || (others && system != .table)
            for error in await errors(strict, "u1") {
                #expect((error?.code == "connector.refused") == isRefused, "\(system) \(others): \(String(describing: error))")
                if isRefused { #expect(error?.remedy?.contains("empty: allowed") == true, "\(system): \(String(describing: error))") }
            }
            let doctor = await fault { _ = try await strict.prove() }
            #expect((doctor != nil) == isRefused, "\(system) \(others): \(String(describing: doctor))")
            let allowed = try service.emulated(system.kind, system.settings.merging(["empty": "allowed"]) { $1 })
            for error in await errors(allowed, "u1") { #expect(error == nil, "\(system): \(String(describing: error))") }
            #expect(await fault { _ = try await allowed.prove() } == nil)
        }
    }

    @Test("SY-1 where no person need have data, folders with other words than names do not object, and identifiers of another form do")
    func folders() async throws {
        for (there, isRefused) in [(["public", "_meta"], false), ([Self.other, "public"], false), (["7", "8"], true)] {
            let settings = NamedSystem.s3.settings.merging(["empty": "allowed"]) { $1 }
            let connector = try NamedSystem.s3.service(there).emulated("s3", settings)
            for error in await errors(connector, Self.uuid) {
                #expect((error?.code == "connector.refused") == isRefused, "\(there): \(String(describing: error))")
            }
        }
    }

    @Test("SB-3 SY-1 in a bucket whose files the database lists by owner, folders of any name, files beside them and none are ordinary")
    func owners() async throws {
        for (there, others) in [(["7", "8"], true), (["public"], true), ([], true), ([], false)] {
            let files = NamedSystem.supabase
            let owned = OwnedItems(column: ColumnName(TableName(schema: "storage", "objects"), "name"), owners: ["owner_id"])
            let connector = try files.service(there, others: others).connector(files.kind, files.settings, owned: owned)
            for error in await errors(connector, Self.uuid) { #expect(error == nil, "\(there) \(others): \(String(describing: error))") }
        }
    }

    @Test("SY-1 a table whose items have no key of the plan's form proves nothing")
    func otherItems() async throws {
        let service = AnsweringService { call in
            let target = call.header("x-amz-target") ?? ""
            if target.hasSuffix("DescribeTable") {
                let key = #""KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]"#
                return .json(200, #"{"Table":{"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],\#(key)}}"#)
            }
            return .json(200, target.hasSuffix("Scan") ? #"{"Count":1,"Items":[{"k":{"S":"12"}}]}"# : #"{"Count":0,"Items":[]}"#)
        }
        let connector = try service.emulated("dynamodb", NamedSystem.table.settings)
        for error in await errors(connector, "12") {
            #expect(error?.message.contains("form of the setting `value`") == true, "\(String(describing: error))")
        }
    }

    @Test("SY-1 names behind the person's own count where a list begins with names of another form")
    func behind() async throws {
        let service = AnsweringService { call in
            guard call.query.contains(where: { $0.name == "delimiter" }) else {
                let root = call.query.contains { $0.name == "versions" } ? "ListVersionsResult" : "ListMultipartUploadsResult"
                return .xml(200, "<\(root)><IsTruncated>false</IsTruncated></\(root)>")
            }
            let marker = call.query.first { $0.name == "key-marker" }?.value
            #expect(marker == nil || marker?.hasPrefix("users/") == true)
            let (name, end) = marker == nil ? ("12", "<NextKeyMarker>users/12/</NextKeyMarker>") : (Self.other, "")
            let prefix = "<CommonPrefixes><Prefix>users/\(name)/</Prefix></CommonPrefixes>"
            return .xml(200, "<ListVersionsResult><IsTruncated>\(marker == nil)</IsTruncated>\(end)\(prefix)</ListVersionsResult>")
        }
        let connector = try service.emulated("s3", NamedSystem.s3.settings)
        for error in await errors(connector, Self.uuid) { #expect(error == nil, "\(String(describing: error))") }
        let number = await errors(connector, "ada")
        #expect(number.allSatisfy { $0 != nil })
    }

    /// More than is read of a list of keys.
    private static let endless = [UInt8](repeating: UInt8(ascii: " "), count: (16 << 20) + 1)

    @Test(
        "SY-1 where a place has more keys than one answer holds, some of them are compared with the person's name",
        arguments: [
            (#"{"aB3mQ9aZt7VbN2cRf5LpW8yHs1Dq":{}}"#, "null", "42", true), (#"{"Kx3mQ9aZt7VbN2cRf5LpW8yHs1Dg":1}"#, "null", uid, false),
            ("[null,{},{}]", "null", "7", false), ("[null,{},{}]", "null", uid, true),
            ("[null,{},{}]", #"{"zT4mQ9aZt7VbN2cRf5LpW8yHs1Dg":1}"#, uid, false),
        ])
    func manyKeys(_ first: String, _ behind: String, _ own: String, _ isRefused: Bool) async throws {
        let service = AnsweringService { call in
            func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
            guard call.encodedPath.hasSuffix("/users.json"), asked("equalTo") == nil else { return .json(200, "null") }
            if asked("shallow") != nil { return SystemReply(status: 200, body: Self.endless) }
            return .json(200, asked("startAt") == nil ? first : behind)
        }
        let connector = try service.emulated("realtime-database", NamedSystem.tree.settings)
        for error in await errors(connector, own) {
            #expect((error?.code == "connector.refused") == isRefused, "\(own): \(String(describing: error))")
        }
        #expect(await fault { _ = try await connector.prove() } == nil)
    }

    @Test("SY-1 names of objects of another form than those in the bucket prove nothing", arguments: ["s3", "firebase-storage"])
    func exact(_ kind: String) async throws {
        for (own, there, fits) in [
            ("photos/1.jpg", ["uploads/photos/2.jpg", "uploads/photos/3.jpg"], false), ("photos/1.jpg", ["2.jpg"], false),
            (Self.uuid, ["\(Self.other).jpg"], false), ("photos/1.jpg", ["photos/2.jpg", "photos/3.jpg"], true),
            ("photos/1.jpg", ["avatars/2.jpg", "photos/3.jpg"], true),
        ] {
            let service = AnsweringService { call in
                func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
                let keys = asked("prefix") == "" ? there : []
                guard kind == "s3" else {
                    let items = keys.map { #"{"name":"\#($0)","generation":"1"}"# }.joined(separator: ",")
                    return .json(200, #"{"kind":"storage#objects","items":[\#(items)]}"#)
                }
                let root = asked("versions") != nil ? "ListVersionsResult" : "ListMultipartUploadsResult"
                let all = asked("versions") != nil ? keys : []
                let versions = all.map { "<Version><Key>\($0)</Key><VersionId>v</VersionId></Version>" }.joined()
                return .xml(200, "<\(root)><IsTruncated>false</IsTruncated>\(versions)</\(root)>")
            }
            var settings = ["bucket": "b", "keys": "exact"]
            if kind == "s3" { settings.merge(["region": "r", "endpoint": "https://s3.example.org"]) { $1 } }
            for error in await errors(try service.emulated(kind, settings), own) {
                #expect((error == nil) == fits, "\(own) \(there): \(String(describing: error))")
            }
        }
    }

    @Test(
        "SY-1 a recorded erasure proves an empty place; another person's does not prove that the person's name has the right form",
        arguments: NamedSystem.allCases)
    func recorded(_ system: NamedSystem) async throws {
        for (record, there, isRefused) in [
            (PlaceRecord.dataOfOthers, [], false), (.dataOfOthers, [Self.uid], true), (.dataOfSubject, [Self.uid], false),
            (.dataOfSubject, [], false),
        ] {
            let connector = try system.service(there).emulated(system.kind, system.settings)
            for error in await errors(connector, "12", record) {
                #expect((error != nil) == isRefused, "\(system) \(record) \(there): \(String(describing: error))")
            }
        }
    }

    @Test("SY-1 once a person's data was seen where the plan's form leads, other names prove nothing against it")
    func seen() async throws {
        let isThere = Guarded(true)
        let service = AnsweringService { call in
            func asked(_ name: String) -> String? { call.query.first { $0.name == name }?.value }
            guard call.method == "GET" else {
                isThere.withLock { $0 = false }
                return SystemReply(status: 204)
            }
            let isOwn = asked("prefix") == "users/12/" && isThere.withLock { $0 }
            let items = isOwn ? #","items":[{"name":"users/12/a","generation":"1"}]"# : ""
            let folders = asked("delimiter") != nil ? #","prefixes":["users/default/"]"# : ""
            return .json(200, #"{"kind":"storage#objects"\#(items)\#(folders)}"#)
        }
        let connector = try service.emulated("firebase-storage", NamedSystem.storage.settings)
        let request = ConnectorRequest(key: "k", names: ["12"])
        #expect(try await connector.erase(request) == .erased(1))
        #expect(try await connector.verify(request) == .gone)
        let other = try service.emulated("firebase-storage", NamedSystem.storage.settings)
        #expect(await fault { _ = try await other.verify(request) }?.code == "connector.refused")
    }
}
