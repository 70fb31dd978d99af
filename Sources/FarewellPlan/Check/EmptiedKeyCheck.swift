// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that the database or `shared: unlink` empties can be emptied, for every subject and not only for the first.
struct EmptiedKeyCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        Emptying.all(context).flatMap { emptying -> [Finding] in
            if case .rules = emptying.cause { return [] }
            return generated(emptying) + withoutDefault(emptying) + collisions(emptying)
        }
    }

    private func generated(_ emptying: Emptying) -> [Finding] {
        emptying.columns.filter { emptying.table[$0]?.isGenerated == true }.prefix(1).map { column in
            Finding(
                "link.unlink-generated", .error, table: emptying.table.name, column: column,
                "\(emptying.actor) empties this column, but the database computes it and would refuse.",
                remedy: emptying.remedy(context, or: "link its source columns"))
        }
    }

    private func withoutDefault(_ emptying: Emptying) -> [Finding] {
        guard emptying.takesDefaults else { return [] }
        let refused = emptying.columns.filter { name in
            emptying.table[name].map { !$0.isNullable && $0.defaultExpression == nil } ?? false
        }
        return refused.prefix(1).map { column in
            Finding(
                "key.blocks", .error, table: emptying.table.name, column: column,
                "The key sets this column to its default, but it has none and may not be null: the database would "
                    + "refuse.",
                remedy: emptying.remedy(
                    context,
                    or: "give the column a default that is the key of a row, make it nullable, or change the key's "
                        + "action"))
        }
    }

    private func collisions(_ emptying: Emptying) -> [Finding] {
        let table = emptying.table
        var seen: Set<[String]> = []
        return table.indexes.filter(\.isUnique).compactMap { index in
            let emptied = index.columns.filter(emptying.columns.contains)
            guard let column = emptied.first else { return nil }
            let isNull = !emptying.takesDefaults || emptied.contains { table[$0]?.defaultExpression == nil }
            guard !isNull || index.areNullsEqual, seen.insert(index.columns).inserted else { return nil }
            let others = index.columns.filter { !emptied.contains($0) }
            guard others.isEmpty || !table.isUnique(others.filter { !$0.isEmpty }) else { return nil }
            let named = others.map { $0.isEmpty ? "an expression" : Shown.line($0, limit: 80) }.joined(separator: ", ")
            let value = isNull ? "null" : "its default"
            let equal = isNull ? ", in which nulls are equal" : ""
            let name = Shown.name(index.name)
            let isCertain = others.isEmpty && !index.isPartial
            return Finding(
                isNull ? "key.null-not-unique" : "key.default-not-unique", isCertain ? .error : .warning,
                table: table.name, column: column,
                "\(emptying.actor) sets this column to \(value), and it is part of the unique index \(name)\(equal): "
                    + (isCertain
                        ? "the second subject's erasure would be refused."
                        : "of two rows that are otherwise equal (\(others.isEmpty ? "some rows" : named)), the "
                            + "second would be refused."),
                remedy: emptying.remedy(
                    context, or: "let the index treat nulls as distinct, or let it cover other columns"))
        }
    }
}
