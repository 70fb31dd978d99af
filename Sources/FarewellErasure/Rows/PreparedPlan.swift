// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// A plan compared with the live schema and compiled into statements: the basis of a run.
package struct PreparedPlan: Sendable {
    private let compiled: CompiledPlan
    /// The cheap sign by which a later step sees that the schema is still this one.
    package private(set) var stamp: SQLValue
    /// The database's counters of a transaction's changes; `nil` if they are not used.
    var counters: ChangeCounters?

    package var plan: Plan { compiled.plan }
    /// The plan as its file says it, without what follows from the profiles of vendors.
    var written: Plan { compiled.written }
    package var schema: Schema { compiled.schema }
    /// The columns that name a subject beside the plan's identifiers.
    var implied: ImpliedIdentifiers { compiled.implied }
    /// The statements for several subjects at once.
    package var program: RowProgram { compiled.program }
    /// The same about one subject.
    package var programForOne: RowProgram { compiled.programForOne }
    package var planFingerprint: String { compiled.planFingerprint }
    package var schemaFingerprint: String { compiled.schemaFingerprint }
    /// Whether one row may belong to several subjects.
    var hasSharedRows: Bool { compiled.hasSharedRows }
    /// Where the session authority's own triggers add rows.
    var revocationFeed: TableName? { compiled.revocationFeed }
    /// The table each of whose deleted rows adds at most one there; `nil` if that is not known.
    var publishedTable: TableName? { compiled.publishedTable }
    /// The vendors' tables in which rows of a subject may stay: the facts do not know them.
    var unsearched: [UnsearchedPlace] { compiled.unsearched.map(\.place) }
    /// The materialised views that may keep copies of erased rows; only a deep scan reads them.
    var copyingViews: [UnsearchedPlace] { compiled.copyingViews }
    /// The vendor's buckets, where the role sees their list.
    var buckets: VendorBuckets? { compiled.buckets }

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
        prepared.counters = try await database.withConnection {
            try await ChangeCounters.prepared(for: schema, truncated: schema.truncated, on: $0)
        }
        return prepared
    }

    package init(
        plan: Plan, schema: Schema, planFingerprint: String, schemaFingerprint: String, stamp: SQLValue
    ) throws {
        compiled = try CompiledPlan(
            plan, in: schema, planFingerprint: planFingerprint, schemaFingerprint: schemaFingerprint)
        self.stamp = stamp
    }

    /// Whether the database counts what a transaction changes, so that it can be compared.
    var isWatching: Bool { counters?.isCounting == true }

    /// Citus: whether only the statements report how many rows they changed. The coordinator counts neither rows on
    /// other servers nor rows deleted there by a key of the database.
    var countsByStatements: Bool { program.graph.isDistributed }

    /// The changes by the database's keys when rows of this many subjects are deleted at once.
    func keyEffects(for people: Int) -> KeyEffects { people == 1 ? compiled.keyEffectsForOne : compiled.keyEffects }

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
    func guards(_ control: ControlStore) -> [SQLStatement] { deferringKeys(control) + [schemaGuard] }

    /// Has keys checked at the end of the transaction.
    func deferringKeys(_ control: ControlStore) -> [SQLStatement] {
        schema.dialect.defersEveryKey || hasDeferrableKeys ? [control.deferKeys] : []
    }

    /// Fails unless the schema is still the one of the plan.
    var schemaGuard: SQLStatement {
        // A query that names tables of other servers would be sent to them.
        let tables = schema.isDistributed ? [] : compiled.guardedTables
        return SchemaStamp(dialect: schema.dialect).guardUnchanged(stamp, over: tables)
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
            if written.isCompleted(in: schema), schema != self.schema {
                renewed = try PreparedPlan(
                    plan: written, schema: schema, planFingerprint: planFingerprint,
                    schemaFingerprint: schemaFingerprint, stamp: now)
                renewed.counters = counters
            }
            // There may be another partition.
            if counters != nil {
                renewed.counters = try await ChangeCounters.prepared(
                    for: schema, truncated: schema.truncated, on: connection)
            }
            return renewed
        }
    }

    /// Whether an erasure began under this schema. Those that began before fingerprints had today's form recorded an
    /// earlier one.
    func isOf(schemaFingerprint fingerprint: String) -> Bool {
        fingerprint == schemaFingerprint || fingerprint == schema.earlierFingerprint
            || written.fingerprint(of: schema, recorded: fingerprint) == fingerprint
    }

    /// Whether the schema is still the one that the plan was compared with, as `connection` sees it.
    func isCurrent(on connection: any SQLConnection) async throws -> Bool {
        let stamp = try await connection.run(SchemaStamp(dialect: schema.dialect).read).scalar
        if stamp == self.stamp { return true }
        return written.fingerprint(of: try await Schema.read(from: connection)) == schemaFingerprint
    }

    /// Refuses a bucket that no system of the plan empties, or can empty because it keeps versions: the subject's files
    /// there would stay. Neither changes the schema, so the search for it runs while erasures run.
    ///
    /// - Throws: `plan.unaccounted`.
    func requireBuckets(in database: any SQLDatabase) async throws {
        guard let buckets else { return }
        let listed = try await database.withConnection { try await buckets.listed(on: $0) } ?? .init()
        try Self.refuse(buckets.findings(in: listed))
    }

    /// Whether every bucket has a system that can empty it.
    func hasAllBuckets(in database: any SQLDatabase) async throws -> Bool {
        guard let buckets else { return true }
        let listed = try await database.withConnection { try await buckets.listed(on: $0) } ?? .init()
        return buckets.findings(in: listed).isEmpty
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
