// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// A plan compared with the live schema and compiled into statements: the basis of a run.
package struct PreparedPlan: Sendable {
    package let plan: Plan
    /// The plan as its file says it, without what follows from the profiles of vendors.
    let written: Plan
    package let schema: Schema
    /// What names a subject beside the plan's identifiers.
    let implied: ImpliedIdentifiers
    /// The statements for several subjects at once.
    package let program: RowProgram
    /// The same about one subject.
    package let programForOne: RowProgram
    package let planFingerprint: String
    package let schemaFingerprint: String
    /// The cheap sign by which a later step sees that the schema is still this one.
    package private(set) var stamp: SQLValue
    private let guardedTables: [String]
    private let keyEffects: KeyEffects
    private let keyEffectsForOne: KeyEffects
    /// The database's counters of a transaction's changes; `nil` if they are not used.
    var counters: ChangeCounters?
    /// Whether one row may belong to several subjects.
    let hasSharedRows: Bool
    /// Where the session authority's own triggers add rows.
    let revocationFeed: TableName?
    /// The table each of whose deleted rows adds at most one there; `nil` if that is not known.
    let publishedTable: TableName?
    /// The vendor's buckets, where the role sees their list.
    let buckets: VendorBuckets?

    /// The default number of small accounts in one transaction. If users write to each other, two large groups can
    /// hardly be erased concurrently: some row always belongs to both.
    func groupSize(sideBySide: Bool) -> Int { sideBySide && program.graph.hasRowsOfTwo ? 10 : 50 }

    /// Whether rows of the subject's own table may belong to several subjects.
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
        let findings = try await PlanCheck.findings(
            plan, schema, fingerprint: fingerprint, readingKeys: false, on: database)
        try refuse(findings)
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
        let implied = ImpliedIdentifiers(plan, schema)
        self.implied = implied
        let identifiers = implied.read(beside: plan.subject.identifiers)
        self.program = try RowProgram(graph: graph, identifiers: identifiers, names: plan.namingColumns)
        self.programForOne = try RowProgram(
            graph: graph.aboutOne, identifiers: identifiers, names: plan.namingColumns)
        self.planFingerprint = planFingerprint
        self.schemaFingerprint = schemaFingerprint
        self.stamp = stamp
        let build = RowStatementBuilder(dialect: graph.dialect)
        self.guardedTables = graph.nodes.map { build.quoted($0.table.name) }
        self.hasSharedRows = graph.hasSharedRows
        self.revocationFeed = schema.revocationFeed
        self.publishedTable = AuthorityDeletionTrigger.publishedTable(in: schema)
        self.buckets = Optional(VendorBuckets(written, schema)).flatMap { $0.hasList ? $0 : nil }
        self.keyEffects = KeyEffects(graph: graph, schema: schema)
        self.keyEffectsForOne = KeyEffects(graph: graph.aboutOne, schema: schema)
    }

    /// Whether the database counts what a transaction changes, so that it can be compared.
    var isWatching: Bool { counters?.isCounting == true }

    /// Citus: whether only the statements report how many rows they changed. The coordinator counts neither rows on
    /// other servers nor rows deleted there by a key of the database.
    var countsByStatements: Bool { program.graph.isDistributed }

    /// The changes by the database's keys when rows of this many subjects are deleted at once.
    func keyEffects(for people: Int) -> KeyEffects { people == 1 ? keyEffectsForOne : keyEffects }

    /// The program whose statements take this many subjects at once.
    package func program(for people: Int) -> RowProgram { people == 1 ? programForOne : program }

    /// Whether the database can defer the check of some of its keys to the end of a transaction.
    var hasDeferrableKeys: Bool { schema.tables.contains { $0.foreignKeys.contains(where: \.isDeferrable) } }

    /// Has what the database would check or fire only when the transaction ends done now.
    func checkedKeys(_ control: ControlStore) -> [SQLStatement] {
        let mayWait = hasDeferrableKeys || schema.tables.contains { !$0.triggers.isEmpty }
        return mayWait ? [control.checkKeys] : []
    }

    /// The beginning of a transaction: keys are checked at its end, and the schema is still the plan's.
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
            // A vendor's change of its own tables may let the database delete further rows.
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

    /// Whether the schema is still the one that the plan was compared with, as `connection` sees it.
    func isCurrent(on connection: any SQLConnection) async throws -> Bool {
        let stamp = try await connection.run(SchemaStamp(dialect: schema.dialect).read).scalar
        if stamp == self.stamp { return true }
        return written.fingerprint(of: try await Schema.read(from: connection)) == schemaFingerprint
    }

    /// Refuses a bucket that no system of the plan empties: the subject's files there would stay. A new bucket changes
    /// no schema, so the search for it runs while erasures run.
    ///
    /// - Throws: `plan.unaccounted`.
    func requireBuckets(in database: any SQLDatabase) async throws {
        guard let buckets else { return }
        let names = try await database.withConnection { try await buckets.listed(on: $0) } ?? []
        try Self.refuse(buckets.findings(in: names))
    }

    /// Whether every bucket has a system.
    func hasAllBuckets(in database: any SQLDatabase) async throws -> Bool {
        guard let buckets else { return true }
        let names = try await database.withConnection { try await buckets.listed(on: $0) } ?? []
        return buckets.findings(in: names).isEmpty
    }

    private static func refuse(_ findings: [Finding]) throws {
        let errors = findings.filter { $0.severity == .error }
        // That the schema is another one follows from the tables, where they are known.
        guard let first = errors.first(where: { $0.table != nil }) ?? errors.first else { return }
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        throw FarewellError(
            "plan.unaccounted", .yoursToFix,
            "The plan does not fit the database. \(first.sentence)\(more)",
            remedy: "Run farewell check for all findings and their remedies.")
    }
}
