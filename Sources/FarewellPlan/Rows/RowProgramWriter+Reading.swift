// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowProgramWriter {
    /// The columns that name the subject's files in a folder, or the subject in another system.
    func names(_ columns: [String: ColumnName]) throws -> [String: RowStatement] {
        try columns.mapValues { column in
            let isSealed = SignInCredential.isOne(column, graph.dialect)
            // All of them: a file that is not named here stays forever, because the row that names it is deleted.
            return try values(
                of: isSealed ? [column, SignInCredential.client(of: column)] : [column], isBounded: false)[0]
        }
    }

    /// `(subject, values…)` of columns of the subjects' rows, as text; one statement for each table.
    func values(of columns: [ColumnName], isBounded: Bool = true) throws -> [RowStatement] {
        for name in columns where graph.nodes.first(where: { $0.table.name == name.table })?.table[name.column] == nil {
            throw FarewellError(
                "plan.unknown-name", .yoursToFix, "The plan names a column that the schema does not have: \(name).",
                remedy: "Run farewell check and correct the plan.")
        }
        return graph.nodes.compactMap { node in
            let wanted = columns.filter { $0.table == node.table.name }
            guard !wanted.isEmpty else { return nil }
            var build = RowStatementBuilder(dialect: graph.dialect)
            let own = values(of: wanted.map(\.column), in: node, isBounded: isBounded, &build)
            let inherited = graph.descendants[node.index].compactMap { index -> String? in
                let heir = graph.nodes[index]
                let isNamed = wanted.allSatisfy { columns.contains(ColumnName(heir.table.name, $0.column)) }
                return isNamed ? nil : values(of: wanted.map(\.column), in: heir, isBounded: isBounded, &build)
            }
            guard !inherited.isEmpty else { return build.statement(own) }
            return build.statement(([own] + inherited).map { "(\($0))" }.joined(separator: " UNION ALL "))
        }
    }

    private func values(
        of columns: [String], in node: RowGraph.Node, isBounded: Bool, _ build: inout RowStatementBuilder
    ) -> String {
        let value = columns.map { text(of: $0, in: node.table, build) }.joined(separator: ", ")
        let table = build.rows(of: node.table)
        if isCountedInPlace(node.index), let condition = selection.directCondition(node.index, &build) {
            let subject = selection.subject(node.index, &build)
            let limit = isBounded ? " LIMIT \(build.parameter(.limit))" : ""
            return "SELECT \(subject), \(value) FROM \(table) AS t WHERE \(condition)\(limit)"
        }
        let with = selection.with([node.index], &build)
        let identity = selection.identity(of: node.index, build)
        let joined = identity.enumerated().map { "\($1) = f.i\($0)" }.joined(separator: " AND ")
        let limit = isBounded ? " LIMIT \(build.parameter(.limit))" : ""
        return "\(with)SELECT f.subject, \(value) FROM f\(node.index) AS f JOIN \(table) AS t ON \(joined)\(limit)"
    }

    /// A column's value as text; bytes as PostgreSQL writes them, `\x0a1b`, which on SQLite would be no text.
    private func text(of column: String, in table: SchemaTable, _ build: RowStatementBuilder) -> String {
        let value = "t.\(build.quoted(column))"
        let areBytes = !graph.dialect.hasColumnTypes && table[column]?.kind == .bytes
        return areBytes ? "'\\x' || lower(hex(\(value)))" : "CAST(\(value) AS text)"
    }

    /// The remaining rows, found in another way than for the erasure: not through parents, which are deleted, but by
    /// the subject's key and by the parents' keys that were captured before.
    func readBack(_ captures: RowStatementBuilder.Captures = .given, trustsCascades: Bool = true) -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect, captures: captures)
        let parts = graph.nodes.flatMap { leftParts(of: $0, &build, trustsCascades: trustsCascades) }
        return build.statement(build.union(parts))
    }

    /// `(place, n)` of the remaining rows in one place, once for each way in which it is read.
    private func leftParts(
        of node: RowGraph.Node, _ build: inout RowStatementBuilder, trustsCascades: Bool = true
    ) -> [String] {
        let table = build.rows(of: node.table)
        var earlier = ""
        return leftoverConditions(node, &build, trustsCascades: trustsCascades).map { condition in
            defer { earlier += " AND (\(condition)) IS NOT TRUE" }
            return "SELECT \(place(node)) AS place, count(*) AS n FROM \(table) AS t WHERE (\(condition))\(earlier)"
        }
    }

    /// A further condition of the statement that deletes the subject's own row: nothing else is left of the subject.
    ///
    /// - Parameter nodes: Deleted with it, and not checked.
    func nothingElseIsLeft(besides nodes: [Int] = [], _ build: inout RowStatementBuilder) -> String {
        var parts: [String] = []
        for node in graph.nodes where node.index != graph.root && !nodes.contains(node.index) {
            parts += leftParts(of: node, &build)
        }
        guard !parts.isEmpty else { return "" }
        return " AND NOT EXISTS (SELECT 1 FROM (\(build.union(parts))) AS l WHERE l.n > 0)"
    }

    /// How many places reading back asks about. Not among them: rows that stay, lose what they are found by, and are
    /// not known by their own key.
    func readBackPlaces() -> Int {
        var build = RowStatementBuilder(dialect: graph.dialect)
        return graph.nodes.count { !leftoverConditions($0, &build).isEmpty && !graph.losesSight(of: $0) }
    }

    func storedKey() -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let key = "t." + build.quoted(graph.keyColumn.name)
        let asked = build.parameter(.subjects(graph.keyColumn.kind))
        let cases = UUIDSpelling.allCases.map { build.parameter(.subjectUUID($0)) }
            .joined(separator: ", ")
        return build.statement(
            "SELECT \(key) FROM \(graph.subjects(build)) AS t "
                + "WHERE \(key) IN (\(asked), \(cases)) ORDER BY \(key) <> \(asked) LIMIT 1")
    }

    func uuidKey() -> RowStatement {
        let build = RowStatementBuilder(dialect: graph.dialect)
        let key = "t." + build.quoted(graph.keyColumn.name)
        let digits = [8, 4, 4, 4, 12].map { String(repeating: "_", count: $0) }.joined(separator: "-")
        return build.statement(
            "SELECT \(key) FROM \(graph.subjects(build)) AS t WHERE CAST(\(key) AS text) LIKE '\(digits)' LIMIT 1")
    }

    func sampledKeys() -> RowStatement {
        let build = RowStatementBuilder(dialect: graph.dialect)
        let key = "t." + build.quoted(graph.keyColumn.name)
        return build.statement("SELECT \(key) FROM \(graph.subjects(build)) AS t WHERE \(key) IS NOT NULL LIMIT 100")
    }

    func sampledNames(_ column: ColumnName) -> RowStatement? {
        guard let node = graph.nodes.first(where: { $0.table.name == column.table }) else { return nil }
        let build = RowStatementBuilder(dialect: graph.dialect)
        let value = text(of: column.column, in: node.table, build)
        return build.statement("SELECT \(value) FROM \(build.rows(of: node.table)) AS t WHERE \(value) <> '' LIMIT 100")
    }

    /// One for each way to the node, so that each uses its own index.
    private func leftoverConditions(
        _ node: RowGraph.Node, _ build: inout RowStatementBuilder, trustsCascades: Bool = true
    ) -> [String] {
        // Written on a copy: parameters of a condition that is not used must not be part of the statement.
        var writing = build
        var reached: [String] = []
        if node.index == graph.root, let own = selection.directCondition(node.index, &writing) {
            reached.append("(\(own))")
        }
        for edge in node.links where edge.isDirect {
            // Also if the row may stay for another subject: it must not name this subject any longer.
            let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
            reached.append("(\(comparison.direct(&writing)))")
        }
        for edge in node.links where !edge.isDirect && edge.parent != node.index {
            // Each table is read at least once; rows that the database's own key excludes are not read again.
            if !reached.isEmpty, node.rule.erasesRows,
                graph.isVouchedFor(edge, of: node.index, trustsCascades: trustsCascades)
            {
                continue
            }
            let named = capturedCondition(edge, node, &writing)
            reached.append(edge.link.isOwnedParent ? "\(named) AND \(selection.isUnnamed(node.index, writing))" : named)
        }
        // A list of another form: no statement of the erasure has found the row.
        for edge in node.links {
            let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
            if let mentioned = comparison.mentions(&writing) { reached.append("(\(mentioned))") }
        }
        var left: [String] = []
        if node.rule.erasesRows {
            left = reached
        } else if !reached.isEmpty, let violated = violated(node, &writing) {
            // Last: the others are counted without it.
            if let known = knownByKey(node, &writing) { reached.append(known) }
            left = reached.map { "\($0) AND \(violated)" }
        }
        if !left.isEmpty { build = writing }
        return left + node.references.map { "(\(stillNames($0, node, &build))\(isMentioned($0, node, &build)))" }
    }

    /// Whether another subject's row `t` still names the subject by a link that only refers to them.
    private func stillNames(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        guard edge.isDirect else { return capturedCondition(edge, node, &build) }
        return RowComparison(graph: graph, edge: edge, child: node.table).direct(&build)
    }

    /// A further condition: a list in text that is not written in the declared form still contains the subject's key.
    private func isMentioned(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        RowComparison(graph: graph, edge: edge, child: node.table).mentions(&build).map { " OR \($0)" } ?? ""
    }

    /// Whether reading back looks for the subject's key in lists of another form.
    var mayBeMentioned: Bool {
        graph.nodes.contains { node in
            (node.references + node.links).contains { edge in
                var unused = RowStatementBuilder(dialect: graph.dialect)
                return isMentioned(edge, node, &unused) != ""
            }
        }
    }

    /// Whether a row `t` still differs from the rules; `nil` if reading cannot show it.
    func violated(_ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String? {
        let assignment = ColumnAssignment(dialect: graph.dialect, table: node.table)
        let violations = node.columns.compactMap { assignment.violation(of: $0, &build) }
        return violations.isEmpty ? nil : "(\(violations.joined(separator: " OR ")))"
    }

    /// Whether a row `t` has one of the keys that the subject's rows had before they lost the values by which they were
    /// found, and is not another subject's by now; `nil` if rows are not identified by their keys.
    private func knownByKey(_ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String? {
        guard graph.isKnownByKey(node), let lettingGo = graph.lettingGo(of: node) else { return nil }
        let assignment = ColumnAssignment(dialect: graph.dialect, table: node.table)
        let isFree = lettingGo.compactMap { columns -> String? in
            let held = columns.compactMap { assignment.violation(of: $0, &build) }
            return held.isEmpty ? nil : "NOT (\(held.joined(separator: " AND ")))"
        }
        return ([isAmongOwnKeys(node, &build)] + isFree).joined(separator: " AND ")
    }

    /// Whether a row `t` has one of the keys by which rows that stay are known.
    func isAmongOwnKeys(_ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        let places = graph.ownKey(of: node)
        let list = build.list(.capturedKeys(node: node.index, columns: places))
        let columns = places.map { node.table.columns[$0] }
        let own = columns.map { column in
            let value = "t." + build.quoted(column.name)
            return !graph.dialect.hasColumnTypes && column.kind == .bytes ? "hex(\(value))" : column.compared(value)
        }
        let keys = columns.enumerated().map { position, column in
            graph.dialect.keyValue(position, as: column.comparedType)
        }
        let source = graph.dialect.unpackedKeys(list)
        return "\(selection.tuple(own)) IN (SELECT \(keys.joined(separator: ", ")) FROM \(source))"
    }

    /// Everything that is left, the subject's own row last.
    func leftovers() throws -> [RowProgram.Effect] {
        var writer = self
        writer.isSweeping = true
        return try resets() + objects { _ in true } + strays() + writer.effects(isRootLast: true) { _ in true }
    }

    /// Rows that are identified by their own key alone are anonymised again if they are not any more; values derived
    /// from the old ones are made only once.
    private func resets() throws -> [RowProgram.Effect] {
        try graph.nodes.compactMap { node in
            var build = RowStatementBuilder(dialect: graph.dialect)
            guard let known = knownByKey(node, &build), let violated = violated(node, &build) else { return nil }
            let assignment = ColumnAssignment(dialect: graph.dialect, table: node.table)
            let columns = node.columns.filter { $0.rule?.isMadeOfOld == false }
            let assignments = try columns.compactMap { try assignment.text(for: $0, &build) }
            return RowProgram.Effect(
                statements: [
                    build.statement(
                        "UPDATE \(build.rows(of: node.table)) AS t SET \(assignments.joined(separator: ", ")) "
                            + "WHERE \(known) AND \(violated)")
                ], nodes: [node.index], isAgain: true)
        }
    }

    /// The rows that still name one of the keys their parents had.
    func capturedCondition(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        return edge.link.columns.count == 1 ? comparison.isAmongCaptured(&build) : comparison.isAmongKeys(&build)
    }

    func retentionStarts() -> [Int: RowStatement] {
        var starts: [Int: RowStatement] = [:]
        for node in graph.nodes {
            guard let retention = node.rule.retention, let start = retention.start, node.table[start] != nil else {
                continue
            }
            var build = RowStatementBuilder(dialect: graph.dialect)
            let with = selection.with([node.index], &build)
            let identity = selection.identity(of: node.index, build)
            let joined = identity.enumerated().map { "\($1) = f.i\($0)" }.joined(separator: " AND ")
            let column = "t.\(build.quoted(start))"
            // The last value says how many rows have no start.
            let value = instants(of: column, node.table[start]) + ", count(*) - count(\(column))"
            starts[node.index] = build.statement(
                with,
                "SELECT f.subject, \(value) FROM f\(node.index) AS f "
                    + "JOIN \(build.rows(of: node.table)) AS t ON \(joined) GROUP BY f.subject")
        }
        return starts
    }

    /// PostgreSQL: the latest instant. A date or a time without a zone is converted in UTC, whatever the session's own
    /// zone is; `infinity` and days that no timestamp can hold become the year 9000. SQLite: the greatest and the least
    /// value; values of several forms are not in the order of their days.
    private func instants(of column: String, _ schema: SchemaColumn?) -> String {
        guard graph.dialect.hasColumnTypes else { return "max(\(column)), min(\(column))" }
        // LEAST ignores nulls.
        let latest = "CASE WHEN max(\(column)) IS NOT NULL THEN least(max(\(column)), '9000-01-01') END"
        return schema?.baseType == "timestamptz" ? latest : "(\(latest))::timestamp AT TIME ZONE 'UTC'"
    }
}

extension RowProgram {
    /// The next keys of the subject's table, in their order, from behind `last`.
    package func keys(after last: SQLValue?, limit: Int) -> SQLStatement {
        let build = RowStatementBuilder(dialect: graph.dialect)
        let key = build.quoted(graph.keyColumn.name)
        let beyond = last == nil ? "" : "WHERE \(key) > $1 "
        return SQLStatement(
            "SELECT \(key) FROM \(graph.subjects(build)) "
                + "\(beyond)ORDER BY \(key) LIMIT \(limit)",
            last.map { [$0] } ?? [])
    }

    /// The number of rows that are not the subject's and name a path in this column. The last parameters are the `ways`
    /// spellings of the path. `nil` for a column of bytes, which names nothing that two subjects could share.
    package func strangers(naming column: ColumnName, inWays ways: Int) -> RowStatement? {
        statement(naming: column, inWays: ways) { _, isOwn in ("count(*)", "NOT \(isOwn)") }
    }

    /// Rows that are not the subject's and name something like a path: `(identity…, name)`, up to `mostStrangers`. The
    /// last two parameters are the path's strict and its loose pattern (``SQLDialect/namesPath(_:strictly:loosely:)``).
    package func strangers(likeNaming column: ColumnName) -> RowStatement? {
        let name = "CAST(t.\(graph.dialect.quoted(column.column)) AS text)"
        return statement(naming: column, inWays: 0) { identity, isOwn in
            ((identity + [name]).joined(separator: ", "), "NOT \(isOwn)")
        }
    }

    package static let mostStrangers = 1_000

    /// Which rows of the subject's do, each by its identity.
    package func own(naming column: ColumnName, inWays ways: Int) -> RowStatement? {
        statement(naming: column, inWays: ways) { identity, isOwn in (identity.joined(separator: ", "), isOwn) }
    }

    private func statement(
        naming column: ColumnName, inWays ways: Int,
        _ asked: (_ identity: [String], _ isOwn: String) -> (values: String, which: String)
    ) -> RowStatement? {
        guard let node = graph.nodes.first(where: { $0.table.name == column.table }),
            node.table[column.column]?.kind != .bytes
        else { return nil }
        let selection = RowSelection(graph: graph)
        var build = RowStatementBuilder(dialect: graph.dialect)
        let heirs = selection.heirs(of: node)
        let with = selection.with(Set([node.index] + heirs), &build)
        let identity = selection.identity(of: node.index, build)
        let places = (1...max(ways, 2)).map { "$\(build.slots.count + $0)" }
        let named = "t.\(build.quoted(column.column))"
        let isNamed =
            ways > 0
            ? "\(named) IN (\(places.prefix(ways).joined(separator: ", ")))"
            : graph.dialect.namesPath(named, strictly: places[0], loosely: places[1])
        let (values, which) = asked(identity, selection.isOwn(node, heirs, build))
        return build.statement(
            "\(with)SELECT \(values) FROM \(build.quoted(column.table)) AS t "
                + "WHERE \(isNamed) AND \(which)" + (ways > 0 ? "" : " LIMIT \(Self.mostStrangers)"))
    }
}
