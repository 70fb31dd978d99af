// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows that get the same constant do not exclude each other.
struct ExclusionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.rowsStay }.flatMap { entry, table in
            table.exclusions.compactMap { finding($0, of: entry, table) }
        } + Emptying.all(context).filter(\.takesDefaults).flatMap(defaults)
    }

    private func finding(_ exclusion: SchemaExclusion, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        let rules = Dictionary(
            entry.columns.compactMap { planned in planned.rule.map { (planned.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        // No operator answers yes for null.
        guard !exclusion.columns.contains(where: { rules[$0]?.givesNull == true }) else { return nil }
        let fixed = equalColumns(exclusion).filter { rules[$0]?.mayRepeat == true }
        let isConstant = fixed.allSatisfy { rules[$0]?.constantText != nil }
        return finding(
            exclusion, fixed, table, value: isConstant ? "the constant" : "the same value", isSure: isConstant)
    }

    private func defaults(_ emptying: Emptying) -> [Finding] {
        emptying.table.exclusions.compactMap { exclusion in
            let fixed = equalColumns(exclusion).filter {
                emptying.columns.contains($0) && emptying.table[$0]?.defaultExpression != nil
            }
            return finding(exclusion, fixed, emptying.table, value: "its default", isSure: true)
        }
    }

    private func equalColumns(_ exclusion: SchemaExclusion) -> [String] {
        zip(exclusion.columns, exclusion.operators).filter { $1 == "=" && !$0.isEmpty }.map(\.0)
    }

    private func finding(
        _ exclusion: SchemaExclusion, _ fixed: [String], _ table: SchemaTable, value: String, isSure: Bool
    ) -> Finding? {
        guard let column = fixed.first else { return nil }
        let others = exclusion.columns.filter { !fixed.contains($0) }
        // If the other columns are unique on their own, two rows exclude each other only by a special operator.
        let isPartial = exclusion.definition.contains(" WHERE ")
        let isCertain = others.isEmpty && isSure && !isPartial
        let name = Shown.name(exclusion.name)
        return Finding(
            "column.excluded", isCertain ? .error : .warning, table: table.name, column: column,
            isCertain
                ? "The exclusion constraint \(name) lets only one row have \(value): the second subject's erasure "
                    + "would be refused."
                : "The exclusion constraint \(name) compares this column: if two rows get \(value) and otherwise "
                    + "exclude each other, the database would refuse the second.",
            remedy: "Use null or hash.")
    }
}
