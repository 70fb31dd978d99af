// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tests on the database itself whether it accepts the plan's constants, hashes and values of `set`: on PostgreSQL
/// their types, and on both databases the checks of their tables. Reads no row.
package struct ConstantProbe {
    private let plan: Plan
    let schema: Schema

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        self.schema = schema
    }

    /// A column whose value is known before there is a row.
    struct Settled {
        let column: SchemaColumn
        /// The constant, or what a hash may look like.
        let constant: String?
        var isHash = false
        /// Whether it replaces a reference (`set`).
        var isReplacement = false

        var noun: String { isHash ? "hash" : isReplacement ? "value of `set`" : "constant" }
        var unfit: Finding.Code {
            isHash ? "column.hash-unfit" : isReplacement ? "link.set-unfit" : "column.constant-unfit"
        }
        var refused: Finding.Code {
            isHash ? "column.hash-refused" : isReplacement ? "link.set-unfit" : "column.constant-refused"
        }
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        let tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
        var findings: [Finding] = []
        for entry in plan.tables where entry.rule.rowsStay {
            guard let table = tables[entry.table] else { continue }
            let settled = entry.columns.compactMap { planned in
                table[planned.name].flatMap { planned.rule?.kind.settled(in: $0, schema.dialect) }
            }
            guard settled.contains(where: { $0.constant != nil }) else { continue }
            let refused =
                schema.dialect.hasColumnTypes
                ? try await refusedByTypes(settled, table, on: connection)
                : try await refusedBySQLite(settled, table, on: connection)
            findings += refused
            guard refused.isEmpty else { continue }
            if schema.dialect.hasColumnTypes {
                findings += try await refusedByChecks(settled, table, on: connection)
            }
            findings += try await collisions(settled, table, on: connection)
        }
        for entry in plan.tables where entry.rule.isPersonal {
            guard let table = tables[entry.table] else { continue }
            for link in entry.links { findings += try await refusals(of: link, in: table, on: connection) }
        }
        return findings
    }

    /// Whether the type of a column or a check of it alone refuses a value that is to replace a question's reference.
    package func refuses(
        _ value: String, in question: PlanQuestion, on connection: any SQLConnection
    ) async throws -> Bool {
        guard let table = schema[question.table] else { return false }
        for link in question.links {
            var link = link
            link.replacement = value
            if !(try await refusals(of: link, in: table, on: connection)).isEmpty { return true }
        }
        return false
    }

    /// Values that do not fit by the schema alone are errors without a question to the database.
    private func refusals(
        of link: Link, in table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        guard let value = link.replacement, link.path.isEmpty, link.list == nil,
            let name = ReferenceChange.replaced(by: link, to: CheckContext(plan, schema).referenceTarget(link)),
            let column = table[name], ConstantFit.problem(value, column) == nil
        else { return [] }
        let settled = [Settled(column: column, constant: value, isReplacement: true)]
        guard schema.dialect.hasColumnTypes else {
            return try await refusedBySQLite(settled, table, on: connection)
        }
        let refused = try await refusedByTypes(settled, table, on: connection)
        return refused.isEmpty ? try await refusedByChecks(settled, table, on: connection) : refused
    }

    private func refusedByTypes(
        _ settled: [Settled], _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        let xml = settled.contains(where: \.isHash) ? try await columnsOfXML(table, on: connection) : []
        for known in settled {
            // A value that is converted for this query need not be converted when it is written.
            let isUnwritten = known.isHash && xml.contains(known.column.name)
            if !isUnwritten, try await takes([known], on: connection) { continue }
            let type = Shown.line(known.column.type, limit: 60)
            findings.append(
                Finding(
                    known.unfit, .error, table: table.name, column: known.column.name,
                    "The \(known.noun) does not fit \(type): PostgreSQL refuses it.",
                    remedy: known.isReplacement ? "Correct `set`." : "Correct the column's rule."))
        }
        return findings
    }

    /// The columns of XML, and of domains over it.
    private func columnsOfXML(_ table: SchemaTable, on connection: any SQLConnection) async throws -> Set<String> {
        let found = try await connection.run(
            SQLStatement(
                """
                WITH RECURSIVE made (name, type) AS (SELECT a.attname::text, a.atttypid \
                FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = \(CatalogTable.number) AND a.attnum > 0 \
                UNION ALL SELECT m.name, d.typbasetype FROM made AS m \
                JOIN pg_catalog.pg_type AS d ON d.oid = m.type AND d.typtype = 'd') \
                SELECT name FROM made WHERE type = 'pg_catalog.xml'::regtype
                """, CatalogTable.parameters(table.name)))
        return Set(Self.names(found.rows.compactMap(\.first)))
    }

    /// Only checks of columns that are all known can be answered; not of whole rows, nor of columns that compare in
    /// their own way.
    private func refusedByChecks(
        _ settled: [Settled], _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        let checks = try await connection.run(
            SQLStatement(
                """
                SELECT c.conname, pg_catalog.pg_get_expr(c.conbin, c.conrelid), ARRAY(SELECT a.attname::text FROM \
                pg_catalog.pg_attribute AS a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)) \
                FROM pg_catalog.pg_constraint AS c WHERE c.contype = 'c' AND c.conrelid = \(CatalogTable.number) \
                AND NOT 0 = ANY (c.conkey) AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute AS a \
                JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation \
                WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND NOT l.collisdeterministic) ORDER BY 1
                """, CatalogTable.parameters(table.name)))
        var findings: [Finding] = []
        for row in checks.rows {
            guard let name = row[0].text, let expression = row[1].text, case .array(let names) = row[2]
            else { continue }
            guard let columns = Self.known(Self.names(names), among: settled),
                try await !takes(columns, by: expression, on: connection)
            else { continue }
            findings += refusal(of: columns, by: name, in: table)
        }
        return findings
    }

    /// Names that the catalog answers, in their spelling.
    static func names(_ values: [SQLValue]) -> [String] { values.compactMap(\.text).map(NameSpelling.of) }

    /// The known values of the columns in a check; `nil` if they do not suffice to evaluate it.
    static func known(_ names: [String], among settled: [Settled]) -> [Settled]? {
        let columns = names.compactMap { name in settled.first { $0.column.name == name } }
        // A hash of null is null: which of several columns a row has, is unknown without a row.
        let isKnown = columns.count == 1 || !columns.contains { $0.isHash && $0.column.isNullable }
        return isKnown && columns.count == names.count && columns.contains { $0.constant != nil } ? columns : nil
    }

    /// That a check refuses the first of these values that is not null.
    func refusal(of columns: [Settled], by check: String?, in table: SchemaTable) -> [Finding] {
        guard let first = columns.first(where: { $0.constant != nil }) else { return [] }
        let name = check.map { "The table's check \(Shown.name($0))" } ?? "A check of the table"
        return [
            Finding(
                first.refused, .error, table: table.name, column: first.column.name,
                "\(name) refuses the \(first.noun).",
                remedy: first.isReplacement
                    ? "Write a value that the check allows into `set`."
                    : "Use \(first.isHash ? "null or " : "")a constant that the check allows.")
        ]
    }

    func takes(
        _ columns: [Settled], by check: String? = nil, on connection: any SQLConnection
    ) async throws -> Bool {
        let values = columns.enumerated().map { position, settled in
            let name = schema.dialect.quoted(settled.column.name)
            return "CAST($\(position + 1)::text AS \(settled.column.type)) AS \(name)"
        }
        // The database would not compute an unused value.
        let question = check.map { "CASE WHEN (\($0)) IS FALSE THEN 0 ELSE 1 END" } ?? "count(t.*)"
        do {
            let answer = try await connection.run(
                SQLStatement(
                    "SELECT \(question) FROM (SELECT \(values.joined(separator: ", "))) AS t",
                    columns.map { $0.constant.map(SQLValue.text) ?? .null }))
            return answer.scalar?.integer != 0
        } catch let error as FarewellError where error.family != .tryAgain {
            // Types and checks say in codes of their own what they do not take.
            return false
        }
    }
}
