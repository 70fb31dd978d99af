// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The sampled values of type columns: each column is read once, however many questions there are about its pair.
struct TypeValues {
    /// The models by number that Django keeps in a table.
    let models: [String: String]
    private var read: [ColumnName: Set<String>] = [:]

    init(models: [String: String]) { self.models = models }

    mutating func values(
        of type: SchemaColumn, in table: SchemaTable, _ probe: SampleProbe, limit: Int
    ) async throws -> Set<String> {
        let place = ColumnName(table.name, type.name)
        if let known = read[place] { return known }
        let rows = try await probe.rows(of: table, columns: [type.name], limit: limit)
        let values = Set(rows.compactMap { $0.first?.text }.filter { $0.utf8.count <= 200 })
        read[place] = values
        return values
    }
}
