// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads documents with their contents, for an export: in Firestore's own JSON, in which every value has its type.
extension FirestoreDatabase {
    /// A document with its contents.
    struct Document: Sendable {
        let path: String
        let raw: RawJSON
    }

    /// Bytes of an answer with contents that are read at most. A document has at most 1 MiB, and is longer as JSON.
    private static let limit = 32 << 20
    /// Maps and arrays may have twenty levels, each of which is three levels of JSON.
    private static let depth = 128

    /// Those of these documents that are there, in any order.
    ///
    /// - Returns: `nil` if the answer is too long.
    func contents(of documents: [String]) async throws -> [Document]? {
        let body = JSONValue.object(["documents": .array(documents.map { .string(name(of: $0)) })])
        let permission = "datastore.entities.get"
        guard let answer = try await elements("batchGet", below: "", body, permission) else { return nil }
        var found: [Document] = []
        var known: Set<ExactText> = []
        for element in answer {
            let document = element["found"]
            let path = try path(of: (document?["name"] ?? element["missing"])?.string.map(JSONValue.string), below: "")
            known.insert(ExactText(path))
            if let document { found.append(Document(path: path, raw: document)) }
        }
        guard known == Set(documents.map(ExactText.init)) else {
            throw ConnectorFault.garbled(system, "an answer about another document")
        }
        return found
    }

    /// Documents whose field has exactly that value; each is decided and read at one time.
    ///
    /// - Parameter last: The document after which to continue.
    /// - Returns: `nil` if the answer is too long.
    func contents(_ match: Match, after last: Document?, limit: Int) async throws -> [Document]? {
        let (parent, collection) = Self.split(match.field.collection)
        let isMap = match.field.kind == .map
        let field = match.field.path(of: match.person)
        // For a map the order is that of the field whose presence is tested.
        let order = (isMap ? [field] : []) + ["__name__"]
        var query: [String: JSONValue] = [
            "from": .array([.object(Self.source(match.field, collection))]), "where": match.filter,
            "orderBy": .array(
                order.map { .object(["field": FirestoreField.field($0), "direction": .string("ASCENDING")]) }),
            "limit": .integer(Int64(limit)),
        ]
        if match.field.removes {
            // Of a document of several people no more than that.
            query["select"] = .object(["fields": .array([FirestoreField.field(isMap ? field : "__name__")])])
        }
        if let last {
            let name = JSONValue.object(["referenceValue": .string(self.name(of: last.path))])
            let value = isMap ? Self.value(in: last, at: match)?.value : nil
            guard !isMap || value != nil else { throw ConnectorFault.garbled(system, "a document without its field") }
            query["startAt"] = .object([
                "values": .array((value.map { [$0] } ?? []) + [name]), "before": .boolean(false),
            ])
        }
        let body = JSONValue.object(["structuredQuery": .object(query)])
        guard let answer = try await elements("runQuery", below: parent, body, Self.read) else { return nil }
        return try answer.compactMap { element in
            guard let document = element["document"] else { return nil }
            let path = try path(of: document["name"]?.string.map(JSONValue.string), below: parent)
            return Document(path: path, raw: document)
        }
    }

    /// The subject's own value in a map of several people.
    private static func value(in document: Document, at match: Match) -> RawJSON? {
        var value = document.raw["fields"]
        for part in parts(ofField: match.field.name) { value = value?[part]?["mapValue"]?["fields"] }
        return value?[match.person]
    }

    /// Of a document of several people the name, and the value that names the subject.
    func mention(in document: Document, of match: Match) throws -> JSONValue {
        var value: JSONValue = .object(["arrayValue": .object(["values": .array([match.value])])])
        if match.field.kind == .map {
            guard let own = Self.value(in: document, at: match)?.value else {
                throw ConnectorFault.garbled(system, "a document without its field")
            }
            value = .object(["mapValue": .object(["fields": .object([match.person: own])])])
        }
        let parts = Self.parts(ofField: match.field.name)
        for part in parts.dropFirst().reversed() {
            value = .object(["mapValue": .object(["fields": .object([part: value])])])
        }
        return .object([
            "name": .string(name(of: document.path)), "fields": .object([parts.first ?? match.field.name: value]),
        ])
    }

    /// The elements of an answer that is a stream: it may end with an error although it began with 200.
    private func elements(
        _ verb: String, below parent: String, _ body: JSONValue, _ permission: String
    ) async throws -> [RawJSON]? {
        let reply: SystemReply
        do {
            reply = try await google.ask(
                "POST", .init(["v1"] + parts(of: parent), verb), body, permission: permission, limit: Self.limit)
        } catch let fault as ConnectorFault where fault == .garbled(system, "it is too long") {
            return nil
        }
        let answer = try reply.raw(from: system, depth: Self.depth)
        let elements = answer.elements ?? [answer]
        for element in elements where element["error"] != nil {
            throw element.value.flatMap { google.fault(in: $0, needs: permission) }
                ?? ConnectorFault.garbled(system, "an error without a name")
        }
        guard answer.elements != nil, elements.allSatisfy({ $0["readTime"] != nil }) else {
            throw ConnectorFault.garbled(system, "no answer to a query")
        }
        return elements
    }
}
