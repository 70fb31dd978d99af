// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Firebase Realtime Database: everything below the subject's path.
///
/// Data that is too large for one deletion is deleted child by child, so that other users' writes need not wait.
/// Settings: `endpoint` (the database's address), `path` (`users/{person}`, `users/{person}/notes`); secrets:
/// `service_account`; `empty: allowed` if the place above the subject may be empty; `mixed: allowed` if keys of other
/// forms are there, too.
///
/// A path that was never written answers `null` like one whose data is deleted, so "nothing there" counts only if there
/// is data beside the subject's place, under keys of the same form, or was while this process read it.
public struct RealtimeDatabaseConnector: Connector {
    let google: GoogleCaller
    let withheld: WithheldValues
    private let path: (before: [String], after: [String])
    private let above: NamedPlace
    public let declaration: ConnectorDeclaration
    /// The database's own limit.
    static let depth = 32
    static let reading = "firebasedatabase.instances.get"
    private static let permission = "firebasedatabase.instances.update"

    /// - Throws: `plan.system` when the plan does not say what it must, or the path could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .realtimeDatabase)
        path = try settings.path()
        above = try NamedPlace(settings, "path", empty: "the place above the person's is empty", world: world)
        withheld = WithheldValues(system.export)
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
                permissions: [Self.reading, Self.permission],
                remarks: [ReceiptNote(about: system.name, note: "Daily back-ups of the database keep the data.")])
        )
        google = try GoogleCaller(
            settings, at: nil,
            emulator: GoogleEmulator(variables: ["FIREBASE_DATABASE_EMULATOR_HOST"], namesDatabase: true),
            scope: "https://www.googleapis.com/auth/firebase.database https://www.googleapis.com/auth/userinfo.email",
            responses: .realtimeDatabase, budget: declaration.budget, world: world)
    }

    // MARK: The place

    public func prove() async throws -> String? {
        try await self.above.prove(siblings, end: end)
        let above = self.above.mayBeEmpty ? "there, or may be empty" : "there"
        return "the database answers, and the place above the person's is \(above)"
    }

    /// Deletes a place that does not exist, which triggers no function of the project.
    public func proveRights() async throws -> String? {
        let place = try place(of: google.unusedName)
        try await delete(place, depth: place.count)
        return "this account may delete"
    }

    func requirePlace(for request: ConnectorRequest) async throws {
        try await above.require(request.names, request.record, siblings, end: end)
    }

    /// The keys beside the subject's.
    private func siblings(after name: String?) async throws -> NameSample {
        switch try await keys(at: path.before.isEmpty ? [""] : path.before) {
        case .all(let keys): NameSample(names: keys)
        case .singleValue: NameSample(hasOthers: true)
        case .tooMany: try await someKeys(from: name)
        }
    }

    /// Some keys above the subject's place, where there are more than one answer has: the first ones, or those from a
    /// name on. A list of keys alone takes no range, so their entries are read, too; none if one is too long.
    private func someKeys(from name: String?) async throws -> NameSample {
        for most in [20, 1] {
            var query = [(name: "orderBy", value: "\"$key\""), (name: "limitToFirst", value: "\(most)")]
            if let name { query.append((name: "startAt", value: try Self.quoted(name))) }
            do {
                let found = try await google.value(
                    "GET", .init(path.before.isEmpty ? [""] : path.before, ending: ".json"), query: query,
                    permission: Self.reading)
                // Keys that are numbers in a row are written as an array.
                let numbers = (found.elements ?? []).enumerated().filter { !$0.element.isNull }.map { "\($0.offset)" }
                let names = found.members?.map(\.name) ?? numbers
                return NameSample(names: names, isWhole: false, isThere: true)
            } catch let fault as ConnectorFault where fault.isTooLong {
                continue
            }
        }
        return NameSample(isWhole: false, isThere: true)
    }

    private var end: NamedPlace.End? { if path.after.isEmpty { nil } else { reachesAny } }

    /// Whether anything is at the place of one of some names.
    private func reachesAny(_ names: [String]) async throws -> Bool {
        for place in names.compactMap({ try? place(of: $0) }) {
            if case .all(let keys) = try await keys(at: place), keys.isEmpty { continue }
            return true
        }
        return false
    }

    /// Entries directly below the path: the database counts no deeper.
    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names {
            guard let entries = try await entries(at: try place(of: name)) else { return nil }
            count += entries
        }
        if count == 0 { try await requirePlace(for: request) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        try await request.eachName { name in
            let place = try place(of: name)
            let there = try await entries(at: place) ?? 1
            guard there > 0 else { return }
            try await delete(place, depth: place.count)
            erased += there
        }
        if erased == 0 { try await requirePlace(for: request) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// Read by its path, and then by its key among its siblings: both must report that it is not there.
    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        var left = 0
        for name in request.names {
            let place = try place(of: name)
            left += try await entries(at: place) ?? 1
            if left == 0, try await isListed(place) { left = 1 }
        }
        if left == 0 { try await requirePlace(for: request) }
        return left == 0 ? .gone : .left(left)
    }

    /// No key of the database has any of these characters, so that it cannot be the subject's.
    func place(of name: String) throws -> [String] {
        guard !name.isEmpty, !name.containsByte(of: ".#$[]/"), name.utf8.count <= 768,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw ConnectorFault.refused(google.system, "the person's name there cannot be a key of it") }
        return path.before + [name] + path.after
    }

    enum Keys: Sendable {
        /// All keys; an empty list for an empty place.
        case all([String])
        case singleValue
        case tooMany
    }

    /// The keys below a place.
    func keys(at place: [String]) async throws -> Keys {
        do {
            return try await listed(at: place)
        } catch let fault as ConnectorFault where fault.isTooLong {
            return .tooMany
        }
    }

    private func listed(at place: [String]) async throws -> Keys {
        let found = try await google.ask(
            "GET", .init(place, ending: ".json"), query: [("shallow", "true")],
            permission: Self.reading, limit: 16 << 20
        ).json(from: google.system)
        // Two keys that Unicode treats as equal are two here.
        if let members = found.members { return .all(members.map(\.name)) }
        return found.isNull ? .all([]) : .singleValue
    }

    func sawSomething() { above.sawSomething() }

    /// - Returns: `nil` if there are more than can be read.
    private func entries(at place: [String]) async throws -> Int? {
        let count: Int? =
            switch try await keys(at: place) {
            case .all(let keys): keys.count
            case .singleValue: 1
            case .tooMany: nil
            }
        if count != 0 { sawSomething() }
        return count
    }

    private func isListed(_ place: [String]) async throws -> Bool {
        guard let key = place.last, place.count > 1 else { return false }
        let quoted = try Self.quoted(key)
        do {
            let found = try await google.value(
                "GET", .init(Array(place.dropLast()), ending: ".json"),
                query: [("orderBy", "\"$key\""), ("equalTo", quoted), ("limitToFirst", "1")],
                permission: Self.reading)
            if found.isNull { return false }
            guard let members = found.members, members.allSatisfy({ $0.name.isByteEqual(to: key) }) else {
                throw ConnectorFault.garbled(google.system, "another person's entries")
            }
            return !members.isEmpty
        } catch let fault as ConnectorFault where fault.isTooLong {
            // The answer about an empty place is short.
            return true
        }
    }

    private static func quoted(_ key: String) throws -> String {
        String(decoding: try JSONEncoder().encode(JSONValue.string(key)), as: UTF8.self)
    }

    /// The longest deletion that the database begins: ten seconds, less than a call may take, or thirty.
    ///
    /// https://firebase.google.com/docs/reference/rest/database#section-param-writesizelimit
    private enum WriteSize: String { case small, medium }

    /// The database aborts a deletion that it expects to take longer; then its children are deleted one by one, and the
    /// place with the last. If they are too many for one list, the database may take longer than the call.
    private func delete(_ place: [String], depth: Int, within size: WriteSize = .small) async throws {
        let reply = try await google.ask(
            "DELETE", .init(place, ending: ".json"), query: [("writeSizeLimit", size.rawValue)],
            answers: [400], permission: Self.permission)
        let answer = try reply.json(from: google.system)
        guard reply.status == 400 else {
            guard answer.isNull else { throw ConnectorFault.garbled(google.system, "no answer to a deletion") }
            return
        }
        guard case .unsupported = google.outcome(of: reply) else {
            throw google.fault(of: reply, needs: Self.permission)
        }
        switch try await keys(at: place) {
        case .all(let keys) where depth < Self.depth && !keys.isEmpty:
            try await oneByOne(keys) { try await delete(place + [$0], depth: depth + 1) }
        case .tooMany where size == .small: try await delete(place, depth: depth, within: .medium)
        default: throw google.fault(of: reply, needs: Self.permission)
        }
    }
}
