// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A plan held against the live schema and made into statements: what a run works from.
package struct PreparedPlan: Sendable {
    package let plan: Plan
    package let schema: Schema
    package let program: RowProgram
    package let planFingerprint: String
    package let schemaFingerprint: String
    /// The cheap sign by which a later step sees that the schema is still this one.
    package let stamp: SQLValue

    /// Reads the schema and refuses a plan that does not account for all of it.
    ///
    /// - Throws: `plan.unaccounted` naming the first findings; nothing was written.
    package static func prepare(_ plan: Plan, on database: any SQLDatabase) async throws -> PreparedPlan {
        let dialect = database.dialect
        let (stamp, schema) = try await database.withConnection { connection in
            let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar ?? .null
            return (stamp, try await Schema.read(from: connection))
        }
        try refuse(PlanCheck.findings(plan, schema, fingerprint: schema.fingerprint))
        let graph = try RowGraph(plan: plan, schema: schema)
        return PreparedPlan(
            plan: plan, schema: schema,
            program: try RowProgram(graph: graph, identifiers: plan.subject.identifiers, folders: plan.folders),
            planFingerprint: PlanFingerprint.of(plan), schemaFingerprint: schema.fingerprint, stamp: stamp)
    }

    /// The same, with the stamp of now, when the schema is still the same in all that matters: an `ANALYZE`
    /// or a new partition changes the stamp only. `nil` when it is another schema.
    func restamped(on database: any SQLDatabase) async throws -> PreparedPlan? {
        let (stamp, schema) = try await database.withConnection { connection in
            let stamp = try await connection.run(SchemaStamp(dialect: database.dialect).read).scalar ?? .null
            return (stamp, try await Schema.read(from: connection))
        }
        guard schema.fingerprint == schemaFingerprint else { return nil }
        return PreparedPlan(
            plan: plan, schema: self.schema, program: program, planFingerprint: planFingerprint,
            schemaFingerprint: schemaFingerprint, stamp: stamp)
    }

    /// Whether the schema is still the one the plan was held against, as `connection` sees it.
    func isCurrent(on connection: any SQLConnection) async throws -> Bool {
        let stamp = try await connection.run(SchemaStamp(dialect: schema.dialect).read).scalar
        if stamp == self.stamp { return true }
        return try await Schema.read(from: connection).fingerprint == schemaFingerprint
    }

    private static func refuse(_ findings: [Finding]) throws {
        let errors = findings.filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        throw FarewellError(
            "plan.unaccounted", .yoursToFix,
            "The plan does not fit the database. \(first.place): \(first.message)\(more)",
            remedy: "Run farewell check for all findings and their remedies.")
    }
}
