// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every bucket of files that a vendor's project has is a system of the plan: in any other, files of users would stay.
package struct VendorBuckets: Sendable {
    private let plan: Plan
    private let files: VendorProfile.Files?
    private let map: SchemaMap

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        map = SchemaMap(schema)
        files = plan.vendors.compactMap { VendorProfile.named($0.vendor)?.files }.first
    }

    /// The properties of buckets that decide, and that can change while the schema stays.
    package struct Listed: Sendable, Equatable {
        /// The names of the project's buckets.
        var names: [String] = []
        /// The buckets that keep, or once kept, earlier versions of files.
        var versioned: [String] = []

        package init() {}
    }

    /// The project's buckets, read where the role sees their list: a cheap look for while erasures run. `nil` without a
    /// vendor's files, and where no list can be read.
    package func listed(on connection: any SQLConnection) async throws -> Listed? {
        guard let files, let names = files.bucketNames(map) else { return nil }
        let statements = [names, files.versionedBuckets(map)].compactMap(\.self)
        let found = try await connection.pipeline(statements).map { $0.rows.compactMap { $0.first?.text } }
        var listed = Listed()
        (listed.names, listed.versioned) = (found[0], found.count > 1 ? found[1] : [])
        return listed
    }

    /// Whether `listed` would read anything.
    package var hasList: Bool { files?.bucketNames(map) != nil }

    /// Reads the names of the buckets, and whether there is a file, but nothing else of any row.
    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard let files, map[files.table] != nil || map[files.buckets] != nil else { return [] }
        guard let names = try await files.names(map, on: connection), !names.isEmpty else {
            return try await unaccounted(files, on: connection).map { [$0] } ?? []
        }
        var found = try await listed(on: connection) ?? Listed()
        found.names = names
        return findings(in: found)
    }

    /// An error for each planned bucket that keeps earlier versions of files: deleting a file leaves them.
    private func versioned(_ names: [String], _ files: VendorProfile.Files) -> [Finding] {
        names.filter(isPlanned).map { name in
            Finding(
                "vendor.versions", .error, table: files.buckets, column: files.versions,
                "The bucket \(Shown.name(name)) keeps earlier versions of its files, and deleting a file leaves them.",
                remedy: "Copy its files into a bucket without versioning, delete this bucket with all versions, and "
                    + "name the other bucket in the plan.")
        }
    }

    private func isPlanned(_ bucket: String) -> Bool {
        plan.systems.contains { system in
            system.kind == files?.system && system.settings["bucket"]?.utf8.elementsEqual(bucket.utf8) == true
        }
    }

    /// An error for each bucket that no system of the plan empties, and for each that its system cannot empty.
    package func findings(in listed: Listed) -> [Finding] {
        guard let files else { return [] }
        return listed.names.filter { !isPlanned($0) }.map { name in
            let bucket = Shown.name(name)
            return Finding(
                "vendor.bucket", .error, table: files.buckets,
                "The plan has no system for the bucket \(bucket): the subject's files there would not be erased.",
                remedy:
                    "`farewell init --merge` adds a system of the kind \(files.system) for it. Or write one with "
                    + "`bucket: \(Shown.line(name, limit: 120))`, as for the other buckets.")
        } + versioned(listed.versioned, files)
    }

    /// Files of which the plan says nothing, in buckets whose names are unknown.
    private func unaccounted(_ files: VendorProfile.Files, on connection: any SQLConnection) async throws -> Finding? {
        guard plan[files.table] == nil, map[files.table] != nil,
            !plan.systems.contains(where: { $0.kind == files.system })
        else { return nil }
        let remedy =
            "Add a system of the kind \(files.system) for each bucket, or, if its files belong to no "
            + "user, give the table an entry whose owner columns are not personal, and run `farewell check --accept`."
        guard let statement = files.hasFiles(map) else {
            return Finding(
                "vendor.files", .warning, table: files.table,
                "This role does not see which files and buckets there are, and the plan has no system that deletes "
                    + "files: the subject's files would stay.", remedy: remedy)
        }
        guard try await connection.run(statement).scalar?.integer ?? 0 > 0 else { return nil }
        return Finding(
            "vendor.files", .error, table: files.table,
            "This table lists files, \(owners(files)), and the plan has no system that deletes files: "
                + "the subject's files would stay.", remedy: remedy)
    }

    private func owners(_ files: VendorProfile.Files) -> String {
        let columns = files.owners.filter { map.column(files.table, $0) != nil }
        return columns.isEmpty ? "by their paths" : "with their owners (\(columns.joined(separator: ", ")))"
    }
}
