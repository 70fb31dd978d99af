// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Null in a column from which the database computes: parts of unique indexes and exclusion constraints, their
/// conditions, and generated columns.
///
/// The first row that gets null is accepted, so neither one erasure nor its rehearsal shows that the second is refused.
struct ComputedNullCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        var seen: Set<String> = []
        return Emptying.all(context).filter { !$0.takesDefaults }.flatMap { emptying -> [Finding] in
            (indexes(emptying) + exclusions(emptying) + generated(emptying)).filter { finding in
                seen.insert("\(finding.table?.description ?? "") \(finding.message)").inserted
            }
        }
    }

    private func indexes(_ emptying: Emptying) -> [Finding] {
        emptying.table.indexes.filter(\.isUnique).compactMap { index in
            let computed = Computation(index.definition)
            let plain = index.columns.filter { !$0.isEmpty }
            // A null in one of its own columns keeps a row apart from all others.
            let isApart = !index.areNullsEqual && plain.contains(where: emptying.columns.contains)
            let others = plain.filter { name in
                !emptying.columns.contains { $0 == name || isMade(name, of: $0, in: emptying.table) }
            }
            guard !isApart, !emptying.table.isUnique(others) else { return nil }
            let column = emptying.columns.first { name in
                computed.makesValueOfNull(in: name) || plain.contains { isMade($0, of: name, in: emptying.table) }
                    || rests(computed, on: name, in: emptying.table)
            }
            return column.map { name in
                silent(index, emptying, name)
                    ?? finding(emptying, name, "the unique index \(Shown.name(index.name))")
            }
        }
    }

    /// SQLite: a key that refuses no second row, but deletes the first or leaves the change out.
    private func silent(_ index: SchemaIndex, _ emptying: Emptying, _ column: String) -> Finding? {
        guard let action = index.onConflict, action.isSilent else { return nil }
        let key = Shown.line(index.columns.joined(separator: ", "), limit: 200)
        let what =
            action == .replace
            ? "deletes the row that is otherwise equal in it, perhaps another subject's, and all rows that refer to it"
            : "leaves a row unchanged without an error if another is otherwise equal in it"
        return Finding(
            Finding.Code(rawValue: "conflict.\(action.rawValue)"), .error, table: emptying.table.name, column: column,
            "\(emptying.actor) sets this column to null, from which the unique key (\(key)) with ON CONFLICT "
                + "\(action.rawValue.uppercased()) makes a value: SQLite \(what).",
            remedy: emptying.remedy(context, or: "recreate the table without the conflict clause"))
    }

    private func exclusions(_ emptying: Emptying) -> [Finding] {
        emptying.table.exclusions.compactMap { exclusion in
            guard !exclusion.columns.contains(where: emptying.columns.contains) else { return nil }
            let computed = Computation(exclusion.definition)
            let column = emptying.columns.first { name in
                computed.makesValueOfNull(in: name)
                    || exclusion.columns.contains { isMade($0, of: name, in: emptying.table) }
                    || rests(computed, on: name, in: emptying.table)
            }
            return column.map { finding(emptying, $0, "the exclusion constraint \(Shown.name(exclusion.name))") }
        }
    }

    /// Whether a generated column has a value of its own where another is null.
    private func isMade(_ generated: String, of column: String, in table: SchemaTable) -> Bool {
        table[generated].flatMap(Computation.init(of:))?.makesValueOfNull(in: column) == true
    }

    /// Whether an expression or a condition reads a generated column that has a value where another is null.
    private func rests(_ computed: Computation, on column: String, in table: SchemaTable) -> Bool {
        table.columns.contains { computed.mentions($0.name) && isMade($0.name, of: column, in: table) }
    }

    private func generated(_ emptying: Emptying) -> [Finding] {
        emptying.table.columns.filter { !$0.isNullable }.compactMap { made in
            guard let computed = Computation(of: made),
                let column = emptying.columns.first(where: { computed.isNullOfNull(in: $0) })
            else { return nil }
            return Finding(
                "key.null-generated", .warning, table: emptying.table.name, column: column,
                "\(emptying.actor) sets this column to null, from which \(Shown.name(made.name)) is generated, which "
                    + "may not be null: the database would refuse.",
                remedy: emptying.remedy(
                    context, or: "let \(Shown.name(made.name)) have a value where this column is null",
                    canReplace: true))
        }
    }

    private func finding(_ emptying: Emptying, _ column: String, _ name: String) -> Finding {
        Finding(
            "key.null-not-unique", .warning, table: emptying.table.name, column: column,
            "\(emptying.actor) sets this column to null, and \(name) compares null here like a value: of two rows that "
                + "are otherwise equal in it, the second would be refused.",
            remedy: emptying.remedy(context, or: "leave rows without a value out of it"))
    }
}
