// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Cloud Firestore: the person's documents with everything below them, also below documents that are not there.
///
/// Deleting a document leaves what lies below it, so children go first, found by a query over all descendants; that
/// nothing is left is read another way, collection by collection. Settings: `project`, `database`, and either `path`
/// (`users/{person}` a document, `users/{person}/notes` a collection) or `collection` and `field`, whose value is the
/// person's name (`type`: `string` or `integer`; `scope`: `collection` or `group`); `endpoint`; secrets:
/// `service_account`.
public struct FirestoreConnector: Connector {
    private let database: FirestoreDatabase
    private let place: Place
    public let declaration: ConnectorDeclaration
    /// Documents that one call deletes at most, about.
    private static let page = 300
    /// The database's own limit.
    private static let depth = 100

    private enum Place: Sendable {
        case path(before: [String], after: [String])
        case field(collection: String, name: String, isNumber: Bool, isGroup: Bool)
    }

    /// - Throws: `plan.system` when the plan does not say what it must, or the path could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(
            system,
            knows: ["project", "database", "path", "collection", "field", "type", "scope", "endpoint"],
            secrets: GoogleCaller.secrets)
        let project = try settings.required("project")
        place = try Self.place(settings)
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 50, perSecond: 50),
                permissions: ["datastore.entities.get", "datastore.entities.list", "datastore.entities.delete"],
                remarks: [
                    ReceiptNote(
                        about: system.name,
                        note:
                            "Point-in-time recovery and back-ups of the database keep what was there until they expire."
                    )
                ]))
        let google = GoogleCaller(
            settings, at: try settings.address(else: "https://firestore.googleapis.com"),
            scope: "https://www.googleapis.com/auth/datastore", budget: declaration.budget, world: world)
        database = FirestoreDatabase(google, project: project, database: settings["database"] ?? "(default)")
    }

    private static func place(_ settings: SystemSettings) throws -> Place {
        guard settings["path"] == nil else {
            guard ["collection", "field", "type", "scope"].allSatisfy({ settings[$0] == nil }) else {
                throw settings.fault("has a path and also a collection and field")
            }
            let (before, after) = try settings.path()
            return .path(before: before, after: after)
        }
        let collection = try settings.required("collection")
        let isGroup = try settings.word("scope", of: ["collection", "group"]) == "group"
        let parts = collection.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(""), parts.count % 2 == 1, !isGroup || parts.count == 1 else {
            throw settings.fault("needs as its collection a path to one, or the name of a group")
        }
        return .field(
            collection: collection, name: try settings.required("field"),
            isNumber: try settings.word("type", of: ["string", "integer"]) == "integer", isGroup: isGroup)
    }

    // MARK: What is the person's

    /// Where the person's documents begin.
    private enum Root: Sendable {
        case document(String)
        case collection(String)
        case match(FirestoreDatabase.Match)
        /// Nobody of that name can be there.
        case nowhere
    }

    private func root(of name: String) throws -> Root {
        switch place {
        case .path(let before, let after):
            guard Self.isIdentifier(name) else {
                throw ConnectorFault.refused(database.system, "what names the person there cannot be part of a path")
            }
            let parts = before + [name] + after
            let path = parts.joined(separator: "/")
            return parts.count % 2 == 0 ? .document(path) : .collection(path)
        case .field(let collection, let field, let isNumber, let isGroup):
            var value = JSONValue.object(["stringValue": .string(name)])
            if isNumber {
                guard let number = Int64(name), String(number) == name else { return .nowhere }
                value = .object(["integerValue": .string(name)])
            }
            return .match(.init(collection: collection, field: field, value: value, isGroup: isGroup))
        }
    }

    /// "Best practices for Cloud Firestore", identifiers of documents: no slash, not one or two dots alone, not between
    /// double underscores, at most 1,500 bytes.
    private static func isIdentifier(_ name: String) -> Bool {
        !name.contains("/") && name != "." && name != ".." && !(name.hasPrefix("__") && name.hasSuffix("__"))
            && (1...1_500).contains(name.utf8.count)
    }

    // MARK: Counting and reading back

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names {
            switch try root(of: name) {
            case .nowhere: break
            case .document(let document):
                count += try await database.present([document]).count + (try await countBelow(document))
            case .collection(let collection):
                try await eachEntry(of: collection) { entry in
                    count += (entry.isThere ? 1 : 0) + (try await countBelow(entry.path))
                }
            case .match(let match):
                var last: String?
                repeat {
                    let found = try await database.documents(match, after: last, limit: Self.page)
                    for document in found { count += 1 + (try await countBelow(document)) }
                    last = found.count == Self.page ? found.last : nil
                } while last != nil
            }
        }
        return count
    }

    private func countBelow(_ document: String) async throws -> Int {
        var count = 0
        var last: String?
        repeat {
            let found = try await database.descendants(of: document, after: last, limit: Self.page)
            count += found.count
            last = found.count == Self.page ? found.last : nil
        } while last != nil
        return count
    }

    private func eachEntry(of collection: String, _ body: (FirestoreDatabase.Entry) async throws -> Void) async throws {
        var page: String?
        repeat {
            let found = try await database.entries(of: collection, page: page)
            for entry in found.entries { try await body(entry) }
            page = found.next
        } while page != nil
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        for name in request.names {
            let isLeft: Bool
            switch try root(of: name) {
            case .nowhere: isLeft = false
            case .document(let document):
                let isThere = try await !database.present([document]).isEmpty
                isLeft = if isThere { true } else { try await hasSomething(below: document) }
            case .collection(let collection): isLeft = try await hasSomething(in: collection)
            case .match(let match): isLeft = try await !database.documents(match, after: nil, limit: 1).isEmpty
            }
            if isLeft { return .left(1) }
        }
        return .gone
    }

    private func hasSomething(below document: String, depth: Int = 0) async throws -> Bool {
        guard depth < Self.depth else { throw ConnectorFault.garbled(database.system, "it is deeper than it can be") }
        var page: String?
        repeat {
            let found = try await database.collections(of: document, page: page)
            for collection in found.names where try await hasSomething(in: collection, depth: depth + 1) { return true }
            page = found.next
        } while page != nil
        return false
    }

    private func hasSomething(in collection: String, depth: Int = 0) async throws -> Bool {
        var page: String?
        repeat {
            let found = try await database.entries(of: collection, page: page)
            if found.entries.contains(where: \.isThere) { return true }
            for entry in found.entries where try await hasSomething(below: entry.path, depth: depth + 1) { return true }
            page = found.next
        } while page != nil
        return false
    }

    // MARK: Erasing

    /// About a page of documents of one name; the cursor says where the next begins.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var position = try Position(cursor: request.cursor, system: database.system)
        guard position.name < request.names.count else { return .nothingThere }
        var erased = 0
        switch try root(of: request.names[position.name]) {
        case .nowhere: position.name += 1
        case .document(let document):
            let whole = try await erase(document, isThere: nil, from: position.below)
            erased = whole.erased
            position.below = whole.stoppedAt
            if whole.stoppedAt == nil { position.name += 1 }
        case .collection(let collection):
            let page = try await database.entries(of: collection, page: position.page)
            erased = try await erase(page.entries, &position, next: page.next)
        case .match(let match):
            let found = try await database.documents(match, after: position.page, limit: Self.page)
            let entries = found.map { FirestoreDatabase.Entry(path: $0, isThere: true) }
            erased = try await erase(entries, &position, next: found.count == Self.page ? found.last : nil)
        }
        if position.name < request.names.count { return .more(erased, cursor: try position.text()) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// Erases documents of a page until about a page of documents is gone.
    private func erase(
        _ entries: [FirestoreDatabase.Entry], _ position: inout Position, next: String?
    ) async throws -> Int {
        var erased = 0
        for entry in entries {
            let whole = try await erase(entry.path, isThere: entry.isThere, from: nil)
            erased += whole.erased
            // The rest of this page comes by itself with the next call: what is gone no longer stands in it.
            if whole.stoppedAt != nil || erased >= Self.page { return erased }
        }
        if let next { position.page = next } else { position = Position(name: position.name + 1) }
        return erased
    }

    /// Everything below a document, and then it itself: were it gone first, a query would no longer find the rest.
    ///
    /// - Parameter isThere: `nil` when that is not known.
    /// - Returns: How much went, and after which one to go on, where there is more than one call should do.
    private func erase(
        _ document: String, isThere: Bool?, from last: String?
    ) async throws -> (erased: Int, stoppedAt: String?) {
        let below = try await database.descendants(of: document, after: last, limit: Self.page)
        try await database.delete(below)
        guard below.count < Self.page else { return (below.count, below.last) }
        let present = isThere.map { $0 ? [document] : [] }
        let own = if let present { present } else { try await database.present([document]) }
        try await database.delete(own)
        return (below.count + own.count, nil)
    }

    /// Where the next call begins.
    private struct Position: Sendable, Codable {
        var name = 0
        /// The page of a collection, or the last document that was found by its field.
        var page: String?
        /// The last document below a document that is gone.
        var below: String?

        init(name: Int) { self.name = name }

        init(cursor: String?, system: String) throws {
            guard let cursor else { return }
            guard let position = try? JSONDecoder().decode(Position.self, from: Data(cursor.utf8)), position.name >= 0
            else {
                throw ConnectorFault.garbled(system, "the cursor is not one of ours")
            }
            self = position
        }

        func text() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
