// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Compares a plan with a live schema and reports every mismatch.
///
/// Pure: it reads no database, and its time grows with the number of tables, columns and keys. `PlanSampling` finds
/// problems that only the rows show (a link under an unsuspicious name).
public enum PlanCheck {
    /// A keyed hash is cut to its column's length, but never below this many characters.
    public static let shortestHash = 16

    /// Every mismatch, errors first, then by place. Empty: a run may start.
    ///
    /// - Parameters:
    ///   - fingerprint: the live schema's; `nil` when it is not to be compared.
    ///   - differences: the changes since the plan's fingerprint, in words, if known.
    public static func findings(
        _ plan: Plan, _ schema: Schema, fingerprint: String? = nil, differences: [String] = []
    ) -> [Finding] {
        let context = CheckContext(plan, schema)
        if let finding = CoverageCheck(context).otherSchema() { return [finding] }
        let findings =
            CoverageCheck(context).findings()
            + FingerprintCheck(plan: plan, schema: schema, fingerprint: fingerprint, differences: differences)
            .findings()
            + QuestionCheck(context).findings() + SettledColumnCheck(context).findings()
            + SubjectCheck(context).findings() + InheritanceCheck(context).findings()
            + AccountCheck(context).findings()
            + FolderCheck(context).findings() + SystemCheck(context).findings()
            + LinkCheck(context).findings()
            + RoadCheck(context).findings()
            + KeyCheck(context).findings() + ChangedKeyCheck(context).findings()
            + DanglingKeyCheck(context).findings()
            + SharedTargetCheck(context).findings() + HalfKeyCheck(context).findings()
            + EmptiedKeyCheck(context).findings()
            + RetentionCheck(context).findings() + RetainedParentCheck(context).findings()
            + ColumnRuleCheck(context).findings() + ExportedColumnCheck(context).findings()
            + SecretColumnCheck(context).findings()
            + ConflictClauseCheck(context).findings() + ExclusionCheck(context).findings()
            + DatabaseCheck(context).findings() + TriggerCheck(context).findings()
            + ReplicaIdentityCheck(context).findings() + CitusCheck(context).findings()
            + IndexCheck(context).findings()
            + EffectCheck(context).findings()
            + SuspicionCheck(context).findings()
        let vendors = VendorCheck(context)
        let repeated = RepeatedAnswer(context.plan)
        return ordered(
            vendors.adjusted(findings.filter { !context.isAsked($0) }).map(repeated.applied) + vendors.findings())
    }

    /// Errors first, then by table and column; the order within one place is that of finding.
    package static func ordered(_ findings: [Finding]) -> [Finding] {
        let places = findings.enumerated().map { offset, finding in
            (rank: Finding.Severity.allCases.firstIndex(of: finding.severity) ?? 0, offset: offset, finding: finding)
        }
        return places.sorted { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            switch (left.finding.table, right.finding.table) {
            case (nil, nil): return left.offset < right.offset
            case (nil, _): return true
            case (_, nil): return false
            case (let first?, let second?): return first == second ? left.offset < right.offset : first < second
            }
        }.map(\.finding)
    }
}

/// A plan and a schema with their look-ups, shared by all parts of a check.
struct CheckContext {
    let plan: Plan
    let map: SchemaMap
    /// The plan's entries whose table exists, with that table, in name order.
    let entries: [(plan: TablePlan, table: SchemaTable)]
    let roads: PlanRoads
    /// The likely meaning of unknown names, shared so that one check makes a bounded number of guesses.
    let hints = NameHints()
    /// The plan with what its vendors' profiles add.
    let completed: CompletedPlan
    /// The columns that questions are about, answered or not.
    let asked: [TableName: Set<String>]
    /// The columns that open questions are about.
    private let open: Set<ColumnName>
    private let plans: [TableName: TablePlan]

    init(_ plan: Plan, _ schema: Schema) {
        let map = SchemaMap(schema)
        self.map = map
        completed = CompletedPlan(plan, map)
        let plan = completed.plan
        self.plan = plan
        let plans = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        self.plans = plans
        entries = plans.values.sorted { $0.table < $1.table }.compactMap { entry in
            guard map.listedName(of: entry.table) == entry.table else { return nil }
            return map[entry.table].map { (entry, $0) }
        }
        asked = Dictionary(grouping: plan.questions, by: \.table).mapValues { Set($0.flatMap(\.columns)) }
        open = Set(
            plan.questions.filter(\.isOpen).flatMap { question in
                question.columns.map { ColumnName(question.table, $0) }
            })
        roads = PlanRoads(subject: plan.subject, tables: plans, map: map)
    }

    subscript(table: TableName) -> TablePlan? { plans[table] }

    func rule(_ table: TableName) -> Rule? { plans[table]?.rule }

    /// Whether an open question concerns the finding: its answer settles it, or lets it appear again.
    func isAsked(_ finding: Finding) -> Bool {
        let codes: Set<String> = [
            "key.added", "key.blocks", "key.cascades-into", "key.leads-to-person", "link.suspected",
            "link.suspected-type", "link.without-condition", "table.contacts",
        ]
        guard codes.contains(finding.code.rawValue), let table = finding.table, let column = finding.column else {
            return false
        }
        return open.contains(ColumnName(table, column))
    }

    /// Whether rows of this table are deleted in an erasure.
    func isErased(_ table: TableName) -> Bool { plans[table]?.rule.erasesRows == true }

    /// Whether the table holds rows of the subject.
    func isPersonal(_ table: TableName) -> Bool {
        plans[table]?.rule.isPersonal == true
    }

    /// Whether rows that this key names are never deleted while a row that stays names them: they are owned parents
    /// and nothing else.
    func keepsParent(_ key: ForeignKey) -> Bool {
        let links = plans[key.target]?.links.filter(PlanRoads.erases) ?? []
        return !links.isEmpty && links.allSatisfy(\.isOwnedParent)
    }

    func columnRule(_ table: TableName, _ column: String) -> ColumnRule? {
        plans[table]?.columns.first { $0.name == column }?.rule
    }
}
