// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// The meaning of a plan in one schema: its statements and facts, none of which changes later.
///
/// A class, because many values contain a prepared plan: copying one of them copies one reference instead of all parts.
final class CompiledPlan: Sendable {
    let plan: Plan
    let written: Plan
    let schema: Schema
    let implied: ImpliedIdentifiers
    let program: RowProgram
    let programForOne: RowProgram
    let planFingerprint: String
    let schemaFingerprint: String
    let guardedTables: [String]
    let keyEffects: KeyEffects
    let keyEffectsForOne: KeyEffects
    let hasSharedRows: Bool
    let revocationFeed: TableName?
    let publishedTable: TableName?
    let buckets: VendorBuckets?
    let unsearched: [UnsearchedTable]
    let copyingViews: [UnsearchedPlace]

    /// - Parameter written: The plan as its file says it.
    /// - Throws: where no statements can be made from it.
    init(_ written: Plan, in schema: Schema, planFingerprint: String, schemaFingerprint: String) throws {
        self.written = written
        let plan = written.completed(in: schema)
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
        let build = RowStatementBuilder(dialect: graph.dialect)
        self.guardedTables = graph.nodes.map { build.quoted($0.table.name) }
        self.hasSharedRows = graph.hasSharedRows
        self.revocationFeed = schema.revocationFeed
        self.publishedTable = AuthorityDeletionTrigger.publishedTable(in: schema)
        self.unsearched = written.unsearched(in: schema)
        self.copyingViews = plan.copyingViews(in: schema)
        self.buckets = Optional(VendorBuckets(written, schema)).flatMap { $0.hasList ? $0 : nil }
        self.keyEffects = KeyEffects(graph: graph, schema: schema)
        self.keyEffectsForOne = KeyEffects(graph: graph.aboutOne, schema: schema)
    }
}
