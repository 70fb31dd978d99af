// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension ConstantProbe {
    /// SQLite: only checks of columns that are all known can be answered; not of columns that compare in their own way.
    func refusedBySQLite(
        _ settled: [Settled], _ table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [Finding] {
        guard table.kind != .virtual else { return [] }
        let made = try await connection.run(
            SQLStatement(
                "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = $1",
                [.text(NameSpelling.name(table.name.name))]))
        var findings: [Finding] = []
        for check in SQLiteExpression.checks(in: made.scalar?.text ?? "") {
            let names = table.columns.map(\.name).filter(check.mentions)
            guard let columns = Self.known(names, among: settled),
                columns.allSatisfy({ $0.column.looseEquality == nil }),
                try await refuses(columns, check, of: table, on: connection)
            else { continue }
            findings += refusal(of: columns, by: check.name, in: table)
        }
        return findings
    }

    private func refuses(
        _ columns: [Settled], _ check: SQLiteExpression, of table: SchemaTable, on connection: any SQLConnection
    ) async throws -> Bool {
        try await asked("NOT (\(check.text))", columns, of: table, on: connection)?.first?.integer == 1
    }

    /// The values of expressions over a row of these values; `nil` if they cannot be evaluated here, for example
    /// because they call an app's own function.
    func asked(
        _ expressions: String, _ columns: [Settled], of table: SchemaTable, on connection: any SQLConnection
    ) async throws -> [SQLValue]? {
        let values = columns.enumerated().map { position, settled in
            "\(stored(settled, "$\(position + 1)")) AS \(schema.dialect.quoted(settled.column.name))"
        }
        let question = SQLStatement(
            "SELECT \(expressions) FROM (SELECT \(values.joined(separator: ", "))) "
                + "AS \(schema.dialect.quoted(table.name.name))",
            columns.map { $0.constant.map(SQLValue.text) ?? .null })
        do {
            return try await connection.run(question).rows.first
        } catch let error as FarewellError where error.family != .tryAgain {
            return nil
        }
    }

    /// A value as the column's affinity stores it (sqlite.org/datatype3.html, 3.1).
    private func stored(_ settled: Settled, _ parameter: String) -> String {
        let type = settled.column.type.uppercased()
        func names(_ parts: String...) -> Bool { parts.contains(where: type.contains) }
        if !names("INT"), names("CHAR", "CLOB", "TEXT") { return "CAST(\(parameter) AS TEXT)" }
        let isNumber = settled.constant.map { ConstantFit.isNumber($0) && Double($0) != nil } ?? false
        let isKept = !names("INT") && (names("BLOB") || type.isEmpty)
        guard isNumber, !isKept else { return parameter }
        let isReal = !names("INT") && names("REAL", "FLOA", "DOUB")
        return "CAST(\(parameter) AS \(isReal ? "REAL" : "NUMERIC"))"
    }
}
