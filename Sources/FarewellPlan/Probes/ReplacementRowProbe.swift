// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Checks in the database whether the row exists that a reference names afterwards (`set:`): if it has a key, it would
/// refuse any other value.
package struct ReplacementRowProbe {
    private let plan: Plan
    private let schema: Schema
    private let readsRows: Bool
    /// The most rows with all values of a reference that are read.
    private static let most = 100_000

    /// - Parameter readsRows: Whether rows are read that keep other columns of the key, such as the tenant's.
    package init(_ plan: Plan, _ schema: Schema, readsRows: Bool = false) {
        self.plan = plan
        self.schema = schema
        self.readsRows = readsRows
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        var forbidden = ForbiddenTables(plan, schema)
        for entry in plan.tables where entry.rule.isPersonal {
            for (place, link) in entry.links.enumerated() where link.replacement != nil && link.onDelete != nil {
                guard let target = schema[link.target] else { continue }
                switch try await presence(link, of: entry.table, in: target, on: connection) {
                case .missing: findings.append(unknown(link, of: entry.table, in: target))
                case .forbidden: forbidden.add(target)
                case .found:
                    let earlier = entry.links[..<place].filter { other in
                        other.isReference && other.columns == link.columns && other.target == link.target
                    }.map(\.condition)
                    let rows = OwnRowConditions(link, of: entry, plan, schema)
                    let lacking = try await lacking(
                        link, of: entry.table, in: target, after: earlier, keeping: rows, on: connection)
                    guard lacking > 0 else { break }
                    findings.append(
                        unknown(link, of: entry.table, in: target, (number: lacking, isCertain: !rows.areUnknown)))
                case nil: break
                }
            }
        }
        return findings + forbidden.findings
    }

    /// Whether a value that is to replace the reference of a question is in no row of a table to which its key leads.
    package func isUnknown(
        _ value: String, in question: PlanQuestion, on connection: any SQLConnection
    ) async throws -> Bool {
        for link in question.links where link.onDelete != nil {
            guard let target = schema[link.target] else { continue }
            var link = link
            link.replacement = value
            if try await presence(link, of: question.table, in: target, on: connection) == .missing { return true }
        }
        return false
    }

    /// `nil` where the database need not be asked.
    private func presence(
        _ link: Link, of table: TableName, in target: SchemaTable, on connection: any SQLConnection
    ) async throws -> RowPresence.Answer? {
        guard let text = link.replacement, let names = replaced(by: link), let key = target[names.target],
            let column = schema[table]?[names.column], ConstantFit.problem(text, column) == nil
        else { return nil }
        return try await RowPresence(dialect: schema.dialect).answer([(key, text)], in: target, on: connection)
    }

    /// The column whose value is replaced, and the column that it leads to.
    private func replaced(by link: Link) -> (column: String, target: String)? {
        guard let name = ReferenceChange.replaced(by: link, to: CheckContext(plan, schema).referenceTarget(link))
        else { return nil }
        return zip(link.columns, link.targetColumns).first { $0.0 == name }.map { (column: $0.0, target: $0.1) }
    }

    /// Of a key of several columns: with how many values of the others, such as tenants, rows refer to a row there,
    /// while none has the value of `set`.
    ///
    /// - Parameters:
    ///   - earlier: The conditions of links by the same columns that are followed before.
    ///   - kept: The rows that are not deleted with the row that they refer to: no other needs a value.
    private func lacking(
        _ link: Link, of table: TableName, in target: SchemaTable, after earlier: [LinkCondition],
        keeping kept: OwnRowConditions, on connection: any SQLConnection
    ) async throws -> Int64 {
        let dialect = schema.dialect
        // Citus compares no rows of one query with rows of another server.
        guard readsRows, !schema.isDistributed, link.columns.count > 1, let text = link.replacement,
            let names = replaced(by: link), let own = schema[table], let key = target[names.target],
            own.isReadable, target.isReadable,
            !own.missingRights.contains("usage"), !target.missingRights.contains("usage")
        else { return 0 }
        var parameters: [SQLValue] = [.text(text)]
        func tests(of condition: LinkCondition) -> [String] {
            condition.parts.map { part in
                let name = dialect.quoted(part.column)
                guard !part.isNull else { return "\(name) IS NULL" }
                let values = part.values.map { value in
                    parameters.append(.text(value))
                    return dialect.typed("$\(parameters.count)", "text")
                }
                return "CAST(\(name) AS text) IN (\(values.joined(separator: ", ")))"
            }
        }
        var conditions = link.columns.map { "\(dialect.quoted($0)) IS NOT NULL" }
        conditions += tests(of: link.condition)
        for condition in earlier where !condition.isEmpty {
            conditions.append("(\(tests(of: condition).joined(separator: " AND "))) IS NOT TRUE")
        }
        for (owner, isKept) in kept.kept {
            let isOwned = owner.condition.isEmpty ? nil : tests(of: owner.condition).joined(separator: " AND ")
            conditions.append(isOwned.map { "((\($0)) IS NOT TRUE OR \(isKept))" } ?? isKept)
        }
        let others = zip(link.columns, link.targetColumns).filter { $0.0 != names.column }
        let columns = others.map { dialect.quoted($0.0) }.joined(separator: ", ")
        let same = others.map { column, name in
            let equality = dialect.equality(of: own[column], with: target[name])
            return "\(equality.keySide("p.\(dialect.quoted(name))")) = \(equality.side("g.\(dialect.quoted(column))"))"
        }
        let value = "p.\(dialect.quoted(names.target)) = \(dialect.castText("$1", as: key.qualifiedType))"
        let rows =
            "SELECT \(columns) FROM (SELECT * FROM \(RefusedRows.source(own, dialect))) AS t "
            + "WHERE \(conditions.joined(separator: " AND ")) LIMIT \(Self.most)"
        let found = try await connection.run(
            SQLStatement(
                "SELECT count(*) FROM (SELECT DISTINCT \(columns) FROM (\(rows)) AS r) AS g WHERE NOT EXISTS (SELECT 1 "
                    + "FROM \(dialect.qualified(target.name)) AS p WHERE "
                    + "\(([value] + same).joined(separator: " AND ")))", parameters))
        return found.scalar?.integer ?? 0
    }

    /// - Parameter lacking: With how many values of the other columns there is no such row; `nil`: with all.
    private func unknown(
        _ link: Link, of table: TableName, in target: SchemaTable,
        _ lacking: (number: Int64, isCertain: Bool)? = nil
    ) -> Finding {
        let place = Shown.name(target.name.description)
        let name = replaced(by: link)?.column ?? link.columns[0]
        let others = Shown.line(link.columns.filter { $0 != name }.joined(separator: ", "), limit: 160)
        let message =
            lacking.map { number, isCertain in
                "With \(number) value\(number == 1 ? "" : "s") of \(others) in rows here, no row of \(place) has the "
                    + "value of `set`: the database would refuse it"
                    + (isCertain ? "." : ", unless these rows are deleted with their own user.")
            } ?? "The value of `set` is in no row of \(place): the database would refuse it."
        return Finding(
            "link.set-unknown", lacking?.isCertain == false ? .warning : .error, table: table, column: name, message,
            remedy: lacking == nil
                ? "Add a row that replaces deleted ones, or name an existing one."
                : "Add such a row for each, or write a link for each before this one, with `where:` and its own value.")
    }
}
