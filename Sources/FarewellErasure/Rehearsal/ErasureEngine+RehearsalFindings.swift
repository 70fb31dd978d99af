// SPDX-License-Identifier: Apache-2.0

import Farewell
public import FarewellPlan
import FarewellSQL

extension ErasureEngine {
    /// Rehearses some randomly chosen subjects, and reports deviations from the plan as findings.
    ///
    /// - Throws: errors of `rehearse`.
    public func findingsOfRehearsal(sampling number: Int) async throws -> [Finding] {
        let rehearsals = try await rehearse(try await sampleSubjects(number))
        var findings: [Finding] = []
        for refusal in rehearsals.flatMap(\.refusals) {
            findings.append(
                Finding(
                    "rehearsal.refused", .error, table: refusal.table, "An erasure is refused: \(refusal.message)",
                    remedy: refusal.remedy))
        }
        let shown = rehearsals.flatMap(\.effects)
        let line = TriggerEffectText.line(for: effects(declaring: shown))
        for difference in rehearsals.flatMap(\.differences) {
            let isExplained = shown.contains { $0.also == difference.table }
            findings.append(
                Finding(
                    "rehearsal.differs", .error, table: difference.table,
                    "An erasure changes other rows than the plan predicts: \(difference.kind.rawValue), "
                        + "\(difference.predicted) predicted.",
                    remedy: isExplained
                        ? "If the triggers are right, declare their changes: \(line)"
                        : "Run farewell rehearse --sample \(number), and correct the plan."))
        }
        for place in Set(rehearsals.flatMap(\.left.keys)).sorted() {
            findings.append(
                Finding(
                    "rehearsal.left", .error, table: TableName(parsing: place),
                    "Rows are still there after an erasure.",
                    remedy: "Find the trigger or the rule of the database that keeps them."))
        }
        let (plan, schema) = (prepared.plan, prepared.schema)
        findings += try await database.withConnection { try await ListProbe(plan, schema).findings(on: $0) }
        if !countsChanges {
            findings.append(
                Finding(
                    "rehearsal.uncounted", .warning,
                    "The database does not count the changes of a transaction, so the rehearsal only found refusals.",
                    remedy: "PostgreSQL: set track_counts to on."))
        }
        var seen: Set<Finding> = []
        return findings.filter { seen.insert($0).inserted }
    }

    /// All that the plan should declare, with what it declares already: the largest effect for each pair of tables.
    ///
    /// - Parameter shown: The effects of rehearsals.
    package func effects(declaring shown: [TriggerEffect]) -> [TriggerEffect] {
        shown.isEmpty ? [] : TriggerEffect.merged(prepared.written.effects + shown)
    }
}
