// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Firebase Realtime Database: everything below the person's path.
///
/// What is too large to be deleted at once is deleted child by child, so that other people's writes need not wait.
/// Settings: `endpoint` (the database's address), `path` (`users/{person}`, `users/{person}/notes`); secrets:
/// `service_account`.
public struct RealtimeDatabaseConnector: Connector {
    private let google: GoogleCaller
    private let path: (before: [String], after: [String])
    public let declaration: ConnectorDeclaration
    /// The database's own limit.
    private static let depth = 32
    private static let permission = "firebasedatabase.instances.update"

    /// - Throws: `plan.system` when the plan does not say what it must, or the path could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["path", "endpoint"], secrets: GoogleCaller.secrets)
        path = try settings.path()
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
                permissions: ["firebasedatabase.instances.get", Self.permission],
                remarks: [ReceiptNote(about: system.name, note: "Daily back-ups of the database keep what was there.")])
        )
        google = GoogleCaller(
            settings, at: try SystemAddress(try settings.required("endpoint"), system: system.name),
            scope: "https://www.googleapis.com/auth/firebase.database https://www.googleapis.com/auth/userinfo.email",
            budget: declaration.budget, world: world)
    }

    /// Entries directly below the path: the database counts no deeper.
    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names { count += try await entries(at: try place(of: name)) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        for name in request.names {
            let place = try place(of: name)
            let there = try await entries(at: place)
            guard there > 0 else { continue }
            try await delete(place, depth: place.count)
            erased += there
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    /// Asked for by its path, and then by its key among its siblings: both have to say that it is not there.
    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        var left = 0
        for name in request.names {
            let place = try place(of: name)
            left += try await entries(at: place)
            if left == 0, try await isListed(place) { left = 1 }
        }
        return left == 0 ? .gone : .left(left)
    }

    /// No key of the database has any of these characters, so that the person is not meant.
    private func place(of name: String) throws -> [String] {
        guard !name.contains(where: { ".#$[]/".contains($0) }), name.utf8.count <= 768,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw ConnectorFault.refused(google.system, "what names the person there cannot be a key of it") }
        return path.before + [name] + path.after
    }

    /// The keys below a place; `nil` where a single value stands there, and none where nothing does.
    private func keys(at place: [String]) async throws -> [String]? {
        let found = try await google.ask(
            "GET", .init(place, ending: ".json"), query: [("shallow", "true")],
            permission: "firebasedatabase.instances.get", limit: 16 << 20
        ).json(from: google.system)
        switch found {
        case .null: return []
        case .object(let members): return members.keys.sorted()
        default: return nil
        }
    }

    private func entries(at place: [String]) async throws -> Int { try await keys(at: place)?.count ?? 1 }

    private func isListed(_ place: [String]) async throws -> Bool {
        guard let key = place.last, place.count > 1 else { return false }
        let quoted = String(decoding: try JSONEncoder().encode(JSONValue.string(key)), as: UTF8.self)
        let found = try await google.value(
            "GET", .init(Array(place.dropLast()), ending: ".json"),
            query: [("orderBy", "\"$key\""), ("equalTo", quoted), ("limitToFirst", "1")],
            permission: "firebasedatabase.instances.get")
        if found == .null { return false }
        guard let members = found.object, members.keys.allSatisfy({ $0 == key }) else {
            throw ConnectorFault.garbled(google.system, "entries of somebody else")
        }
        return !members.isEmpty
    }

    /// Told to give up where it would take long; then its children go, one by one, and it goes with the last.
    private func delete(_ place: [String], depth: Int) async throws {
        let reply = try await google.ask(
            "DELETE", .init(place, ending: ".json"), query: [("writeSizeLimit", "medium")], answers: [400],
            permission: Self.permission)
        let answer = try reply.json(from: google.system)
        guard reply.status == 400 else {
            guard answer == .null else { throw ConnectorFault.garbled(google.system, "no answer to a deletion") }
            return
        }
        guard depth < Self.depth, let keys = try await keys(at: place), !keys.isEmpty else {
            throw ConnectorFault.refused(google.system, "status 400")
        }
        for key in keys { try await delete(place + [key], depth: depth + 1) }
    }
}
