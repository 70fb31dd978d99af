// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Links that ignore letter case (`case: ignored`), such as those by e-mail address. If the addresses of two
/// users differ in letter case alone, each user has only the rows with exactly their own address.
extension RowComparison {
    /// Whether the link ignores letter case although the columns' own comparison does not.
    var ignoresCase: Bool {
        edge.link.ignoresCase && edge.link.columns.count == 1 && edge.link.path.isEmpty && edge.link.list == nil
            && !edge.isDirect && targetColumn(0)?.looseEquality == nil
    }

    /// How texts are compared in any letter case. The comparison can use an index over `lower(email)`, or on SQLite one
    /// of this collation.
    var caseless: KeyEquality { graph.dialect.equalityInAnyCase }

    /// A further condition on a row `t` whose value equals a parent's in any letter case: the two values are identical,
    /// or no other row of the parent's table has the value in any case.
    ///
    /// Without an index over the users' `lower(email)`, the statement first collects the values that several rows have
    /// in different cases: a search for each row would read the whole table each time.
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

    /// Whether an index of the parent's table finds its values in any letter case.
    private var hasIndexInAnyCase: Bool {
        guard graph.dialect.hasColumnTypes, let column = targetColumn(0) else { return false }
        return graph.nodes[edge.parent].table.indexes.contains { $0.finds(by: column, caseless, graph.dialect) }
    }

    /// Whether a row `t` names, in any letter case, one of the keys that rows of its parent had.
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
    ///   - isOwn: The condition that the row's value is exactly the subject's.
    ///   - others: The rows `o` of the parent's table that may be other users', with the rows of tables that inherit
    ///     from it.
    private func isOfNoOther(_ isOwn: String, others: String, _ build: inout RowStatementBuilder) -> String {
        let other = caseless.keySide("o." + build.quoted(edge.link.targetColumns[0]))
        let table = build.quoted(graph.nodes[edge.parent].table.name)
        let value = caseless.side(value(0, &build))
        return " AND (\(isOwn) OR \(value) NOT IN (SELECT \(other) FROM \(table) AS o \(others)))"
    }

    private func spelled(_ value: String) -> String { "CAST(\(value) AS text) COLLATE \(graph.dialect.exactCollation)" }
}
