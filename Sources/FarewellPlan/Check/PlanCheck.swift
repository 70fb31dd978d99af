// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Compares a plan with a live schema and reports every mismatch.
///
/// Pure: it reads no database, and its time grows with the number of tables, columns and keys. `PlanSampling` finds
/// problems that only the rows show (a link under an unsuspicious name).
public enum PlanCheck {
    /// A keyed hash is cut to its column's length, but never below this many characters.
    public static let shortestHash = HashFit.shortest

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
        let changes = FingerprintCheck(
            plan: plan, schema: schema, fingerprint: fingerprint, differences: differences)
        return findings(context, changes: changes.findings(), unasked: SettledColumnCheck(context).findings())
    }

    /// Every mismatch except fingerprints and the questions that answers lead to (`column.unasked`), which take half of
    /// a check's time.
    package static func findingsBesideQuestions(_ plan: Plan, _ schema: Schema) -> [Finding] {
        let context = CheckContext(plan, schema)
        return CoverageCheck(context).otherSchema().map { [$0] } ?? findings(context, changes: [], unasked: [])
    }

    private static func findings(_ context: CheckContext, changes: [Finding], unasked: [Finding]) -> [Finding] {
        let findings =
            CoverageCheck(context).findings() + changes
            + QuestionCheck(context).findings() + unasked
            + SubjectCheck(context).findings() + InheritanceCheck(context).findings()
            + AccountCheck(context).findings()
            + FolderCheck(context).findings() + SystemCheck(context).findings()
            + LinkCheck(context).findings()
            + SubjectPathCheck(context).findings()
            + KeyCheck(context).findings() + ChangedKeyCheck(context).findings()
            + DanglingKeyCheck(context).findings()
            + SharedTargetCheck(context).findings() + HalfKeyCheck(context).findings()
            + EmptiedKeyCheck(context).findings() + ComputedNullCheck(context).findings()
            + ShorterListCheck(context).findings()
            + RetentionCheck(context).findings() + RetainedParentCheck(context).findings()
            + ColumnRuleCheck(context).findings() + ExportedColumnCheck(context).findings()
            + SecretColumnCheck(context).findings()
            + ConflictClauseCheck(context).findings() + ExclusionCheck(context).findings()
            + DatabaseCheck(context).findings() + TriggerCheck(context).findings()
            + ChangingTriggerCheck(context).findings()
            + ReplicaIdentityCheck(context).findings() + CitusCheck(context).findings()
            + IndexCheck(context).findings()
            + EffectCheck(context).findings()
            + SuspicionCheck(context).findings()
        let vendors = VendorCheck(context)
        let repeated = RepeatedAnswer(context.plan)
        return Finding.ordered(
            vendors.adjusted(findings.filter { !context.isAsked($0) }).map(repeated.applied) + vendors.findings())
    }
}
