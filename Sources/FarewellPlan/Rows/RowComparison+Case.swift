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
    func isOfNoOther(than parent: String, _ build: inout RowStatementBuilder) -> String {
        isOfNoOther(&build) { "\(spelled($0)) = CAST(\(parent) AS text)" }
    }

    /// Whether a row `t` names one of the keys that rows of its parent had, without regard to letter case.
    func isCapturedInAnyCase(_ place: Int, _ build: inout RowStatementBuilder) -> String {
        let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
        let list = graph.dialect.unpacked(keys, "text", as: "k")
        let named =
            "\(caseless.side(value(0, &build))) IN (SELECT \(caseless.keySide("k.value")) FROM \(list))"
        return named
            + isOfNoOther(&build) { "\(spelled($0)) IN (SELECT k.value FROM \(list) WHERE k.value IS NOT NULL)" }
    }

    /// - Parameter isOwn: Whether a value is the subject's, exactly.
    private func isOfNoOther(_ build: inout RowStatementBuilder, _ isOwn: (String) -> String) -> String {
        let own = value(0, &build)
        let other = "o." + build.quoted(edge.link.targetColumns[0])
        let isSame = "\(caseless.side(other)) = \(caseless.keySide(own))"
        // With the rows of tables that inherit from it: they are other users as well.
        let others = "SELECT 1 FROM \(build.quoted(graph.nodes[edge.parent].table.name)) AS o"
        return " AND (\(isOwn(own)) OR NOT EXISTS (\(others) WHERE \(isSame) AND NOT (\(isOwn(other)))))"
    }

    private func spelled(_ value: String) -> String { "CAST(\(value) AS text) COLLATE \(graph.dialect.exactCollation)" }
}
