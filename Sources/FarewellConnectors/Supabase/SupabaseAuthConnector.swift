// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Supabase Auth, or whatever speaks its contract: the user deleted by an operator.
///
/// Settings: `endpoint` (up to and without `/admin`), `delete` (`hard` or `soft`); secrets: `key` (service role).
public struct SupabaseAuthConnector: Connector {
    private let rest: RESTCaller
    private let isSoft: Bool
    public let declaration = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: auth admin"],
        remarks: [
            ReceiptNote(
                about: "access tokens",
                note: "An access token stays good until it expires, where a service checks only its signature.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["endpoint", "delete"], secrets: ["key"])
        isSoft = try settings.word("delete", of: ["hard", "soft"]) == "soft"
        rest = try .supabase(settings, budget: declaration.budget, world: world)
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names where try await isThere(name) { count += 1 }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        for name in request.names {
            let reply = try await rest.ask(
                "DELETE", "/admin/users/\(try rest.part(name))",
                .json(.object(["should_soft_delete": .boolean(isSoft)])), key: "\(request.key)/\(name)",
                answers: [404, 500], permission: "service_role: auth admin")
            switch reply.status {
            case 404: try requireUserMissing(reply)
            case 500: throw try whatWentWrong(reply)
            default:
                _ = try reply.json(from: rest.system)
                erased += 1
            }
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        let left = try await count(request) ?? 0
        return left == 0 ? .gone : .left(left)
    }

    private func isThere(_ user: String) async throws -> Bool {
        let reply = try await rest.ask(
            "GET", "/admin/users/\(try rest.part(user))", answers: [404], permission: "service_role: auth admin")
        guard reply.status == 200 else {
            try requireUserMissing(reply)
            return false
        }
        let found = try reply.json(from: rest.system)
        guard found["id"]?.string?.lowercased() == user.lowercased() else {
            throw ConnectorFault.garbled(rest.system, "no user")
        }
        // Softly deleted, a user is kept under nobody's name.
        return !(isSoft && found["deleted_at"]?.string?.isEmpty == false)
    }

    /// It answers 500 where rows of the app hold on to the user, which does not pass by itself: a key's constraint, as
    /// a rule that of `storage.objects` or of a table of profiles.
    private func whatWentWrong(_ reply: SystemReply) throws -> ConnectorFault {
        let message = try reply.json(from: rest.system)["msg"]?.string ?? ""
        guard message.hasPrefix("Database error deleting user") else {
            return .passing(rest.system, "status 500")
        }
        return .refused(
            rest.system, "a constraint of its database fails, for rows still refer to the user",
            remedy: "Erase those rows first, or give their keys ON DELETE CASCADE; then release the erasure.")
    }

    private func requireUserMissing(_ reply: SystemReply) throws {
        let answer = try reply.json(from: rest.system)
        guard (answer["error_code"] ?? answer["code"])?.string == "user_not_found" else {
            throw ConnectorFault.garbled(rest.system, "a 404 of something else")
        }
    }
}

/// Supabase Storage by its API, in pages: rows of `storage.objects` deleted by SQL would leave the files.
///
/// Settings: `endpoint` (up to and without `/object`), `bucket`, `prefix` (`users/{person}/`); secrets: `key`.
public struct SupabaseStorageConnector: Connector {
    private let rest: RESTCaller
    private let bucket: String
    private let prefix: (before: String, after: String)
    public let declaration = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: storage objects list, delete"])
    private static let page = 1_000

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["endpoint", "bucket", "prefix"], secrets: ["key"])
        bucket = try settings.required("bucket")
        prefix = try settings.prefix()
        rest = try .supabase(settings, budget: declaration.budget, world: world)
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names { count += try await files(below: try folder(of: name)).count }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        for name in request.names {
            let files = try await files(below: try folder(of: name))
            for start in stride(from: 0, to: files.count, by: Self.page) {
                let some = files[start..<min(start + Self.page, files.count)].map(JSONValue.string)
                let reply = try await rest.ask(
                    "DELETE", "/object/\(try rest.part(bucket))", .json(.object(["prefixes": .array(some)])),
                    key: "\(request.key)/\(start)", permission: "service_role: storage objects delete")
                guard let gone = try reply.json(from: rest.system).array else {
                    throw ConnectorFault.garbled(rest.system, "no list of what was deleted")
                }
                erased += gone.count
            }
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        let left = try await count(request) ?? 0
        return left == 0 ? .gone : .left(left)
    }

    private func folder(of name: String) throws -> String {
        (prefix.before + (try rest.part(name)) + prefix.after).split(separator: "/").joined(separator: "/")
    }

    /// Every file below a folder: an entry without an identifier is a folder of its own.
    private func files(below folder: String, depth: Int = 0) async throws -> [String] {
        guard depth < 32 else { throw ConnectorFault.refused(rest.system, "its folders are too deep") }
        var files: [String] = []
        var offset = 0
        while true {
            let reply = try await rest.ask(
                "POST", "/object/list/\(try rest.part(bucket))",
                .json(
                    .object([
                        "prefix": .string(folder), "limit": .integer(Int64(Self.page)),
                        "offset": .integer(Int64(offset)),
                        "sortBy": .object(["column": .string("name"), "order": .string("asc")]),
                    ])), permission: "service_role: storage objects list")
            guard let entries = try reply.json(from: rest.system).array else {
                throw ConnectorFault.garbled(rest.system, "no list")
            }
            for entry in entries {
                guard let name = entry["name"]?.string, !name.isEmpty, let id = entry["id"] else {
                    throw ConnectorFault.garbled(rest.system, "an entry without a name")
                }
                let path = "\(folder)/\(name)"
                if id == .null {
                    files += try await self.files(below: path, depth: depth + 1)
                } else {
                    files.append(path)
                }
            }
            guard entries.count == Self.page else { return files }
            offset += entries.count
        }
    }
}

extension RESTCaller {
    fileprivate static func supabase(_ settings: SystemSettings, budget: RateBudget, world: ConnectorWorld) throws
        -> RESTCaller
    {
        let secrets = SystemSecrets(settings.system, world: world)
        let address = try SystemAddress(try settings.required("endpoint"), system: settings.system.name)
        return RESTCaller(settings.system.name, at: address, budget: budget, world: world) {
            let key = try secrets.required("key")
            return [("Authorization", "Bearer \(key)"), ("apikey", key)]
        }
    }
}
