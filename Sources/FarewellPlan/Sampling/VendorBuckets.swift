// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every bucket of files that a vendor's project has is a system of the plan: in any other, files of users would stay.
package struct VendorBuckets {
    private let plan: Plan
    private let files: VendorProfile.Files?
    private let statement: SQLStatement?

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        files = plan.vendors.compactMap { VendorProfile.named($0.vendor)?.files }.first
        statement = files.flatMap { $0.bucketNames(SchemaMap(schema)) }
    }

    /// Reads the names of the buckets, and no other row.
    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard let files, let statement else { return [] }
        let names = try await connection.run(statement).rows.compactMap { $0.first?.text }
        let planned = Set(plan.systems.filter { $0.kind == files.system }.compactMap { $0.settings["bucket"] })
        return names.filter { !planned.contains($0) }.map { name in
            let bucket = Shown.name(name)
            return Finding(
                "vendor.bucket", .error, table: files.buckets,
                "The plan has no system for the bucket \(bucket): the subject's files there would not be erased.",
                remedy:
                    "Add a system of the kind \(files.system) with `bucket: \(Shown.line(name, limit: 120))`, as for "
                    + "the other buckets; `farewell init --plan other.yaml` drafts it.")
        }
    }
}
