// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// No row names the subject by half of a composite key only.
///
/// With some of its columns null a key leads nowhere (`MATCH SIMPLE`): neither the database's action nor a link finds
/// the row, though the columns that are left may name one subject.
struct HalfKeyCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.isPersonal }.flatMap { entry, table in
            entry.links.compactMap { finding($0, of: entry, table) }
        }
    }

    private func finding(_ link: Link, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        guard link.path.isEmpty, !link.isOwnedParent, link.columns.count > 1,
            link.columns.count == link.targetColumns.count,
            !isWhole(link, of: entry)
        else { return nil }
        let pairs = zip(link.columns, link.targetColumns).map { ($0, $1) }
        for (empty, _) in pairs where table[empty]?.isNullable == true {
            let half = pairs.filter { $0.0 != empty }
            guard let (target, rest) = named(by: half, in: link.target), !isCovered(half, link.target, by: entry.links),
                !isCovered(rest, target, by: entry.links), !isDenied(rest.map(\.0), of: entry)
            else { continue }
            let columns = Shown.line(rest.map(\.0).joined(separator: ", "), limit: 120)
            let targets = rest.map { ColumnName(target, $0.1).description }.joined(separator: ", ")
            let role = link.isReference ? ", role: reference" : ""
            return Finding(
                "link.half-key", target == link.target ? .error : .warning, table: entry.table,
                column: rest.first?.0,
                "Rows in which \(Shown.name(empty)) is null are not found by this link, although \(columns) alone "
                    + "refers to a row of \(Shown.name(target.description)): they would not be erased.",
                remedy: "Add the link {from: [\(columns)], to: [\(Shown.line(targets, limit: 200))]\(role)}, or make "
                    + "\(Shown.name(empty)) not null.\(denial(rest.map(\.0), of: entry))")
        }
        return nil
    }

    /// The row that half of a key names: one of the table that the whole key leads to, or the subject's own, to which
    /// the same columns lead from there, as the user of a membership.
    private func named(
        by half: [(String, String)], in table: TableName
    ) -> (table: TableName, pairs: [(String, String)])? {
        if context.map.isUnique(half.map(\.1), in: table) { return (table, half) }
        let links = context[table]?.links ?? []
        for link in links where link.target == context.plan.subject.table && link.path.isEmpty && link.list == nil {
            let further = zip(link.columns, link.targetColumns).compactMap { middle, end in
                half.first { $0.1 == middle }.map { ($0.0, end) }
            }
            guard !link.columns.isEmpty, link.condition.isEmpty, further.count == link.columns.count,
                context.map.isUnique(link.targetColumns, in: link.target)
            else { continue }
            return (link.target, further)
        }
        return nil
    }

    /// Whether the database refuses keys with some nulls (`MATCH FULL`), in old rows as well.
    private func isWhole(_ link: Link, of entry: TablePlan) -> Bool {
        context.map.keys(of: entry.table).contains {
            $0.key.isSame(as: link) && $0.key.matchesFull && $0.key.isValidated
        }
    }

    /// Whether the author stated that these columns alone lead to no subject, or the question is still open. Of rows
    /// that stay, every column has a rule, and `not personal` says nothing about the link.
    private func isDenied(_ columns: [String], of entry: TablePlan) -> Bool {
        context.questions(of: entry.table).contains {
            $0.columns == columns && $0.link?.columns == columns
                && ($0.isOpen || $0.answer == .unrelated)
        }
            || entry.rule.erasesRows
                && columns.allSatisfy { context.columnRule(entry.table, $0)?.isNotPersonal == true }
    }

    /// How the plan says that the columns alone lead to no subject.
    private func denial(_ columns: [String], of entry: TablePlan) -> String {
        guard entry.rule.erasesRows else { return "" }
        let ruled = columns.map { "\(Shown.line(TableName.written($0), limit: 120)): not personal" }
        return " If such rows are no user's, write {\(ruled.joined(separator: ", "))} in `columns`."
    }

    /// Whether another link finds rows by these columns, or by some of them.
    private func isCovered(_ pairs: [(String, String)], _ target: TableName, by links: [Link]) -> Bool {
        let wanted = Set(pairs.map { [$0.0, $0.1] })
        return links.contains { other in
            other.target == target && other.path.isEmpty && !other.columns.isEmpty
                && Set(zip(other.columns, other.targetColumns).map { [$0, $1] }).isSubset(of: wanted)
        }
    }
}
