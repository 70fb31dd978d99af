// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Reads a few rows to see which texts have the form of subjects' keys, where those are texts that programs made. A
/// type for UUIDs says as much without rows.
///
/// Nothing of the values but their form leaves it.
package struct TextKeySampling: Sendable {
    /// The most rows read of one table.
    private static let rowsPerTable = 200

    package init() {}

    /// The schema with the form of its texts; `nil` if subjects' keys are no such texts, or cannot be read.
    ///
    /// - Throws: the database's error if it should be tried again. Tables that cannot be read stay as they are.
    package func marked(
        _ schema: Schema, for subject: SubjectRoot, _ database: any SQLDatabase
    ) async throws -> Schema? {
        guard let table = schema[subject.table], let key = table[subject.key], key.kind == .text, key.labels == nil
        else { return nil }
        let isJSONText = !schema.dialect.failsOnOtherThanJSON
        return try await database.withConnection { connection -> Schema? in
            let probe = SampleProbe(connection: connection)
            let keys = try await Self.values(of: [key.name], in: table, probe)
            guard let form = KeyForm(of: keys.first ?? []) else { return nil }
            var marked = schema
            for place in marked.tables.indices {
                let table = marked.tables[place]
                let columns = table.columns.indices.filter { number in
                    table.columns[number].kind == .text && table.columns[number].labels == nil
                }
                let values = try await Self.values(of: columns.map { table.columns[$0].name }, in: table, probe)
                for (column, values) in zip(columns, values) {
                    marked.tables[place].columns[column].sampledText = form.reading(values, isJSONText: isJSONText)
                }
            }
            return marked
        }
    }

    /// The texts of each column in some rows; empty if the table cannot be read.
    private static func values(
        of columns: [String], in table: SchemaTable, _ probe: SampleProbe
    ) async throws -> [[String]] {
        guard !columns.isEmpty, table.isReadable, table.kind == .table || table.kind == .partitioned else { return [] }
        do {
            let rows = try await probe.shortTexts(of: table, columns: columns, limit: rowsPerTable)
            return columns.indices.map { number in
                rows.compactMap { number < $0.count ? $0[number].text : nil }
            }
        } catch let error as FarewellError where error.family != .tryAgain {
            return []
        }
    }
}
