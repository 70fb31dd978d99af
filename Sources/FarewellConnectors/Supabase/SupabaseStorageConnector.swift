// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Supabase Storage by its API, in pages: rows of `storage.objects` deleted by SQL would leave the files.
///
/// Settings: `endpoint` (up to and without `/object`), `bucket`, `prefix` (`users/{person}/`); secrets: `key`.
public struct SupabaseStorageConnector: Connector {
    private let rest: RESTCaller
    private let bucket: String
    private let prefix: (before: String, after: String)
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: storage objects list, delete"])
    private static let page = 1_000

    /// - Throws: `plan.system` when the plan does not say what it must, or the prefix could reach a neighbour.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["endpoint", "bucket", "prefix"], secrets: ["key"])
        declaration = try settings.paced(Self.usual)
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
        ConnectorReading(left: try await count(request) ?? 0)
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
