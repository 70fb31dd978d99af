// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Cloud Storage for Firebase, which is Google Cloud Storage (JSON API v1): every generation of every object below the
/// subject's prefix.
///
/// Settings: `bucket`, `prefix` (`users/{person}/`; it ends with a slash, so no name begins with another one) or `keys:
/// exact` (the subject's names are objects themselves), `endpoint`; secrets: `service_account`.
///
/// The evidence that the place is the right one is the list itself: a missing bucket, or one that may not be listed,
/// answers with an error.
public struct FirebaseStorageConnector: Connector {
    let google: GoogleCaller
    let bucket: String
    let location: ObjectLocation
    private let place: NamedPlace
    public let declaration: ConnectorDeclaration
    private static let page = 200
    /// Objects that are deleted at the same time.
    private static let concurrency = 8

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .firebaseStorage)
        bucket = try settings.required("bucket")
        location = try ObjectLocation(settings)
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify, .versions], budget: RateBudget(burst: 50, perSecond: 50),
                permissions: ["storage.objects.list", "storage.objects.delete"],
                remarks: [
                    ReceiptNote(
                        about: system.name,
                        note: "A bucket with soft deletion keeps deleted objects, out of reach, for its set time."),
                    ReceiptNote(
                        about: system.name,
                        note: "Unfinished multipart uploads by S3's tools (XML interface) were not read; the bucket's "
                            + "rule AbortIncompleteMultipartUpload ends them."),
                    // https://cloud.google.com/storage/docs/resumable-uploads: a session ends after a week.
                    ReceiptNote(
                        about: system.name,
                        note: "The service lists no resumable uploads in progress; their sessions end after a week."),
                    // https://cloud.google.com/storage/docs/hns-buckets-best-practices
                    ReceiptNote(
                        about: system.name,
                        note: "A bucket with hierarchical namespace keeps empty folders, which may be named after the "
                            + "person."),
                ]))
        place = try NamedPlace(settings, location.setting, empty: location.emptiness, world: world)
        google = try GoogleCaller(
            settings, at: "https://storage.googleapis.com",
            emulator: GoogleEmulator(variables: ["STORAGE_EMULATOR_HOST", "FIREBASE_STORAGE_EMULATOR_HOST"]),
            scope: "https://www.googleapis.com/auth/devstorage.read_write", responses: .firebaseStorage,
            budget: declaration.budget, world: world)
    }

    public func prove() async throws -> String? {
        let sample = try await place.prove(siblings, end: end)
        let isEmpty = !location.isExact && sample.names.isEmpty
        return "the bucket \(bucket) lists its objects for this key" + (isEmpty ? location.doubt : "")
    }

    /// Deletes a generation of an object that does not exist.
    public func proveRights() async throws -> String? {
        let unused = google.unusedName
        let name = location.isExact ? unused : try location.prefix(of: unused, in: google.system) + unused
        if case .denied = try await delete(Object(name: name, generation: "1")) {
            throw ConnectorFault.credentials(google.system, needs: Self.right)
        }
        return "it may delete objects"
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names {
            var token: String?
            repeat {
                let page = try await list(try location.prefix(of: name, in: google.system), after: token)
                count += page.objects.count
                token = page.next
            } while token != nil
        }
        try await conclude(count, request)
        return count
    }

    /// Nothing counts only in the right place; something shows that it is.
    func conclude(_ found: Int, _ request: ConnectorRequest) async throws {
        guard found == 0 else { return place.sawSomething() }
        try await place.require(request.names, request.record, siblings, end: end)
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        for name in request.names {
            var token: String?
            repeat {
                let page = try await list(try location.prefix(of: name, in: google.system), after: token)
                if !page.objects.isEmpty {
                    place.sawSomething()
                    return .left(page.objects.count)
                }
                token = page.next
            } while token != nil
        }
        try await place.require(request.names, request.record, siblings, end: end)
        return .gone
    }

    /// One page of one name; the cursor says where the next begins. Held objects stay, and everything else is deleted
    /// before that is reported.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var place = try Place(cursor: request.cursor, system: google.system)
        let (prefixes, refused) = try request.places { try location.prefix(of: $0, in: google.system) }
        guard place.name < prefixes.count else {
            if let refused { throw refused }
            return .nothingThere
        }
        let prefix = prefixes[place.name]
        let page = try await PageMark.page(behind: place.token) { try await list(prefix, after: $0) }
        let kept = try await delete(page.objects)
        place.held += kept.held
        place.refused += kept.refused
        place.denied += kept.denied
        place.until = [place.until, kept.until].compactMap(\.self).max()
        place.token = page.next
        if page.next == nil { place.name += 1 }
        let erased = page.objects.count - kept.count
        if !page.objects.isEmpty { self.place.sawSomething() }
        if place.name < prefixes.count { return .more(erased, cursor: try place.text()) }
        if place.held + place.refused == 0, place.denied > 0 {
            throw ConnectorFault.credentials(google.system, needs: Self.right).anew
        }
        if place.held + place.refused > 0 {
            let (why, remedy) = place.words
            // Starts again after a release: the objects kept then are read again.
            throw ConnectorFault.refused(google.system, why, remedy: remedy).anew
        }
        if let refused { throw refused }
        try await conclude(erased, request)
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    // MARK: Listing

    /// The names beside the subject's.
    ///
    /// https://cloud.google.com/storage/docs/json_api/v1/objects/list
    private func siblings(after name: String?) async throws -> NameSample {
        let start = try name.map { try location.prefix(of: $0, in: google.system) }
        var query = [("maxResults", "100")]
        if let delimiter = location.delimiter { query.append(("delimiter", delimiter)) }
        if let start { query.append(("startOffset", start)) }
        let found = try await firstNames(below: location.beginning, query)
        var sample = location.sample(of: found.entries, isWhole: found.isAll)
        guard name == nil, sample.isEmpty else { return sample }
        let all = try await firstNames(below: "", [("maxResults", "1")])
        sample.isAllEmpty = all.entries.isEmpty && all.isAll
        return sample
    }

    /// The names of objects and folders of the first page that has some.
    private func firstNames(
        below prefix: String, _ query: [(String, String)]
    ) async throws -> (entries: [String], isAll: Bool) {
        try await PageMark.filled { token -> (entries: [String], next: String?) in
            let mark: [(String, String)] = token.map { [("pageToken", $0)] } ?? []
            let answer = try await page(below: prefix, fields: "kind,prefixes,items(name),nextPageToken", query + mark)
            let folders = answer["prefixes"]?.elements ?? []
            let objects = (answer["items"]?.elements ?? []).compactMap { $0["name"] }
            return ((folders + objects).compactMap(\.string), Self.next(after: answer))
        }
    }

    private static func next(after page: RawJSON) -> String? {
        page["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private var end: NamedPlace.End? { if location.end == nil { nil } else { reachesAny } }

    /// Whether the first objects of all, or of some names, are where the prefix leads.
    private func reachesAny(_ names: [String]) async throws -> Bool {
        let all = try await firstNames(below: location.beginning, [("maxResults", "1000")])
        if all.entries.contains(where: location.leads) { return true }
        guard !all.isAll else { return false }
        for name in names {
            let prefix = try location.prefix(of: name, in: google.system)
            if try await !firstNames(below: prefix, [("maxResults", "1")]).entries.isEmpty { return true }
        }
        return false
    }

    struct Object: Sendable {
        let name: String
        let generation: String
    }

    private func page(below prefix: String, fields: String, _ further: [(String, String)]) async throws -> RawJSON {
        let query = [("prefix", prefix), ("versions", "true"), ("fields", fields)] + further
        let answer = try await google.value(
            "GET", .init(["storage", "v1", "b", bucket, "o"]), query: query.map { (name: $0.0, value: $0.1) },
            permission: "storage.objects.list")
        guard answer["kind"]?.string == "storage#objects" else {
            throw ConnectorFault.garbled(google.system, "no list of objects")
        }
        return answer
    }

    func list(_ prefix: String, after token: String?) async throws -> (objects: [Object], next: String?) {
        var query = [("maxResults", "\(Self.page)")]
        if let token { query.append(("pageToken", token)) }
        let answer = try await page(below: prefix, fields: "kind,items(name,generation),nextPageToken", query)
        let objects = try (answer["items"]?.elements ?? []).map { item in
            guard let name = item["name"]?.string, let generation = item["generation"]?.string,
                name.hasBytePrefix(prefix)
            else { throw ConnectorFault.garbled(google.system, "a list of another place") }
            return Object(name: name, generation: generation)
        }
        let next = Self.next(after: answer)
        if let next, token?.isByteEqual(to: next) == true { throw ConnectorFault.samePage(google.system) }
        return (objects.filter { !location.isExact || $0.name.isByteEqual(to: prefix) }, next)
    }

    // MARK: Deleting

    /// The outcome for one object.
    private enum Fate: Sendable { case gone, held(until: String?), refused, denied }

    private struct Kept: Sendable {
        var held = 0
        var refused = 0
        /// The key may not delete them; a condition of its role may allow others.
        var denied = 0
        var until: String?

        var count: Int { held + refused + denied }
    }

    /// Deletes these objects, some at a time. The trouble with one ends none that is under way; no other is begun. An
    /// object that stays keeps none of the others, unless the key was denied as many as go at a time, and no other.
    ///
    /// - Returns: How many stay, and until when.
    private func delete(_ objects: [Object]) async throws -> Kept {
        try await withThrowingTaskGroup(of: Result<Fate, any Error>.self) { group in
            var waiting = objects[...]
            for object in waiting.prefix(Self.concurrency) { group.addTask { await attempt(object) } }
            waiting = waiting.dropFirst(Self.concurrency)
            var kept = Kept()
            var gone = 0
            var failures: [any Error] = []
            for try await result in group {
                switch result {
                case .success(.gone): gone += 1
                case .success(.held(let until)):
                    kept.held += 1
                    kept.until = [kept.until, until].compactMap(\.self).max()
                case .success(.refused): kept.refused += 1
                case .success(.denied):
                    kept.denied += 1
                    if kept.denied == Self.concurrency, gone + kept.count == kept.denied {
                        failures.append(ConnectorFault.credentials(google.system, needs: Self.right))
                    }
                case .failure(let error): failures.append(error)
                }
                if failures.isEmpty, let object = waiting.popFirst() { group.addTask { await attempt(object) } }
            }
            if let failure = failures.first(where: { $0 is CancellationError }) ?? failures.first { throw failure }
            return kept
        }
    }

    private func attempt(_ object: Object) async -> Result<Fate, any Error> {
        do {
            return .success(try await delete(object))
        } catch {
            return .failure(error)
        }
    }

    private func delete(_ object: Object) async throws -> Fate {
        let reply = try await google.ask(
            "DELETE", .init(["storage", "v1", "b", bucket, "o", object.name]),
            query: [("generation", object.generation)], answers: [400, 403, 404, 412],
            permission: Self.right)
        guard reply.status >= 300 else {
            // A successful deletion has no body; an HTML page comes from another server.
            guard reply.status == 204 else { throw ConnectorFault.garbled(google.system, "no answer to a deletion") }
            return .gone
        }
        let value = try reply.json(from: google.system)
        guard value["error"]?["code"]?.integer == Int64(reply.status), let told = google.responses.googleWords(value)
        else {
            guard reply.status == 403 else {
                throw ConnectorFault.garbled(google.system, "a \(reply.status) from another service")
            }
            throw ConnectorFault.credentials(google.system, needs: Self.right)
        }
        switch google.outcome(of: reply) {
        case .absent: return .gone
        case .kept: return .held(until: told.detail)
        case .credentials: return .denied
        case .refused where reply.status != 403: return .refused
        case let outcome:
            throw outcome.fault(
                of: google.system, needs: Self.right, shown: told.code, detail: told.detail, retryAfter: nil)
        }
    }

    private static let right = "storage.objects.delete"

    /// The beginning of the next page, and the objects kept so far.
    private struct Place: ConnectorCursor {
        var name = 0
        var token: String?
        var held = 0
        var refused = 0
        var denied = 0
        var until: String?

        var isPlausible: Bool {
            name >= 0 && [held, refused, denied].allSatisfy { (0...Int(Int32.max)).contains($0) }
        }

        init() {}

        /// Reads the cursors of earlier releases too.
        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(Int.self, forKey: .name)
            token = try members.decodeIfPresent(String.self, forKey: .token)
            held = try members.decode(Int.self, forKey: .held)
            refused = try members.decodeIfPresent(Int.self, forKey: .refused) ?? 0
            denied = try members.decodeIfPresent(Int.self, forKey: .denied) ?? 0
            until = try members.decodeIfPresent(String.self, forKey: .until)
        }

        var words: (why: String, remedy: String) {
            let day = until.map { ", the last until \($0)" } ?? ""
            var why: [String] = []
            if held > 0 {
                let objects = held.counted("object") + (held == 1 ? " is" : " are")
                why.append("\(objects) held, or too young for the bucket's retention policy\(day)")
            }
            if refused > 0 { why.append("it refuses \(refused.counted("single object"))") }
            if denied > 0 { why.append("the key may not delete \(denied) of them") }
            return (
                why.joined(separator: "; "),
                "Release the holds, or wait for the policy's time, then release the erasure. "
                    + "The person's other objects in the bucket are deleted."
            )
        }
    }
}
