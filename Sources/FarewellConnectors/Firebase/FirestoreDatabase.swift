// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A database of Cloud Firestore, asked by its REST interface (v1).
///
/// Documents and collections go by their paths below the root, `users/ada` and `users/ada/notes`.
struct FirestoreDatabase: Sendable {
    private let google: GoogleCaller
    /// The name of the root, `projects/p/databases/(default)/documents`.
    private let root: [String]
    private static let read = "datastore.entities.list"
    private static let write = "datastore.entities.delete"
    /// As many as one batch may have.
    static let batch = 500

    init(_ google: GoogleCaller, project: String, database: String) {
        self.google = google
        root = ["projects", project, "databases", database, "documents"]
    }

    var system: String { google.system }

    /// An entry of a collection: a document, or the name of one that is not there and yet has something below it.
    struct Entry: Sendable, Hashable {
        let path: String
        let isThere: Bool
    }

    /// Which documents are looked for, besides all of them.
    struct Match: Sendable {
        let collection: String
        let field: String
        let value: JSONValue
        /// Collections of that name wherever they are, or only the one.
        let isGroup: Bool
    }

    // MARK: Reading

    /// Documents below a document, at any depth, in the order of their names.
    func descendants(of document: String, after last: String?, limit: Int) async throws -> [String] {
        try await query(
            below: document, from: ["allDescendants": .boolean(true)], where: nil, after: last, limit: limit)
    }

    /// Documents whose field has exactly that value, in the order of their names.
    func documents(_ match: Match, after last: String?, limit: Int) async throws -> [String] {
        let (parent, collection) = Self.split(match.collection)
        let filter = JSONValue.object([
            "fieldFilter": .object([
                "field": .object(["fieldPath": .string(match.field)]), "op": .string("EQUAL"), "value": match.value,
            ])
        ])
        return try await query(
            below: parent,
            from: ["collectionId": .string(collection), "allDescendants": .boolean(match.isGroup)], where: filter,
            after: last, limit: limit)
    }

    private func query(
        below parent: String, from: [String: JSONValue], where filter: JSONValue?, after last: String?, limit: Int
    ) async throws -> [String] {
        let name = JSONValue.object(["fieldPath": .string("__name__")])
        var query: [String: JSONValue] = [
            "select": .object(["fields": .array([name])]), "from": .array([.object(from)]),
            "orderBy": .array([.object(["field": name, "direction": .string("ASCENDING")])]),
            "limit": .integer(Int64(limit)),
        ]
        query["where"] = filter
        if let last {
            let reference = JSONValue.object(["referenceValue": .string(self.name(of: last))])
            query["startAt"] = .object(["values": .array([reference]), "before": .boolean(false)])
        }
        let answer = try await google.value(
            "POST", .init(["v1"] + parts(of: parent), "runQuery"),
            .object(["structuredQuery": .object(query)]), permission: Self.read)
        guard let found = answer.array, found.allSatisfy({ $0["readTime"] != nil }) else {
            throw ConnectorFault.garbled(system, "no answer to a query")
        }
        return try found.compactMap { $0["document"] }.map { try path(of: $0["name"], below: parent) }
    }

    /// Which of these documents are there. Only the database's own word that one is missing counts as that.
    func present(_ documents: [String]) async throws -> [String] {
        let names = documents.map { JSONValue.string(name(of: $0)) }
        let answer = try await google.value(
            "POST", .init(["v1"] + root, "batchGet"),
            .object([
                "documents": .array(names), "mask": .object(["fieldPaths": .array([.string("__name__")])]),
            ]), permission: "datastore.entities.get")
        var found: [String] = []
        var known: Set<String> = []
        for element in answer.array ?? [] {
            let there = element["found"]?["name"]
            let path = try path(of: there ?? element["missing"], below: "")
            known.insert(path)
            if there != nil { found.append(path) }
        }
        guard known == Set(documents) else { throw ConnectorFault.garbled(system, "an answer about something else") }
        return found
    }

    /// The names of the collections right below a document, page by page.
    func collections(of document: String, page: String?) async throws -> (names: [String], next: String?) {
        var body: [String: JSONValue] = ["pageSize": .integer(100)]
        body["pageToken"] = page.map(JSONValue.string)
        let answer = try await google.value(
            "POST", .init(["v1"] + parts(of: document), "listCollectionIds"), .object(body), permission: Self.read)
        guard answer.object != nil else { throw ConnectorFault.garbled(system, "no list of collections") }
        let names = answer["collectionIds"]?.array?.compactMap(\.string) ?? []
        return (names.map { "\(document)/\($0)" }, Self.token(answer))
    }

    /// The documents right in a collection, page by page, with those that are not there and have something below.
    func entries(of collection: String, page: String?) async throws -> (entries: [Entry], next: String?) {
        var query = [("pageSize", "300"), ("showMissing", "true"), ("mask.fieldPaths", "__name__")]
        if let page { query.append(("pageToken", page)) }
        let answer = try await google.value(
            "GET", .init(["v1"] + parts(of: collection)), query: query.map { (name: $0.0, value: $0.1) },
            permission: Self.read)
        guard answer.object != nil else { throw ConnectorFault.garbled(system, "no list of documents") }
        let entries = try (answer["documents"]?.array ?? []).map { document in
            // What is not there was never made.
            Entry(
                path: try path(of: document["name"], below: collection), isThere: document["createTime"]?.string != nil)
        }
        return (entries, Self.token(answer))
    }

    private static func token(_ answer: JSONValue) -> String? {
        answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Deleting

    /// Deletes these documents, and no others. Each may fail for itself; those that the database had trouble with are
    /// tried again.
    func delete(_ documents: [String]) async throws {
        for start in stride(from: 0, to: documents.count, by: Self.batch) {
            var open = Array(documents[start..<min(start + Self.batch, documents.count)])
            var tries = 0
            while !open.isEmpty {
                let left = try await deleteOnce(open)
                tries = left.count < open.count ? 0 : tries + 1
                guard tries < 5 else { throw ConnectorFault.passing(system, "some documents could not be deleted") }
                if !left.isEmpty { try await google.pause(0.05 * Double(1 << tries)) }
                open = left
            }
        }
    }

    /// - Returns: Those to be tried again.
    private func deleteOnce(_ documents: [String]) async throws -> [String] {
        let writes = documents.map { JSONValue.object(["delete": .string(name(of: $0))]) }
        let answer = try await google.value(
            "POST", .init(["v1"] + root, "batchWrite"), .object(["writes": .array(writes)]), permission: Self.write)
        guard let states = answer["status"]?.array, states.count == documents.count,
            answer["writeResults"]?.array?.count == documents.count
        else { throw ConnectorFault.garbled(system, "no answer to a batch") }
        return try zip(documents, states).compactMap { document, state in
            // Codes of google.rpc.Code; what is not written is OK.
            switch state["code"]?.integer ?? 0 {
            case 0, 5: return nil
            case 4, 8, 10, 13, 14: return document
            case 7, 16: throw ConnectorFault.credentials(system, needs: Self.write)
            case let code: throw ConnectorFault.refused(system, "code \(code) for a document")
            }
        }
    }

    // MARK: Names

    private func parts(of path: String) -> [String] { root + path.split(separator: "/").map(String.init) }

    private func name(of path: String) -> String { (root + [path]).joined(separator: "/") }

    /// The path behind a name, which must lie where it was asked for.
    private func path(of name: JSONValue?, below parent: String) throws -> String {
        let prefix = root.joined(separator: "/") + "/"
        guard let name = name?.string, name.hasPrefix(prefix) else {
            throw ConnectorFault.garbled(system, "a document without its name")
        }
        let path = String(name.dropFirst(prefix.count))
        guard parent.isEmpty || path.hasPrefix(parent + "/") else {
            throw ConnectorFault.garbled(system, "a list of something else")
        }
        return path
    }

    /// A path in what is above it and its own name.
    static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}
