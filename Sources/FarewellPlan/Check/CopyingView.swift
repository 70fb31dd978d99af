// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A materialised view: a copy of other tables' rows, which keeps erased ones until it is refreshed.
///
/// The author of a plan calls one of its columns not personal once refreshing is arranged, or if no data is personal.
enum CopyingView {
    /// Whether the table is one of which the plan says neither.
    static func mayKeepErasedRows(_ table: SchemaTable, _ entry: TablePlan) -> Bool {
        table.kind == .materializedView && !entry.rule.isPersonal
            && !entry.columns.contains { $0.rule?.isNotPersonal == true }
    }
}

extension Plan {
    /// The materialised views that may keep copies of erased rows, in name order.
    package func copyingViews(in schema: Schema) -> [UnsearchedPlace] {
        let views = Dictionary(
            schema.tables.filter { $0.kind == .materializedView }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        guard !views.isEmpty else { return [] }
        return tables.filter { entry in views[entry.table].map { CopyingView.mayKeepErasedRows($0, entry) } ?? false }
            .map(\.table).sorted().map { table in
                UnsearchedPlace(
                    place: table.description,
                    reason: "a materialised view, which keeps its copy of erased rows until it is refreshed")
            }
    }
}
