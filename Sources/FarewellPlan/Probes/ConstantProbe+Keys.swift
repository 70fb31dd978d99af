// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Unique indexes over expressions: whether what they make of the constants is one and the same for all rows.
extension ConstantProbe {
    func collisions(
        _ settled: [Settled], _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        let indexes = table.indexes.filter { $0.isUnique && $0.columns.contains("") }
        guard !indexes.isEmpty else { return [] }
        guard schema.dialect.hasColumnTypes else {
            var findings: [Finding] = []
            for index in indexes {
                findings += try await collision(settled, table, index, on: connection)
            }
            return findings
        }
        return try await collisionsOnPostgreSQL(settled, table, on: connection)
    }

    /// SQLite.
    private func collision(
        _ settled: [Settled], _ table: SchemaTable, _ index: SchemaIndex, on connection: any SQLConnection
    ) async throws -> [Finding] {
        let made = try await connection.run(
            SQLStatement(
                "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = $1",
                [.text(NameSpelling.name(index.name))]))
        let text = made.scalar?.text ?? ""
        guard let key = SQLiteExpression.key(ofIndex: text) else { return [] }
        let condition = SQLiteExpression.condition(ofIndex: text)
        let names = table.columns.map(\.name).filter { key.mentions($0) || condition?.mentions($0) == true }
        let covered = condition.map { "(\($0.text)) IS TRUE" } ?? "1"
        guard let columns = Self.constants(names, among: settled),
            // A condition is not answered for columns that compare in their own way.
            condition == nil || columns.allSatisfy({ $0.column.looseEquality == nil }),
            let values = try await asked("\(covered), \(key.text)", columns, of: table, on: connection),
            // Uncovered rows are never equal, and neither are nulls.
            values.first?.integer == 1, !values.contains(where: \.isNull)
        else { return [] }
        return finding(of: columns, by: index.name, in: table)
    }

    private func collisionsOnPostgreSQL(
        _ settled: [Settled], _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        let indexes = try await connection.run(
            SQLStatement(
                """
                SELECT k.relname::text, pg_catalog.pg_get_expr(i.indexprs, i.indrelid), \
                pg_catalog.pg_get_expr(i.indpred, i.indrelid), \
                ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = i.indrelid \
                AND a.attnum = ANY (i.indkey::int2[])), \
                ARRAY(SELECT DISTINCT a.attname::text FROM pg_catalog.pg_depend AS d \
                JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid \
                WHERE d.objid = i.indexrelid AND d.classid = 'pg_catalog.pg_class'::regclass \
                AND d.refclassid = d.classid AND d.refobjid = i.indrelid) \
                FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS k ON k.oid = i.indexrelid \
                WHERE i.indisunique AND i.indexprs IS NOT NULL AND i.indrelid = \(CatalogTable.number) ORDER BY 1
                """, CatalogTable.parameters(table.name)))
        var findings: [Finding] = []
        for row in indexes.rows {
            guard let name = row[0].text.map(NameSpelling.of), let made = row[1].text, case .array(let plain) = row[3],
                case .array(let all) = row[4],
                let columns = Self.constants(Self.names(all), among: settled)
            else { continue }
            let areNullsEqual = table.indexes.contains { $0.name == name && $0.areNullsEqual }
            let isEmptied = columns.contains { column in
                column.constant == nil && Self.names(plain).contains(column.column.name)
            }
            let apart = areNullsEqual ? "false" : "num_nulls(\(made)) > 0"
            let outside = row[2].text.map { " OR (\($0)) IS NOT TRUE" } ?? ""
            guard areNullsEqual || !isEmptied, try await !takes(columns, by: apart + outside, on: connection)
            else { continue }
            findings += finding(of: columns, by: name, in: table)
        }
        return findings
    }

    /// The columns of an index, if none of them distinguishes rows.
    private static func constants(_ names: [String], among settled: [Settled]) -> [Settled]? {
        known(names, among: settled).flatMap { $0.contains(where: \.isHash) ? nil : $0 }
    }

    private func finding(of columns: [Settled], by index: String, in table: SchemaTable) -> [Finding] {
        guard let first = columns.first(where: { $0.constant != nil }) else { return [] }
        return [
            Finding(
                "column.constant-not-unique", .error, table: table.name, column: first.column.name,
                "All rows with the constant are equal in the unique index \(Shown.name(index)): the database "
                    + "would refuse the second erasure.",
                remedy: "Use null or hash.")
        ]
    }
}
