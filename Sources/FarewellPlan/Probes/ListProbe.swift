// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Reads some values of the columns that list keys in text, and finds those that are no list of the declared form: a
/// member of such a value is neither found nor removed.
///
/// Names of several words and the like may contain any sign, so only lists of numbers and UUIDs are judged.
package struct ListProbe {
    private let plan: Plan
    private let map: SchemaMap
    /// The most rows read of one table.
    private let rowsPerTable: Int

    package init(_ plan: Plan, _ schema: Schema, rowsPerTable: Int = 1_000) {
        self.plan = plan
        map = SchemaMap(schema)
        self.rowsPerTable = rowsPerTable
    }

    /// - Parameter tables: Only these are read; `nil`: all.
    package func findings(
        in tables: Set<TableName>? = nil, on connection: any SQLConnection
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        for entry in plan.tables where entry.rule.isPersonal && tables?.contains(entry.table) != false {
            for link in entry.links {
                guard let finding = try await finding(link, of: entry, on: connection) else { continue }
                findings.append(finding)
            }
        }
        return findings
    }

    private func finding(
        _ link: Link, of entry: TablePlan, on connection: any SQLConnection
    ) async throws -> Finding? {
        guard let form = link.list, form == .comma || form == .json, link.path.isEmpty, link.columns.count == 1,
            let table = map[entry.table], table.isReadable, table[link.columns[0]]?.kind == .text,
            let key = map.column(link.target, link.targetColumns[0]), key.kind == .uuid || key.kind == .integer
        else { return nil }
        let values: [String]
        do {
            values = try await SampleProbe(connection: connection)
                .rows(of: table, columns: link.columns, limit: rowsPerTable).compactMap { $0.first?.text }
        } catch let error as FarewellError where error.family != .tryAgain {
            return nil
        }
        let other = values.filter { !ListText($0).fits(form) }
        guard !other.isEmpty else { return nil }
        return Finding(
            "list.other-form", .error, table: entry.table, column: link.columns[0],
            "\(other.count) of \(values.count) sampled values of this column are no list of the form "
                + "`\(form.rawValue)`: a subject in them is neither found nor removed.",
            remedy: other.allSatisfy { ListText($0) == .json } && !map.schema.dialect.failsOnOtherThanJSON
                ? "Write `list: json`."
                : "\(Self.remedy(map.schema.dialect)) If the list names no users, remove the link and write "
                    + "{\(Shown.line(TableName.written(link.columns[0]), limit: 120)): not personal} in `columns`.")
    }

    static func remedy(_ dialect: SQLDialect) -> String {
        let forms =
            dialect.failsOnOtherThanJSON
            ? "commas between them (`comma`), in jsonb (`json`) or in an array (`array`)"
            : "commas between them (`comma`) or in JSON (`json`)"
        return "Store the members with \(forms), in every row alike, or in rows of a table of their own."
    }
}
