// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// A plan held against the live schema and made into statements: what a run works from.
package struct PreparedPlan: Sendable {
    package let plan: Plan
    /// The plan as its file says it, without what follows from the profiles of vendors.
    private let written: Plan
    package let schema: Schema
    /// What the database is told about several people at once.
    package let program: RowProgram
    /// The same about one person.
    package let programForOne: RowProgram
    package let planFingerprint: String
    package let schemaFingerprint: String
    /// The cheap sign by which a later step sees that the schema is still this one.
    package private(set) var stamp: SQLValue
    private let guardedTables: [String]
    private let keyEffects: KeyEffects
    private let keyEffectsForOne: KeyEffects
    /// How the database counts what a transaction changes; `nil` where nobody asked it.
    var counters: ChangeCounters?
    /// Whether one row may be of several people.
    let hasSharedRows: Bool
    /// Where the session authority's own triggers add rows.
    let revocationFeed: TableName?

    /// How many small accounts share one transaction where nobody says. Of two large groups of people who write to each
    /// other hardly any two can be had side by side: somebody's row is always of both.
    func groupSize(sideBySide: Bool) -> Int { sideBySide && program.graph.hasRowsOfTwo ? 10 : 50 }

    /// Whether rows of the subject's own table may be of several people.
    var hasLinkedRoot: Bool {
        let root = program.graph.nodes[program.graph.root]
        return !root.links.isEmpty || root.losesLinks
    }

    /// Reads the schema and refuses a plan that does not account for all of it.
    ///
    /// - Throws: `plan.unaccounted` naming the first findings; nothing was written.
    package static func prepare(_ plan: Plan, on database: any SQLDatabase) async throws -> PreparedPlan {
        let dialect = database.dialect
        let (stamp, schema) = try await database.withConnection { connection in
            let stamp = try await connection.run(SchemaStamp(dialect: dialect).read).scalar ?? .null
            return (stamp, try await Schema.read(from: connection))
        }
        return try await prepare(plan, in: schema, stamp: stamp, on: database)
    }

    /// The same in a schema that was read before.
    static func prepare(
        _ plan: Plan, in schema: Schema, stamp: SQLValue, on database: any SQLDatabase
    ) async throws -> PreparedPlan {
        let fingerprint = plan.fingerprint(of: schema)
        try refuse(try await PlanCheck.findings(plan, schema, fingerprint: fingerprint, on: database))
        var prepared = try PreparedPlan(
            plan: plan, schema: schema, planFingerprint: PlanFingerprint.of(plan),
            schemaFingerprint: fingerprint, stamp: stamp)
        prepared.counters = try await database.withConnection { try await ChangeCounters.prepared(for: schema, on: $0) }
        return prepared
    }

    package init(
        plan: Plan, schema: Schema, planFingerprint: String, schemaFingerprint: String, stamp: SQLValue
    ) throws {
        written = plan
        let plan = plan.completed(in: schema)
        let graph = try RowGraph(plan: plan, schema: schema)
        self.plan = plan
        self.schema = schema
        self.program = try RowProgram(graph: graph, identifiers: plan.subject.identifiers, names: plan.namingColumns)
        self.programForOne = try RowProgram(
            graph: graph.aboutOne, identifiers: plan.subject.identifiers, names: plan.namingColumns)
        self.planFingerprint = planFingerprint
        self.schemaFingerprint = schemaFingerprint
        self.stamp = stamp
        let build = RowStatementBuilder(dialect: graph.dialect)
        self.guardedTables = graph.nodes.map { build.quoted($0.table.name) }
        self.hasSharedRows = graph.hasSharedRows
        self.revocationFeed = schema.revocationFeed
        self.keyEffects = KeyEffects(graph: graph, schema: schema)
        self.keyEffectsForOne = KeyEffects(graph: graph.aboutOne, schema: schema)
    }

    /// Whether the database counts what a transaction changes, so that it can be compared.
    var isWatching: Bool { counters?.isCounting == true }

    /// Citus: whether only the statements tell how many rows they changed. The coordinator neither counts rows of other
    /// servers nor those that a key of the database takes along there.
    var countsByStatements: Bool { program.graph.isDistributed }

    /// What the database's keys change when rows of so many people at once go.
    func keyEffects(for people: Int) -> KeyEffects { people == 1 ? keyEffectsForOne : keyEffects }

    /// The program whose statements take so many people at once.
    package func program(for people: Int) -> RowProgram { people == 1 ? programForOne : program }

    /// Whether the database checks some of its keys only when a transaction ends, if told so.
    var hasDeferrableKeys: Bool { schema.tables.contains { $0.foreignKeys.contains(where: \.isDeferrable) } }

    /// Has what the database would check or fire only when the transaction ends done now.
    func checkedKeys(_ control: ControlStore) -> [SQLStatement] {
        let mayWait = hasDeferrableKeys || schema.tables.contains { !$0.triggers.isEmpty }
        return mayWait ? [control.checkKeys] : []
    }

    /// What a transaction begins with: keys are checked when it ends, and the schema is still the one of the plan.
    func guards(_ control: ControlStore) -> [SQLStatement] {
        (schema.dialect.defersEveryKey || hasDeferrableKeys ? [control.deferKeys] : []) + [schemaGuard]
    }

    /// Fails unless the schema is still the one of the plan.
    var schemaGuard: SQLStatement {
        // A query that names tables of other servers would be sent to them.
        SchemaStamp(dialect: schema.dialect).guardUnchanged(stamp, over: schema.isDistributed ? [] : guardedTables)
    }

    /// The same, with the stamp of now, when the schema is still the same in all that matters: an `ANALYZE`
    /// or a new partition changes the stamp only. `nil` when it is another schema.
    func restamped(on database: any SQLDatabase) async throws -> PreparedPlan? {
        try await database.withConnection { connection in
            let now = try await connection.run(SchemaStamp(dialect: database.dialect).read).scalar ?? .null
            if now == stamp { return self }
            let schema = try await Schema.read(from: connection)
            guard written.fingerprint(of: schema) == schemaFingerprint else { return nil }
            var renewed = self
            renewed.stamp = now
            // What a vendor changed in its own tables may lead to rows that go with others.
            if !written.vendors.isEmpty || schema.hasExtensionTables, schema != self.schema {
                renewed = try PreparedPlan(
                    plan: written, schema: schema, planFingerprint: planFingerprint,
                    schemaFingerprint: schemaFingerprint, stamp: now)
                renewed.counters = counters
            }
            // There may be another partition.
            if counters != nil { renewed.counters = try await ChangeCounters.prepared(for: schema, on: connection) }
            return renewed
        }
    }

    /// Whether an erasure began under this schema. Those that began before fingerprints had today's form recorded the
    /// earlier one.
    func isOf(schemaFingerprint fingerprint: String) -> Bool {
        fingerprint == schemaFingerprint || fingerprint == schema.earlierFingerprint
    }

    /// Whether the schema is still the one the plan was held against, as `connection` sees it.
    func isCurrent(on connection: any SQLConnection) async throws -> Bool {
        let stamp = try await connection.run(SchemaStamp(dialect: schema.dialect).read).scalar
        if stamp == self.stamp { return true }
        return written.fingerprint(of: try await Schema.read(from: connection)) == schemaFingerprint
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
