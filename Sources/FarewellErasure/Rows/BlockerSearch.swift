// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Finds rows that refer to what would be erased without going themselves.
struct BlockerSearch: Sendable {
    let prepared: PreparedPlan

    private var graph: RowGraph { prepared.program.graph }
    /// How many rows are named of each key.
    private static let examples = 5

    /// A key that may block, with the statement that counts and names its rows.
    struct Candidate: Sendable {
        let table: SchemaTable
        let key: ForeignKey
        let statement: RowStatement
    }

    /// Restricting keys that refer to an erased table from a row that stays. No statement is written for a key whose
    /// rows are all the subject's: where tables have several keys to others, it would hold the selections of most.
    func candidates() -> [Candidate] {
        let selection = RowSelection(graph: graph)
        let nodes = Dictionary(graph.nodes.map { ($0.table.name, $0) }) { first, _ in first }
        return prepared.schema.tables.flatMap { table in
            table.foreignKeys.compactMap { key -> Candidate? in
                guard key.onDelete == .noAction || key.onDelete == .restrict, let target = nodes[key.target],
                    target.rule.erasesRows
                else { return nil }
                let own = nodes[table.name]
                if let own, letsGo(of: key, own) || isEmpty(key, own, target, selection) { return nil }
                return Candidate(
                    table: table, key: key, statement: statement(table, key, target, own, selection))
            }
        }
    }

    /// Whether every row behind the key is erased with the rows that it names.
    private func isEmpty(
        _ key: ForeignKey, _ node: RowGraph.Node, _ target: RowGraph.Node, _ selection: RowSelection
    ) -> Bool {
        node.rule.erasesRows && selection.holdsAllRows(of: node.index, naming: target.index, by: key)
    }

    /// Whether rows with this key no longer name the deleted rows at that time. A reference is cleared. In a table
    /// whose rows are erased, rows that stay for another subject lose the link. In any other table, the column's rule
    /// changes the key. A constant may itself name a deleted row.
    private func letsGo(of key: ForeignKey, _ node: RowGraph.Node) -> Bool {
        let references = node.references.filter { key.isSame(as: $0.link) && $0.link.condition.isEmpty }
        guard references.isEmpty else { return true }
        let links = node.links.filter { key.isSame(as: $0.link) }
        guard !node.rule.erasesRows else { return links.contains { $0.link.shared == .unlink } }
        guard !links.isEmpty else { return false }
        return key.columns.contains { column in
            node.columns.contains {
                $0.name == column && $0.rule?.movesKey(column) == true && $0.rule?.constantText == nil
            }
        }
    }

    /// The values of the key's columns in the subject's rows that stay, if their rules are constants.
    private func constants(in key: ForeignKey, _ node: RowGraph.Node) -> [String: String] {
        guard !node.rule.erasesRows, node.links.contains(where: { key.isSame(as: $0.link) }) else { return [:] }
        let planned = node.columns.filter { key.columns.contains($0.name) }
        return planned.reduce(into: [:]) { $0[$1.name] = $1.rule?.constantText }
    }

    /// The rows behind a key that name an erased row, or will by a constant, and are not erased themselves:
    /// `(rows, key…)`.
    private func statement(
        _ table: SchemaTable, _ key: ForeignKey, _ target: RowGraph.Node, _ own: RowGraph.Node?,
        _ selection: RowSelection
    ) -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        var wanted: Set<Int> = [target.index]
        let goesItself = own?.rule.erasesRows == true
        let given = own.map { constants(in: key, $0) } ?? [:]
        let isAboutOwn = goesItself || !given.isEmpty
        if let own, isAboutOwn { wanted.insert(own.index) }
        let with = selection.with(wanted, &build)
        let identity = selection.identity(of: target.index, build, as: "x")
        let joined = identity.enumerated().map { "\($1) = f.i\($0)" }.joined(separator: " AND ")
        let assignment = ColumnAssignment(dialect: graph.dialect, table: table)
        var matched: [String] = []
        for (name, targetName) in zip(key.columns, key.targetColumns) {
            let named = "x.\(build.quoted(targetName))"
            if let text = given[name], let column = table[name] {
                let constant = assignment.constant(text, column, &build)
                matched.append("\(column.compared(constant)) = \(column.compared(named))")
            } else {
                let equality = graph.dialect.equality(of: table[name], with: target.table[targetName])
                matched.append("\(equality.side("t.\(build.quoted(name))")) = \(equality.keySide(named))")
            }
        }
        var condition = matched.joined(separator: " AND ")
        if let own, isAboutOwn {
            let mine = selection.identity(of: own.index, build)
            let same = mine.enumerated().map { "m.i\($0) = \($1)" }.joined(separator: " AND ")
            condition += " AND \(goesItself ? "NOT " : "")EXISTS (SELECT 1 FROM f\(own.index) AS m WHERE \(same))"
        }
        let shown = table.primaryKey.map { "CAST(t.\(build.quoted($0)) AS text)" }
        let columns = (["count(*) OVER ()"] + shown).joined(separator: ", ")
        return build.statement(
            """
            \(with)SELECT \(columns) FROM \(build.rows(of: table)) AS t \
            JOIN \(build.rows(of: target.table)) AS x \
            ON \(condition) JOIN f\(target.index) AS f ON \(joined) LIMIT \(Self.examples)
            """)
    }

    /// The keys that would stop the erasure of these subjects.
    func blockers(of subjects: [SQLValue], on connection: any SQLConnection) async throws -> [Blocker] {
        guard !subjects.isEmpty else { return [] }
        let candidates = candidates()
        let values = RowValues(subjects: subjects)
        let questions = candidates.map { $0.statement.bound(values, dialect: connection.dialect) }
        return zip(candidates, try await connection.pipeline(questions)).compactMap { blocker($0, $1) }
    }

    private func blocker(_ candidate: Candidate, _ result: SQLResult) -> Blocker? {
        guard let rows = result.rows.first?.first?.integer, rows > 0 else { return nil }
        return Blocker(
            table: candidate.table.name, columns: candidate.key.columns, target: candidate.key.target,
            onDelete: candidate.key.onDelete, rows: Int(rows),
            examples: candidate.table.primaryKey.isEmpty
                ? [] : result.rows.map { row in row.dropFirst().map { $0.text ?? "null" }.joined(separator: ", ") },
            isLinked: isLinked(candidate.table.name, candidate.key))
    }

    /// The remedy for rows of a table that still name a deleted row: a conflict clause left them as they were, a
    /// trigger wrote or kept them, or they keep the key in a form that the link does not match. That they have no
    /// rule is a cause only if a restricting key has no link.
    ///
    /// - Returns: `nil` if only the last is possible.
    func remedyOfOpenKey(_ table: TableName) -> String? {
        let keys = prepared.schema.tables.first { $0.name == table }?.foreignKeys ?? []
        let restricting = keys.filter { $0.onDelete == .noAction || $0.onDelete == .restrict }
        let linked = restricting.filter { isLinked(table, $0) }
        let causes = ignoring(table, linked) + writing(table) + keeping(table)
        let isWhole = linked.count == restricting.count
        let form = linked.first.map { Blocker.remedy(ofForm: $0.columns, $0.target) }
        let other = isWhole ? form : Blocker.remedyOfNoRule
        guard !causes.isEmpty else { return isWhole ? other : nil }
        return causes.joined(separator: " ") + (other.map { " Otherwise: \($0)" } ?? "")
    }

    /// SQLite: unique keys that leave a row as it was instead of refusing its change.
    private func ignoring(_ table: TableName, _ keys: [ForeignKey]) -> [String] {
        let changed = Set(keys.flatMap(\.columns))
        let indexes = prepared.schema.tables.first { $0.name == table }?.indexes ?? []
        return indexes.filter { $0.isUnique && $0.onConflict == .ignore && !changed.isDisjoint(with: $0.columns) }.map {
            "The unique key (\($0.columns.joined(separator: ", "))) of \(table) has ON CONFLICT IGNORE, so SQLite may "
                + "leave a row there as it was: recreate the table without this clause."
        }
    }

    /// Triggers whose text shows that they write rows of the table.
    private func writing(_ table: TableName) -> [String] {
        prepared.schema.tables.flatMap { other in
            other.triggers.filter { trigger in
                let writes = TriggerWrites(trigger)
                return writes.contain(.insert, table) || writes.contain(.update, table)
            }.map {
                "The trigger \(Shown.name($0.name)) of \(other.name) writes rows of \(table): let it write none that "
                    + "name a deleted row."
            }
        }
    }

    /// Triggers of the table that leave its rows as they are, without an error.
    private func keeping(_ table: TableName) -> [String] {
        guard let table = prepared.schema.tables.first(where: { $0.name == table }) else { return [] }
        let triggers = ["delete", "update"].flatMap {
            SuppressingTrigger.all(of: table, preventing: $0, graph.dialect).map(\.name)
        }
        return Set(triggers).sorted().map {
            "The trigger \(Shown.name($0)) of \(table.name) may leave rows there as they are: let it allow the changes "
                + "of an erasure."
        }
    }

    /// Whether rows that name the subject by this key would go, or lose it. SQLite compares a key's values in the type
    /// of the column that it leads to, a link as they are.
    private func isLinked(_ table: TableName, _ key: ForeignKey) -> Bool {
        guard !graph.dialect.hasColumnTypes, let node = graph.nodes.first(where: { $0.table.name == table }) else {
            return false
        }
        let erasing = node.rule.erasesRows ? node.links : []
        return (erasing + node.references).contains { edge in
            key.isSame(as: edge.link) && edge.link.condition.isEmpty
        }
    }
}
