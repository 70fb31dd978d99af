// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Links that ignore letter case (`case: ignored`), such as those by e-mail address. Of two users whose addresses
/// differ by it alone, each has the rows with exactly the own one.
extension RowComparison {
    /// Whether equal values of the link may differ in letter case although the columns themselves regard it.
    var ignoresCase: Bool {
        edge.link.ignoresCase && edge.link.columns.count == 1 && edge.link.path.isEmpty && edge.link.list == nil
            && !edge.isDirect && targetColumn(0)?.looseEquality == nil
    }

    /// How texts are compared without regard to letter case. An index over `lower(email)`, or one of that collation on
    /// SQLite, serves.
    var caseless: KeyEquality { graph.dialect.equalityInAnyCase }

    /// A further condition on a row `t` whose value equals a parent's without regard to letter case: it is the very
    /// value, or no other row of the parent's table has it in any case.
    ///
    /// Without an index over the users' `lower(email)`, the values that several rows have in different cases are
    /// collected once for the statement: a search for each row would read the whole table each time.
    func isOfNoOther(than parent: String, _ build: inout RowStatementBuilder) -> String {
        let value = "o." + build.quoted(edge.link.targetColumns[0])
        let isOwn = "= CAST(\(parent) AS text)"
        let own = "\(spelled(self.value(0, &build))) \(isOwn)"
        guard hasIndexInAnyCase else {
            let shared = "GROUP BY \(caseless.side(value)) HAVING min(\(spelled(value))) <> max(\(spelled(value)))"
            return isOfNoOther(own, others: shared, &build)
        }
        let table = build.quoted(graph.nodes[edge.parent].table.name)
        let isSame = "\(caseless.side(value)) = \(caseless.keySide(parent))"
        return " AND (\(own) OR NOT EXISTS (SELECT 1 FROM \(table) AS o WHERE \(isSame) "
            + "AND NOT (\(spelled(value)) \(isOwn))))"
    }

    /// Whether an index of the parent's table may find its values without regard to letter case. The catalog gives the
    /// expressions of unique indexes only.
    private var hasIndexInAnyCase: Bool {
        graph.dialect.hasColumnTypes
            && graph.nodes[edge.parent].table.indexes.contains { index in
                !index.isPartial && index.method == "btree" && index.columns.first == ""
                    && (index.definition.isEmpty || index.definition.contains("lower("))
            }
    }

    /// Whether a row `t` names one of the keys that rows of its parent had, without regard to letter case.
    func isCapturedInAnyCase(_ place: Int, _ build: inout RowStatementBuilder) -> String {
        let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
        let list = graph.dialect.unpacked(keys, "text", as: "k")
        let named = "IN (SELECT \(caseless.keySide("k.value")) FROM \(list))"
        let isOwn = "IN (SELECT k.value FROM \(list) WHERE k.value IS NOT NULL)"
        let (own, other) = (value(0, &build), "o." + build.quoted(edge.link.targetColumns[0]))
        let others = "WHERE \(caseless.side(other)) \(named) AND NOT (\(spelled(other)) \(isOwn))"
        return "\(caseless.side(own)) \(named)" + isOfNoOther("\(spelled(own)) \(isOwn)", others: others, &build)
    }

    /// - Parameters:
    ///   - isOwn: Whether the value of the row is the subject's, exactly.
    ///   - others: Which rows `o` of the parent's table other users may have. Rows of tables that inherit from it are
    ///     among them.
    private func isOfNoOther(_ isOwn: String, others: String, _ build: inout RowStatementBuilder) -> String {
        let other = caseless.keySide("o." + build.quoted(edge.link.targetColumns[0]))
        let table = build.quoted(graph.nodes[edge.parent].table.name)
        let value = caseless.side(value(0, &build))
        return " AND (\(isOwn) OR \(value) NOT IN (SELECT \(other) FROM \(table) AS o \(others)))"
    }

    private func spelled(_ value: String) -> String { "CAST(\(value) AS text) COLLATE \(graph.dialect.exactCollation)" }
}
