// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The facts about a vendor's project that a draft needs besides the schema.
public struct VendorSurroundings: Sendable, Hashable {
    /// The project's address, without a slash at its end: `https://abc.supabase.co`.
    public var address: String?
    /// The project's buckets of files, in name order; `nil` if they could not be read.
    public var buckets: [String]?

    public init(address: String? = nil, buckets: [String]? = nil) {
        self.address = address
        self.buckets = buckets
    }

    /// Reads only the names of buckets; if these cannot be read, the names of buckets in the list of files.
    public static func read(
        _ schema: Schema, address: String?, on database: any SQLDatabase
    ) async throws -> VendorSurroundings {
        let map = SchemaMap(schema)
        guard let files = VendorProfile.found(in: map).compactMap(\.profile.files).first else {
            return VendorSurroundings(address: address)
        }
        let names = try await database.withConnection { try await files.names(map, on: $0) }
        return VendorSurroundings(address: address, buckets: names)
    }

    /// The project of a database at the vendor's own hosts: `db.REF.supabase.co`, or a pooler's user `postgres.REF`.
    ///
    /// - Parameter database: An address with user and host.
    public static func address(ofDatabase database: String) -> String? {
        guard let start = database.range(of: "://")?.upperBound else { return nil }
        let authority = database[start...].prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard let host = parts.last?.split(separator: ":").first?.lowercased() else { return nil }
        let labels = host.split(separator: ".")
        if labels.count == 4, labels[0] == "db", labels[2...].elementsEqual(["supabase", "co"]) {
            return project(String(labels[1]))
        }
        guard parts.count == 2, labels.suffix(3).elementsEqual(["pooler", "supabase", "com"]),
            let user = parts[0].split(separator: ":").first, let dot = user.lastIndex(of: ".")
        else { return nil }
        return project(String(user[user.index(after: dot)...]))
    }

    private static func project(_ reference: String) -> String? {
        guard !reference.isEmpty, reference.utf8.allSatisfy({ $0.isASCIISmallLetter || $0.isASCIIDigit })
        else {
            return nil
        }
        return "https://\(reference).supabase.co"
    }
}

extension VendorProfile.Files {
    /// The names of the buckets; where none can be read, of those that the files are in. `nil` if neither can be read.
    func names(_ map: SchemaMap, on connection: any SQLConnection) async throws -> [String]? {
        var names: [String]?
        for statement in [bucketNames(map), usedBuckets(map)].compactMap(\.self) where names?.isEmpty ?? true {
            names = try await connection.run(statement).rows.compactMap { $0.first?.text }
        }
        return names
    }

    private func usedBuckets(_ map: SchemaMap) -> SQLStatement? {
        guard let table = readable(map), table[bucket] != nil else { return nil }
        let dialect = map.schema.dialect
        return SQLStatement(
            "SELECT DISTINCT \(dialect.quoted(bucket)) FROM \(dialect.qualified(table.name)) ORDER BY 1")
    }

    /// Asks whether there is any file; `nil` if the role does not see them all.
    func hasFiles(_ map: SchemaMap) -> SQLStatement? {
        readable(map).map { table in
            SQLStatement(
                "SELECT count(*) FROM (SELECT 1 FROM \(map.schema.dialect.qualified(table.name)) LIMIT 1) AS found")
        }
    }

    private func readable(_ map: SchemaMap) -> SchemaTable? {
        map[table].flatMap { $0.isReadable && !$0.rowSecurity.appliesToRole ? $0 : nil }
    }

    /// The names of the buckets that keep, or once kept, earlier versions of files; `nil` if the role does not see them
    /// all, and where the vendor has no versions.
    func versionedBuckets(_ map: SchemaMap) -> SQLStatement? {
        guard let table = map[buckets], table.isReadable, !table.rowSecurity.appliesToRole, table["id"] != nil,
            table[versions] != nil
        else { return nil }
        let dialect = map.schema.dialect
        let status = "CAST(\(dialect.quoted(versions)) AS text)"
        return SQLStatement(
            "SELECT id FROM \(dialect.qualified(table.name)) WHERE \(status) <> 'DISABLED' ORDER BY 1")
    }

    /// The names of the buckets that hold files; `nil` if the role does not see them all.
    func bucketNames(_ map: SchemaMap) -> SQLStatement? {
        guard let table = map[buckets], table.isReadable, !table.rowSecurity.appliesToRole, table["id"] != nil else {
            return nil
        }
        let dialect = map.schema.dialect
        let name = dialect.qualified(buckets)
        // Buckets of tables and of vectors hold no files of users.
        let files = table["type"] == nil ? "" : " WHERE CAST(type AS text) = 'STANDARD'"
        return SQLStatement("SELECT id FROM \(name)\(files) ORDER BY 1")
    }
}
