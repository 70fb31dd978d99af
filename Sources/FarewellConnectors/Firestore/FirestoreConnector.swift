// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Cloud Firestore: the subject's documents with everything below them, also below missing documents.
///
/// Deleting a document leaves the documents below it, so children are deleted first, found by a query over all
/// descendants; the verification reads another way, collection by collection. Settings: `project`, `database`, and
/// either `path` (`users/{person}` a document, `users/{person}/notes` a collection) or `collection` and `field`, whose
/// value is the subject's name; `endpoint`; secrets: `service_account`. For a field:
/// - `type`: `string`, `integer`, `reference`, `array`, `array-of-references`, or `map`, whose keys are names;
/// - `value`: the form of the name, as text (`user_{person}`) or as the document referred to (`users/{person}`);
/// - `scope`: `collection`, or `group`;
/// - `mixed: allowed`: the field has values of other types or forms, too, which other systems of the plan erase; so for
///   the names in a path;
/// - `shared`: of arrays and maps, which belong to several users: `remove` the subject, and the document stays; or
///   `erase` it.
///
/// A collection exists by its documents alone. So "nothing there" counts only if the collection holds documents with
/// names of the person's form, was erased by this process, or may be empty (`empty: allowed`). For a field, its values
/// must be of the declared type.
public struct FirestoreConnector: Connector {
    let database: FirestoreDatabase
    let withheld: WithheldValues
    let isOfOthers: Bool
    let place: Place
    let mayBeEmpty: Bool
    let proof: PlaceProof
    /// The proof of a path.
    let named: NamedPlace
    /// The field's values when the place was proved last.
    let sample = Guarded<FirestoreSample?>(nil)
    public let declaration: ConnectorDeclaration
    /// Documents that one call deletes at most, about. A document's name has up to 6 KiB, and six times that as JSON.
    static let page = 200
    /// Levels of collections below a collection: the database's own limit
    /// (https://firebase.google.com/docs/firestore/quotas).
    private static let depth = 100

    enum Place: Sendable {
        case path(before: [String], after: [String])
        case field(FirestoreField)

        /// The right to erase there: a shared document stays.
        var write: String {
            guard case .field(let field) = self, field.removes else { return FirestoreDatabase.write }
            return FirestoreDatabase.update
        }
    }

    /// - Throws: `plan.system` when the plan does not say what it must, or the path could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .firestore)
        let project = try settings.required("project")
        place = try Self.place(settings)
        (withheld, isOfOthers) = Self.reading(system, place)
        mayBeEmpty = try settings.mayBeEmpty()
        proof = PlaceProof(world)
        named = try NamedPlace(settings, "path", empty: "the collection is empty", world: world)
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 50, perSecond: 50),
                permissions: ["datastore.entities.get", "datastore.entities.list", place.write],
                remarks: [
                    ReceiptNote(
                        about: system.name,
                        note:
                            "Point-in-time recovery and back-ups of the database keep the data until they expire."
                    )
                ]))
        let google = try GoogleCaller(
            settings, at: "https://firestore.googleapis.com",
            emulator: GoogleEmulator(variables: ["FIRESTORE_EMULATOR_HOST"]),
            scope: "https://www.googleapis.com/auth/datastore", responses: .firestore, budget: declaration.budget,
            world: world)
        database = FirestoreDatabase(google, project: project, database: settings["database"] ?? "(default)")
    }

    private static func place(_ settings: SystemSettings) throws -> Place {
        guard settings["path"] == nil else {
            let others = ["collection", "field", "type", "value", "scope", "shared"]
            guard others.allSatisfy({ settings[$0] == nil }) else {
                throw settings.fault("has a path and also a collection and field")
            }
            let (before, after) = try settings.path()
            return .path(before: before, after: after)
        }
        return .field(try FirestoreField(settings))
    }

    // MARK: The subject's documents

    /// The root of the subject's documents.
    enum Root: Sendable {
        case document(String)
        case collection(String)
        case match(FirestoreDatabase.Match)
    }

    func root(of name: String) throws -> Root {
        switch place {
        case .path(let before, let after):
            guard Self.isIdentifier(name) else {
                throw ConnectorFault.refused(database.system, "the person's name there cannot be part of a path")
            }
            let parts = before + [name] + after
            let path = parts.joined(separator: "/")
            return parts.count % 2 == 0 ? .document(path) : .collection(path)
        case .field(let field):
            guard let value = field.value(of: name, root: database.rootName) else {
                throw ConnectorFault.unproved(
                    database.system, "the person's name cannot be a value of the type \(field.kind.rawValue)",
                    remedy: "Correct `type`, `value` or `person` in the plan, then release the erasure.")
            }
            return .match(.init(field: field, person: name, value: value))
        }
    }

    /// "Best practices for Cloud Firestore", identifiers of documents: no slash, not one or two dots alone, not between
    /// double underscores, at most 1,500 bytes.
    static func isIdentifier(_ name: String) -> Bool {
        !name.containsByte(of: "/") && name != "." && name != ".."
            && !(name.hasBytePrefix("__") && name.hasByteSuffix("__"))
            && (1...1_500).contains(name.utf8.count)
    }

    // MARK: Counting and reading back

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names {
            switch try root(of: name) {
            case .document(let document):
                count += try await database.present([document]).count + (try await countBelow(document))
            case .collection(let collection):
                try await eachEntry(of: collection) { entry in
                    count += (entry.isThere ? 1 : 0) + (try await countBelow(entry.path))
                }
            case .match(let match):
                guard let found = try await counted(match) else { return nil }
                count += found
            }
        }
        if count > 0 { sawSomething() } else { try await requirePlace(for: request) }
        return count
    }

    /// - Returns: `nil` for a map with more users than one answer holds.
    private func counted(_ match: FirestoreDatabase.Match) async throws -> Int? {
        var count = 0
        var last: String?
        repeat {
            let found = try await database.documents(match, after: last, limit: Self.page)
            if match.field.kind == .map, found.count == Self.page { return nil }
            for document in found { count += 1 + (match.field.removes ? 0 : try await countBelow(document)) }
            last = found.count == Self.page ? found.last : nil
        } while last != nil
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
            case .document(let document):
                let isThere = try await !database.present([document]).isEmpty
                isLeft = if isThere { true } else { try await hasSomething(below: document) }
            case .collection(let collection): isLeft = try await hasSomething(in: collection)
            case .match(let match): isLeft = try await !database.documents(match, after: nil, limit: 1).isEmpty
            }
            if isLeft {
                sawSomething()
                return .left(1)
            }
        }
        try await requirePlace(for: request)
        return .gone
    }

    /// - Parameter depth: The number of nested collections above.
    private func hasSomething(below document: String, depth: Int = 0) async throws -> Bool {
        var page: String?
        repeat {
            let found = try await database.collections(of: document, page: page)
            for collection in found.names where try await hasSomething(in: collection, depth: depth + 1) { return true }
            page = found.next
        } while page != nil
        return false
    }

    private func hasSomething(in collection: String, depth: Int = 0) async throws -> Bool {
        guard depth <= Self.depth else { throw ConnectorFault.garbled(database.system, "it is too deep") }
        var page: String?
        repeat {
            let found = try await database.entries(of: collection, page: page)
            if found.entries.contains(where: \.isThere) { return true }
            for entry in found.entries where try await hasSomething(below: entry.path, depth: depth) { return true }
            page = found.next
        } while page != nil
        return false
    }

    // MARK: Erasing

    /// About a page of documents of one name; the cursor says where the next begins.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var position = try Position(cursor: request.cursor, system: database.system)
        let (roots, unfit) = try request.places { try root(of: $0) }
        guard position.name < roots.count else {
            if let unfit { throw unfit }
            return .nothingThere
        }
        var erased = 0
        switch roots[position.name] {
        case .document(let document):
            let whole = try await erase(document, isThere: nil, from: position.below)
            erased = whole.erased
            position.below = whole.stoppedAt
            position.refused += whole.refused
            if whole.stoppedAt == nil { position.next() }
        case .collection(let collection):
            let page = try await PageMark.page(behind: position.page) {
                try await database.entries(of: collection, page: $0)
            }
            erased = try await erase(page.entries, &position, next: page.next)
        case .match(let match) where match.field.removes:
            // Documents from which the subject was removed are no longer found; refused ones are, and are skipped by
            // name.
            let found = try await database.documents(match, after: position.page, limit: Self.page)
            let refused = try await database.remove(match, from: found)
            position.refused += refused
            erased = found.count - refused
            let isLast = found.count < Self.page || (match.field.kind == .map && erased == 0)
            if isLast { position.next() } else if match.field.kind != .map { position.page = found.last }
        case .match(let match):
            let found = try await database.documents(match, after: position.page, limit: Self.page)
            let entries = found.map { FirestoreDatabase.Entry(path: $0, isThere: true) }
            erased = try await erase(entries, &position, next: found.count == Self.page ? found.last : nil)
        }
        if erased > 0 { sawSomething() }
        if position.name < roots.count { return .more(erased, cursor: try position.text()) }
        guard position.refused == 0 else {
            throw ConnectorFault.refused(
                database.system, "\(position.refused.counted("document")) could not be deleted, even when tried alone"
            ).anew
        }
        if let unfit { throw unfit }
        if erased == 0 { try await requirePlace(for: request) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// Erases documents until about a page of them is deleted.
    ///
    /// The next call reads the rest of this page: deleted documents no longer appear in it. Refused ones do, so from
    /// the first of them on the page is done to its end.
    private func erase(
        _ entries: [FirestoreDatabase.Entry], _ position: inout Position, next: String?
    ) async throws -> Int {
        var (erased, refused) = (0, 0)
        for entry in entries {
            var below: String?
            var isKept = false
            repeat {
                let whole = try await erase(entry.path, isThere: isKept ? false : entry.isThere, from: below)
                erased += whole.erased
                refused += whole.refused
                below = whole.stoppedAt
                isKept = isKept || whole.refused > 0
                if refused == 0, below != nil || erased >= Self.page { return erased }
            } while below != nil
        }
        position.refused += refused
        if let next { position.page = next } else { position.next() }
        return erased
    }

    /// Deletes everything below a document, then the document: without it a query would no longer find the rest.
    ///
    /// - Parameter isThere: `nil` when that is not known.
    /// - Returns: The number of deletions, and the document after which to continue if one call cannot do all.
    private func erase(
        _ document: String, isThere: Bool?, from last: String?
    ) async throws -> (erased: Int, refused: Int, stoppedAt: String?) {
        let below = try await database.descendants(of: document, after: last, limit: Self.page)
        let refused = try await database.delete(below)
        guard below.count < Self.page else { return (below.count - refused, refused, below.last) }
        // If something below it was refused, the document stays: without it nothing would lead there.
        guard refused == 0 else { return (below.count - refused, refused, nil) }
        let present = isThere.map { $0 ? [document] : [] }
        let own = if let present { present } else { try await database.present([document]) }
        let kept = try await database.delete(own)
        return (below.count + own.count - kept, kept, nil)
    }

    /// The place at which the next call begins.
    private struct Position: ConnectorCursor {
        var name = 0
        /// The page of a collection, or the last document that was found by its field.
        var page: String?
        /// The last document below a deleted document.
        var below: String?

        /// Documents that stayed so far.
        var refused = 0

        /// Moves to the subject's next name.
        mutating func next() {
            name += 1
            page = nil
            below = nil
        }

        var isPlausible: Bool { name >= 0 && (0...Int(Int32.max)).contains(refused) }

        init() {}

        /// Reads the cursors of earlier releases too.
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(Int.self, forKey: .name)
            page = try members.decodeIfPresent(String.self, forKey: .page)
            below = try members.decodeIfPresent(String.self, forKey: .below)
            refused = try members.decodeIfPresent(Int.self, forKey: .refused) ?? 0
        }
    }
}
