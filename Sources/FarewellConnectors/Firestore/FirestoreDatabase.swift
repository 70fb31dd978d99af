// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A database of Cloud Firestore, by its REST interface (v1).
///
/// Documents and collections go by their paths below the root, `users/ada` and `users/ada/notes`.
struct FirestoreDatabase: Sendable {
    let google: GoogleCaller
    /// The name of the root, `projects/p/databases/(default)/documents`.
    let root: [String]
    static let read = "datastore.entities.list"
    static let write = "datastore.entities.delete"
    static let update = "datastore.entities.update"
    /// Bytes of an answer with contents that are read at most. A document has at most 1 MiB; as JSON, whose names of
    /// types are longer than most values, it has up to sixty times as many.
    static let contents = 64 << 20
    /// As many as one batch may have.
    static let batch = 500

    init(_ google: GoogleCaller, project: String, database: String) {
        self.google = google
        root = ["projects", project, "databases", database, "documents"]
    }

    var system: String { google.system }
    var unusedName: String { google.unusedName }

    /// An entry of a collection: a document, or the name of one that is not there and yet has something below it.
    struct Entry: Sendable, Hashable {
        let path: String
        let isThere: Bool
    }

    /// Which documents are looked for, besides all of them.
    struct Match: Sendable {
        let field: FirestoreField
        let person: String
        let value: JSONValue

        var filter: JSONValue? { field.filter(value, person: person) }
    }

    // MARK: Reading

    /// Documents below a document, at any depth, in the order of their names.
    func descendants(of document: String, after last: String?, limit: Int) async throws -> [String] {
        try await query(
            below: document, from: ["allDescendants": .boolean(true)], where: nil, after: last, limit: limit)
    }

    /// Documents right in a collection, behind a name.
    func documents(of collection: String, after name: String, limit: Int) async throws -> [String] {
        let (parent, last) = Self.split(collection)
        return try await query(
            below: parent, from: ["collectionId": .string(last)], where: nil, after: "\(collection)/\(name)",
            limit: limit)
    }

    /// Documents whose field has exactly that value, in the order of their names; of a map, in that of its values.
    func documents(_ match: Match, after last: String?, limit: Int) async throws -> [String] {
        let (parent, collection) = Self.split(match.field.collection)
        return try await query(
            below: parent, from: Self.source(match.field, collection), where: match.filter,
            // For a map the order is that of the field whose presence is tested.
            orderedBy: match.field.kind == .map ? match.field.path(of: match.person) : nil, after: last, limit: limit)
    }

    /// The values at both ends of a field, of any type: in the order of Firestore all others are between them, so if
    /// both are of one type, all are. Empty arrays and maps, which are the first of their types, say nothing about
    /// elements or keys and are passed over.
    ///
    /// https://firebase.google.com/docs/firestore/manage-data/data-types
    func ends(of field: FirestoreField) async throws -> [FirestoreField.End] {
        var ends = try await end(of: field, "ASCENDING")
        if let value = ends.first?.value, FirestoreField.isEmpty(value, as: field.kind) {
            let after = try await end(of: field, "ASCENDING", after: .object([field.kind.member: .object([:])]))
            ends = after.isEmpty ? ends : after
        }
        return ends + (try await end(of: field, "DESCENDING"))
    }

    private func end(
        of field: FirestoreField, _ direction: String, after value: JSONValue? = nil
    ) async throws -> [FirestoreField.End] {
        let (parent, collection) = Self.split(field.collection)
        let order = JSONValue.object([
            "field": FirestoreField.field(field.name), "direction": .string(direction),
        ])
        var query: [String: JSONValue] = [
            "select": .object(["fields": .array([FirestoreField.field(field.name)])]),
            "from": .array([.object(Self.source(field, collection))]),
            "where": FirestoreField.isSet(field.name), "orderBy": .array([order]), "limit": .integer(1),
        ]
        if let value { query["startAt"] = .object(["values": .array([value]), "before": .boolean(false)]) }
        let parts = Self.parts(ofField: field.name)
        return try await stream(below: parent, query, limit: Self.contents).prefix(1).map { document in
            var value = document["fields"]?[parts[0]]
            for part in parts.dropFirst() { value = value?["mapValue"]?["fields"]?[part] }
            return .init(document: document["name"]?.string ?? "", value: value)
        }
    }

    /// Whether a collection or group holds any document at all.
    func hasDocuments(_ field: FirestoreField) async throws -> Bool {
        let (parent, collection) = Self.split(field.collection)
        return try await !query(
            below: parent, from: Self.source(field, collection), where: nil, after: nil, limit: 1
        ).isEmpty
    }

    static func source(_ field: FirestoreField, _ collection: String) -> [String: JSONValue] {
        ["collectionId": .string(collection), "allDescendants": .boolean(field.isGroup)]
    }

    /// The parts of a path to a field; names between backticks may have dots in them.
    static func parts(ofField path: String) -> [String] {
        var parts: [[Unicode.Scalar]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for scalar in path.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                parts[parts.count - 1].append(scalar)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "`": isQuoted.toggle()
            case "." where !isQuoted: parts.append([])
            default: parts[parts.count - 1].append(scalar)
            }
        }
        return parts.map { scalars in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
    }

    private func query(
        below parent: String, from: [String: JSONValue], where filter: JSONValue?, orderedBy path: String? = nil,
        after last: String?, limit: Int
    ) async throws -> [String] {
        let name = FirestoreField.field("__name__")
        let order = path.map(FirestoreField.field) ?? name
        var query: [String: JSONValue] = [
            "select": .object(["fields": .array([name])]), "from": .array([.object(from)]),
            "orderBy": .array([.object(["field": order, "direction": .string("ASCENDING")])]),
            "limit": .integer(Int64(limit)),
        ]
        query["where"] = filter
        if let last, path == nil {
            let reference = JSONValue.object(["referenceValue": .string(self.name(of: last))])
            query["startAt"] = .object(["values": .array([reference]), "before": .boolean(false)])
        }
        let found = try await stream(below: parent, query).map { try self.path(of: $0["name"]?.string, below: parent) }
        if let last, path == nil, found.last?.isByteEqual(to: last) == true { throw ConnectorFault.samePage(system) }
        return found
    }

    /// The documents of a query. The answer is a stream: it may end with an error although it began with 200.
    func stream(
        below parent: String, _ query: [String: JSONValue], limit: Int = 8 << 20
    ) async throws -> [RawJSON] {
        let answer = try await google.value(
            "POST", .init(["v1"] + parts(of: parent), "runQuery"), query: google.compact,
            .object(["structuredQuery": .object(query)]), permission: Self.read, limit: limit)
        if let fault = google.fault(in: answer, needs: Self.read) { throw fault }
        guard let found = answer.elements, found.allSatisfy({ $0["readTime"] != nil }) else {
            throw ConnectorFault.garbled(system, "no answer to a query")
        }
        return found.compactMap { $0["document"] }
    }

    /// The documents that exist. A document counts as missing only if the database itself says so.
    func present(_ documents: [String]) async throws -> [String] {
        let names = documents.map { JSONValue.string(name(of: $0)) }
        let answer = try await google.value(
            "POST", .init(["v1"] + root, "batchGet"),
            .object([
                "documents": .array(names), "mask": .object(["fieldPaths": .array([.string("__name__")])]),
            ]), permission: "datastore.entities.get")
        if let fault = google.fault(in: answer, needs: "datastore.entities.get") { throw fault }
        var found: [String] = []
        var known: Set<ExactText> = []
        for element in answer.elements ?? [] {
            let there = element["found"]?["name"]
            let path = try path(of: (there ?? element["missing"])?.string, below: "")
            known.insert(ExactText(path))
            if there != nil { found.append(path) }
        }
        guard known == Set(documents.map(ExactText.init)) else {
            throw ConnectorFault.garbled(system, "an answer about another document")
        }
        return found
    }

    /// The names of the collections right below a document, page by page.
    func collections(of document: String, page: String?) async throws -> (names: [String], next: String?) {
        var body: [String: JSONValue] = ["pageSize": .integer(100)]
        body["pageToken"] = page.map(JSONValue.string)
        let answer = try await google.value(
            "POST", .init(["v1"] + parts(of: document), "listCollectionIds"), .object(body), permission: Self.read)
        guard answer.isObject else { throw ConnectorFault.garbled(system, "no list of collections") }
        let names = answer["collectionIds"]?.elements?.compactMap(\.string) ?? []
        return (names.map { document.isEmpty ? $0 : "\(document)/\($0)" }, try token(answer, after: page))
    }

    /// The documents right in a collection, page by page, with those that are not there and have something below.
    func entries(
        of collection: String, page: String?, limit: Int = FirestoreConnector.page
    ) async throws -> (entries: [Entry], next: String?) {
        var query = [("pageSize", "\(limit)"), ("showMissing", "true"), ("mask.fieldPaths", "__name__")]
        if let page { query.append(("pageToken", page)) }
        let answer = try await google.value(
            "GET", .init(["v1"] + parts(of: collection)), query: query.map { (name: $0.0, value: $0.1) },
            permission: Self.read)
        guard answer.isObject else { throw ConnectorFault.garbled(system, "no list of documents") }
        let entries = try (answer["documents"]?.elements ?? []).map { document in
            // A missing document was never made.
            Entry(
                path: try path(of: document["name"]?.string, below: collection),
                isThere: document["createTime"]?.string != nil)
        }
        return (entries, try token(answer, after: page))
    }

    private func token(_ answer: RawJSON, after page: String?) throws -> String? {
        guard let token = answer["nextPageToken"]?.string, !token.isEmpty else { return nil }
        guard page?.isByteEqual(to: token) != true else { throw ConnectorFault.samePage(system) }
        return token
    }

    // MARK: Deleting

    /// Deletes these documents, and no others. Each may fail for itself; those that the database had trouble with are
    /// tried again.
    ///
    /// - Returns: How many it refuses for themselves.
    func delete(_ documents: [String]) async throws -> Int {
        try await write(documents, needs: Self.write) { .object(["delete": .string(name(of: $0))]) }
    }

    /// Removes the subject from a field of these documents, which stay.
    ///
    /// - Returns: How many it refuses for themselves.
    func remove(_ match: Match, from documents: [String]) async throws -> Int {
        let condition = JSONValue.object(["exists": .boolean(true)])
        return try await write(documents, needs: Self.update) { document in
            let name = JSONValue.string(name(of: document))
            guard match.field.kind == .map else {
                let transform = JSONValue.object([
                    "fieldPath": .string(match.field.name),
                    "removeAllFromArray": .object(["values": .array([match.value])]),
                ])
                return .object([
                    "transform": .object(["document": name, "fieldTransforms": .array([transform])]),
                    "currentDocument": condition,
                ])
            }
            let mask = JSONValue.object(["fieldPaths": .array([.string(match.field.path(of: match.person))])])
            return .object(["update": .object(["name": name]), "updateMask": mask, "currentDocument": condition])
        }
    }

    private func write(
        _ documents: [String], needs right: String, _ change: (String) -> JSONValue
    ) async throws -> Int {
        var refused = 0
        for start in stride(from: 0, to: documents.count, by: Self.batch) {
            var open = Array(documents[start..<min(start + Self.batch, documents.count)])
            var attempts = StalledAttempts()
            while !open.isEmpty {
                var left: [String] = []
                let alone = try await itemByItem(open) { some in
                    let (again, no) = try await writeOnce(some, needs: right, change)
                    left += again
                    refused += no
                }
                refused += alone.count
                guard let pause = attempts.pause(hasProgress: left.count < open.count) else {
                    throw ConnectorFault.passing(system, "some documents could not be changed")
                }
                if !left.isEmpty { try await google.pause(pause) }
                open = left
            }
        }
        return refused
    }

    /// - Returns: Those to be tried again, and how many are refused.
    private func writeOnce(
        _ documents: [String], needs right: String, _ change: (String) -> JSONValue
    ) async throws -> (again: [String], refused: Int) {
        let answer = try await google.value(
            "POST", .init(["v1"] + root, "batchWrite"), .object(["writes": .array(documents.map(change))]),
            permission: right)
        guard let states = answer["status"]?.elements, states.count == documents.count,
            answer["writeResults"]?.elements?.count == documents.count
        else { throw ConnectorFault.garbled(system, "no answer to a batch") }
        var again: [String] = []
        var refused = 0
        for (document, state) in zip(documents, states) {
            // A missing code is OK.
            guard let code = state["code"]?.integer, code != 0 else { continue }
            switch google.responses.line(200, code: ResponseTable.firestoreCode(code)).outcome {
            case .absent: break
            case .again, .later: again.append(document)
            case .credentials: throw ConnectorFault.credentials(system, needs: right)
            default: refused += 1
            }
        }
        return (again, refused)
    }

    // MARK: Names

    func parts(of path: String) -> [String] { root + (path.isEmpty ? [] : path.slashParts) }

    func name(of path: String) -> String { (root + [path]).joined(separator: "/") }

    /// The full name of the root, with which references begin.
    var rootName: String { root.joined(separator: "/") }

    /// The path behind a name, which must be below the requested place.
    func path(of name: String?, below parent: String) throws -> String {
        let prefix = rootName + "/"
        guard let name, name.hasBytePrefix(prefix) else {
            throw ConnectorFault.garbled(system, "a document without its name")
        }
        let path = name.droppingBytes(prefix.utf8.count)
        guard parent.isEmpty || path.hasBytePrefix(parent + "/") else {
            throw ConnectorFault.garbled(system, "a list of another place")
        }
        return path
    }

    /// A path in what is above it and its own name.
    static func split(_ path: String) -> (parent: String, name: String) {
        let parts = path.slashParts
        return (parts.dropLast().joined(separator: "/"), parts.last ?? "")
    }
}
