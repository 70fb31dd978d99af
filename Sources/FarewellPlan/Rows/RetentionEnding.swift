// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes what ends a retention: each row by its marks, in the tables as they are today.
///
/// A row that names a row of another subject by now is another subject's, and stays as it is.
package struct RetentionEnding {
    let plan: Plan
    let schema: Schema
    let handle: RetainedHandle
    /// The table in the plan of today; `nil` if that treats the table as not personal.
    private let node: RowGraph.Node?
    let graph: RowGraph

    package init(plan: Plan, schema: Schema, graph: RowGraph, handle: RetainedHandle) {
        self.plan = plan
        self.schema = schema
        self.graph = graph
        self.handle = handle
        node = graph.nodes.first { $0.table.name == handle.name }
    }

    var dialect: SQLDialect { schema.dialect }

    /// The changes, row by row; of rows that may refer to each other, in one statement where the database checks keys
    /// after each.
    ///
    /// - Throws: `retention.unknown-place` where table or columns are no longer there.
    package func changes() throws -> [SQLStatement] {
        let table = try table()
        guard !erasesRows else {
            return refersToItself(table)
                ? together(table) : statements(table, "DELETE FROM \(rows(of: table)) AS t WHERE")
        }
        let set = emptied(in: table).map { "\(dialect.quoted($0)) = NULL" }.joined(separator: ", ")
        guard !set.isEmpty else { return [] }
        return statements(table, "UPDATE \(rows(of: table)) AS t SET \(set) WHERE")
    }

    /// Reading back: `(1)` for each row that should not be there any longer.
    package func leftovers() throws -> [SQLStatement] {
        let table = try table()
        guard !erasesRows else {
            return statements(table, "SELECT 1 FROM \(rows(of: table)) AS t WHERE")
        }
        let full = emptied(in: table).map { "t.\(dialect.quoted($0)) IS NOT NULL" }
        guard !full.isEmpty else { return [] }
        return statements(table, "SELECT 1 FROM \(rows(of: table)) AS t WHERE (\(full.joined(separator: " OR "))) AND")
    }

    /// `(1)` for each row that has the primary key of a retained row and is not that row any longer: it belongs to
    /// another subject, or the key was given again. Without a primary key no row is known to be such a one.
    package func strangers() throws -> [SQLStatement] {
        let table = try table()
        let isKey = handle.marks.map { table.primaryKey.contains($0.column) }
        guard isKey.contains(true) else { return [] }
        return statements(table, "SELECT 1 FROM \(rows(of: table)) AS t WHERE") { condition, marks in
            let key = zip(marks, isKey).filter(\.1).map(\.0).joined(separator: " AND ")
            return "\(key) AND (\(condition)) IS NOT TRUE"
        }
    }

    private func table() throws -> SchemaTable {
        guard let table = schema.tables.first(where: { $0.name == handle.name }),
            handle.marks.allSatisfy({ table[$0.column] != nil }),
            handle.emptied?.allSatisfy({ table[$0] != nil }) ?? true
        else {
            throw FarewellError(
                "retention.unknown-place", .yoursToFix,
                "Rows kept in \(handle.name) cannot be found: the table or its columns no longer exist.",
                remedy: "Delete these rows yourself if they still exist.")
        }
        return table
    }

    private func rows(of table: SchemaTable) -> String { RowStatementBuilder(dialect: dialect).rows(of: table) }

    private func refersToItself(_ table: SchemaTable) -> Bool {
        !dialect.defersEveryKey && table.foreignKeys.contains { $0.target == table.name }
    }

    /// Whether a key of the database deletes rows of the table with others: then the statements that delete them one by
    /// one do not report them all.
    package var areTakenByKeys: Bool {
        let table = schema[handle.name]
        return erasesRows && table?.foreignKeys.contains { $0.onDelete == .cascade } == true
    }

    /// Whether the rows are deleted; otherwise they are emptied.
    package var erasesRows: Bool { handle.then != Retention.Ending.anonymise.rawValue }

    /// Whether one statement can delete rows of several endings: the database then checks keys after all of them. Citus
    /// changes one table with each statement.
    package static func canDelete(together endings: [RetentionEnding]) -> Bool {
        endings.count > 1 && endings.allSatisfy(\.graph.changesInQueries)
    }

    /// The deletion of the rows of several endings in one statement: rows of one piece may refer to rows of another. It
    /// answers with one row, the number of deleted rows of each.
    ///
    /// - Throws: `retention.unknown-place`.
    package static func deletion(together endings: [RetentionEnding]) throws -> SQLStatement? {
        guard let dialect = endings.first?.dialect else { return nil }
        var build = RowStatementBuilder(dialect: dialect)
        let rest = endings.map { $0.unmarked(&build) }
        var values: [SQLValue] = []
        let parts = try zip(endings, rest).enumerated().map { number, part in
            let (ending, conditions) = part
            let deletion = ending.deletion(try ending.table(), conditions.own, &values, after: build.slots.count)
            return "e\(number) AS (\(deletion) RETURNING 1)"
        }
        let counts = endings.indices.map { "(SELECT count(*) FROM e\($0))" }.joined(separator: ", ")
        let statement = build.statement("WITH \(parts.joined(separator: ", ")) SELECT \(counts)")
            .bound(RowValues(subjects: []), dialect: dialect)
        return SQLStatement(statement.text, statement.parameters + values)
    }

    /// One statement for all rows.
    private func together(_ table: SchemaTable) -> [SQLStatement] {
        guard !handle.rows.isEmpty else { return [] }
        var build = RowStatementBuilder(dialect: dialect)
        let rest = unmarked(&build)
        var values: [SQLValue] = []
        let with = rest.with(
            "\(rows(of: table)) AS t, \(listed(after: build.slots.count))", marked(table) { "m.v\($0)" })
        let deletion = with + deletion(table, rest.own, &values, after: build.slots.count)
        let statement = build.statement(deletion).bound(RowValues(subjects: []), dialect: dialect)
        return [SQLStatement(statement.text, statement.parameters + values)]
    }

    /// PostgreSQL: deletes the rows that have the marks of lists, one list for each mark.
    ///
    /// - Parameters:
    ///   - values: Receives the lists.
    ///   - count: How many parameters come before `values`.
    private func deletion(
        _ table: SchemaTable, _ rest: [String], _ values: inout [SQLValue], after count: Int
    ) -> String {
        let lists = listed(after: count + values.count)
        let marks = marked(table) { "m.v\($0)" }
        for place in handle.marks.indices {
            let list = handle.rows.map { row in row.indices.contains(place) ? row[place]?.value : nil }
            values.append(.array(list.map { $0 ?? SQLValue.null }))
        }
        return "DELETE FROM \(rows(of: table)) AS t USING \(lists) WHERE \((marks + rest).joined(separator: " AND "))"
    }

    /// PostgreSQL: the marks as rows `m`, of lists that follow so many parameters.
    private func listed(after count: Int) -> String {
        let lists = handle.marks.indices.map { "$\(count + $0 + 1)::text[]" }.joined(separator: ", ")
        let names = handle.marks.indices.map { "v\($0)" }.joined(separator: ", ")
        return "unnest(\(lists)) AS m (\(names))"
    }

    /// The conditions beside a row's marks: it is as the erasure left it, and no other subject's.
    private func unmarked(_ build: inout RowStatementBuilder) -> Conditions {
        var gathered = GatheredRows()
        let adopted = node.flatMap {
            adoption(of: $0, as: GatheredRows.marked, within: [$0.index], &build, &gathered)
        }
        let emptied = (handle.emptied ?? []).map { "t.\(dialect.quoted($0)) IS NULL" }
        return Conditions(own: emptied + [adopted].compactMap { $0.map { "NOT (\($0))" } }, gathered: gathered)
    }

    /// The conditions beside a row's marks, and the rows that they look at.
    private struct Conditions {
        let own: [String]
        let gathered: GatheredRows

        /// The beginning of a statement with these conditions.
        func with(_ source: String, _ marks: [String]) -> String {
            gathered.isUsed ? gathered.with("SELECT t.* FROM \(source) WHERE \(marks.joined(separator: " AND "))") : ""
        }
    }

    /// A statement for each row, with the row's condition behind this beginning.
    private func statements(
        _ table: SchemaTable, _ beginning: String,
        _ condition: (_ whole: String, _ marks: [String]) -> String = { whole, _ in whole }
    ) -> [SQLStatement] {
        var build = RowStatementBuilder(dialect: dialect)
        let rest = unmarked(&build)
        // The values of the marks follow those of the plan.
        let first = build.slots.count + 1
        let marks = marked(table) { "$\(first + $0)" }
        let whole = (marks + rest.own).joined(separator: " AND ")
        let with = rest.with("\(rows(of: table)) AS t", marks)
        let statement = build.statement("\(with)\(beginning) \(condition(whole, marks))")
            .bound(RowValues(subjects: []), dialect: dialect)
        return handle.rows.map { row in
            SQLStatement(statement.text, statement.parameters + row.map { $0?.value ?? .null })
        }
    }

    /// - Parameter given: The value of a mark, by the mark's place.
    private func marked(_ table: SchemaTable, _ given: (Int) -> String) -> [String] {
        handle.marks.enumerated().map { place, mark in
            let column = "t.\(dialect.quoted(mark.column))"
            let key = table.primaryKey.contains(mark.column) ? table[mark.column] : nil
            let parameter = given(place)
            let text = dialect.hasColumnTypes ? "\(parameter)::text" : parameter
            let value: String
            switch (dialect.hasColumnTypes, key) {
            case (false, _): value = "\(column) \(key == nil ? "IS" : "=") \(parameter)"
            case (true, let key?):
                value = "\(key.compared(column)) = CAST(\(parameter)::text AS \(key.comparedType))"
            case (true, nil): value = same(column, as: parameter, in: table[mark.column])
            }
            if mark.kind == .sameOrNone { return "(\(column) IS NULL OR \(value))" }
            // A date that was missing may have been written since.
            let isDate = key == nil && !table.primaryKey.isEmpty
            return isDate ? "(\(text) IS NULL OR \(value))" : value
        }
    }

    /// The condition under which a row `t` is another subject's by now; nil if its links cannot show it.
    ///
    /// A link that the erasure changed leads to a row again, whatever the others do. Links that it left as they were
    /// may have led to other subjects before, so all of them must do so now, and no mark may hold one.
    ///
    /// - Parameter source: On Citus, the name of the gathered rows that `t` is one of.
    private func adoption(
        of node: RowGraph.Node, as source: String, within seen: Set<Int>, _ build: inout RowStatementBuilder,
        _ gathered: inout GatheredRows
    ) -> String? {
        let changed = node.links.filter { $0.link.columns.contains(where: node.changes) }
        guard changed.isEmpty else {
            return changed.map { edge in
                let found = leading(from: node, source, by: edge, &build, &gathered)
                let parts = [found] + [rewritten(edge, of: node, &build)].compactMap(\.self)
                return "(\(parts.joined(separator: " AND ")))"
            }.joined(separator: " OR ")
        }
        var parts: [String] = []
        for edge in node.links {
            let areMarked = source == GatheredRows.marked
            let isMarked = areMarked && !edge.link.isOwnedParent && edge.link.columns.allSatisfy(hasMark)
            guard let part = otherEnd(of: edge, of: node, source, isMarked: isMarked, within: seen, &build, &gathered)
            else { return nil }
            parts.append(part)
        }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    /// Whether a row `t` leads by a link that the erasure left to a row of another subject.
    private func otherEnd(
        of edge: RowGraph.Edge, of node: RowGraph.Node, _ source: String, isMarked: Bool, within seen: Set<Int>,
        _ build: inout RowStatementBuilder, _ gathered: inout GatheredRows
    ) -> String? {
        let parent = graph.nodes[edge.parent]
        if parent.rule.erasesRows {
            return isMarked ? nil : leading(from: node, source, by: edge, &build, &gathered)
        }
        guard !seen.contains(parent.index) else { return nil }
        let within = seen.union([parent.index])
        guard !graph.isDistributed else {
            let parents = gatheredParents(of: node, source, by: edge, &build, &gathered)
            return adoption(of: parent, as: parents, within: within, &build, &gathered).map { adopted in
                let isAdopted = isOne(of: parents, where: adopted, edge, build)
                return leading(from: node, source, by: edge, &build, &gathered, and: isAdopted)
            }
        }
        guard let adopted = adoption(of: parent, as: "", within: within, &build, &gathered) else { return nil }
        // The parent's own condition calls it `t`, too.
        let (one, same) = (identity(parent, "p", build), identity(parent, "t", build))
        let isParent = zip(one, same).map { "\($0) = \($1)" }.joined(separator: " AND ")
        return leading(
            from: node, source, by: edge, &build, &gathered,
            and: "EXISTS (SELECT 1 FROM \(build.rows(of: parent.table)) AS t WHERE \(isParent) AND (\(adopted)))")
    }

    private func hasMark(_ column: String) -> Bool { handle.marks.contains { $0.column == column } }

    /// Whether a row `t` leads to a row `p` by this link.
    private func leading(
        from node: RowGraph.Node, _ source: String, by edge: RowGraph.Edge, _ build: inout RowStatementBuilder,
        _ gathered: inout GatheredRows, and condition: String? = nil
    ) -> String {
        let conditions = [joined(node, edge, &build), condition].compactMap(\.self).joined(separator: " AND ")
        let parents = "\(build.rows(of: graph.nodes[edge.parent].table)) AS p"
        guard !graph.isDistributed else {
            gathered.isUsed = true
            return isOne(of: source, node, edge, joining: "\(parents) ON \(conditions)", &build)
        }
        return "EXISTS (SELECT 1 FROM \(parents) WHERE \(conditions))"
    }

    /// Whether a row `p` is the one that a row `t` leads to by this link.
    func joined(_ node: RowGraph.Node, _ edge: RowGraph.Edge, _ build: inout RowStatementBuilder) -> String {
        let own = identity(graph.nodes[edge.parent], "p", build)
        return RowComparison(graph: graph, edge: edge, child: node.table).joined(
            "p", column: { "p.\(dialect.quoted(edge.link.targetColumns[$0]))" }, identity: { own[$0] }, &build)
    }

    /// Whether a linking column holds another value than the erasure wrote: a constant, such as the key of a user that
    /// stands for deleted users, names no other subject. `nil` if reading cannot show it.
    private func rewritten(
        _ edge: RowGraph.Edge, of node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String? {
        let assignment = ColumnAssignment(dialect: dialect, table: node.table)
        let changed = node.columns.filter { edge.link.columns.contains($0.name) && node.changes($0.name) }
            .map { assignment.violation(of: $0, &build) }
        return changed.contains(nil) ? nil : "(\(changed.compactMap(\.self).joined(separator: " OR ")))"
    }

    func identity(_ node: RowGraph.Node, _ row: String, _ build: RowStatementBuilder) -> [String] {
        RowSelection(graph: graph).identity(of: node.index, build, as: row)
    }

    /// The retained columns, which are emptied at the end. Keys stay: without the rest they lead to no subject.
    private func emptied(in table: SchemaTable) -> [String] {
        let kept = plan[table.name]?.columns.filter { $0.rule?.isRetained == true }.map(\.name) ?? []
        return kept.filter { table[$0]?.isNullable == true && !table.primaryKey.contains($0) }
    }
}
