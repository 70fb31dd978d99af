// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads documents with their contents, for an export: in Firestore's own JSON, in which every value has its type.
extension FirestoreDatabase {
    /// A document with its contents.
    struct Document: Sendable {
        let path: String
        let raw: RawJSON
    }

    /// The existing ones of these documents, in any order.
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
            let path = try path(of: (document?["name"] ?? element["missing"])?.string, below: "")
            known.insert(ExactText(path))
            if let document { found.append(Document(path: path, raw: document)) }
        }
        guard known == Set(documents.map(ExactText.init)) else {
            throw ConnectorFault.garbled(system, "an answer about another document")
        }
        return found
    }

    /// The place in the documents of a match where the next page begins: after a document and a number of further ones.
    struct Reached: Sendable {
        var last: Document?
        var skipped = 0
    }

    /// Documents whose field has exactly that value; each is decided and read at one time.
    ///
    /// - Parameter namesOnly: Without their contents.
    /// - Returns: `nil` if the answer is too long.
    func contents(
        _ match: Match, after reached: Reached, limit: Int, namesOnly: Bool = false
    ) async throws -> [Document]? {
        let (parent, collection) = Self.split(match.field.collection)
        let isMap = match.field.kind == .map
        let field = match.field.path(of: match.person)
        // For a map the order is that of the field whose presence is tested.
        let order = (isMap ? [field] : []) + ["__name__"]
        var query: [String: JSONValue] = [
            "from": .array([.object(Self.source(match.field, collection))]),
            "orderBy": .array(
                order.map { .object(["field": FirestoreField.field($0), "direction": .string("ASCENDING")]) }),
            "limit": .integer(Int64(limit)),
        ]
        query["where"] = match.filter
        if reached.skipped > 0 { query["offset"] = .integer(Int64(reached.skipped)) }
        if namesOnly || match.field.removes {
            // A document of several people is read only as far as it names the subject.
            let isWhole = isMap && !namesOnly
            query["select"] = .object(["fields": .array([FirestoreField.field(isWhole ? field : "__name__")])])
        }
        if let last = reached.last {
            let name = JSONValue.object(["referenceValue": .string(self.name(of: last.path))])
            let value = isMap ? Self.value(in: last, at: match)?.value : nil
            query["startAt"] = .object([
                "values": .array((value.map { [$0] } ?? []) + [name]), "before": .boolean(false),
            ])
        }
        let body = JSONValue.object(["structuredQuery": .object(query)])
        guard let answer = try await elements("runQuery", below: parent, body, Self.read) else { return nil }
        return try answer.compactMap { element in
            guard let document = element["document"] else { return nil }
            return Document(path: try path(of: document["name"]?.string, below: parent), raw: document)
        }
    }

    /// The place after these documents. Farewell cannot send back every value that an app has written, such as a map
    /// with two names that Unicode treats as equal: such documents are skipped by their number.
    func reached(after documents: [Document], of match: Match, from earlier: Reached) -> Reached {
        guard let last = documents.last else { return earlier }
        let isSent = match.field.kind != .map || Self.value(in: last, at: match)?.value != nil
        return isSent
            ? Reached(last: last) : Reached(last: earlier.last, skipped: earlier.skipped + documents.count)
    }

    /// The subject's own value in a map of several people.
    private static func value(in document: Document, at match: Match) -> RawJSON? {
        var value = document.raw["fields"]
        for part in parts(ofField: match.field.name) { value = value?[part]?["mapValue"]?["fields"] }
        return value?[match.person]
    }

    /// The name of a document of several people, and the value in it that names the subject.
    func mention(in document: Document, of match: Match) throws -> RawJSON {
        let encoder = JSONEncoder()
        func text(_ name: String) throws -> [UInt8] { Array(try encoder.encode(JSONValue.string(name))) }
        func object(_ members: [(name: String, value: [UInt8])]) throws -> [UInt8] {
            let written = try members.map { try text($0.name) + Array(":".utf8) + $0.value }
            return Array("{".utf8) + Array(written.joined(separator: Array(",".utf8))) + Array("}".utf8)
        }
        func map(_ name: String, _ value: [UInt8]) throws -> [UInt8] {
            try object([("mapValue", object([("fields", object([(name, value)]))]))])
        }
        var value = Array(
            try encoder.encode(JSONValue.object(["arrayValue": .object(["values": .array([match.value])])])))
        if match.field.kind == .map {
            guard let own = Self.value(in: document, at: match) else {
                throw ConnectorFault.garbled(system, "a document without its field")
            }
            value = try map(match.person, Array(own.bytes))
        }
        let parts = Self.parts(ofField: match.field.name)
        for part in parts.dropFirst().reversed() { value = try map(part, value) }
        let fields = try object([(parts.first ?? match.field.name, value)])
        return try RawJSON(
            object([("name", text(name(of: document.path))), ("fields", fields)]), depth: .max)
    }

    /// The elements of an answer that is a stream: it may end with an error although it began with 200.
    private func elements(
        _ verb: String, below parent: String, _ body: JSONValue, _ permission: String
    ) async throws -> [RawJSON]? {
        let reply: SystemReply
        do {
            reply = try await google.ask(
                "POST", .init(["v1"] + parts(of: parent), verb), query: google.compact, body, permission: permission,
                limit: Self.contents)
        } catch let fault as ConnectorFault where fault.isTooLong {
            return nil
        }
        let answer = try reply.json(from: system)
        let elements = answer.elements ?? [answer]
        for element in elements where element["error"] != nil {
            throw google.fault(in: element, needs: permission)
                ?? ConnectorFault.garbled(system, "an error without a name")
        }
        guard answer.elements != nil, elements.allSatisfy({ $0["readTime"] != nil }) else {
            throw ConnectorFault.garbled(system, "no answer to a query")
        }
        return elements
    }
}
