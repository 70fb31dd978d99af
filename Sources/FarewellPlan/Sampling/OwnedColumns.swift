// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns of a subject's own rows that may contain another person: the members of a team that one subject owns,
/// friends beside a name. When the other person is erased, no link leads here.
///
/// Checked if a row names its subject: only then is it known which other persons there are.
struct OwnedColumns {
    /// Texts, documents and lists that neither plan nor database says anything of.
    let columns: [String]
    /// The columns that name the owner of the row.
    let owners: [String]

    init(_ entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) {
        let subject = context.plan.subject
        let isSubject = entry.table == subject.table
        let links = entry.links.filter {
            $0.target == subject.table && $0.targetColumns == [subject.key] && $0.columns.count == 1 && $0.path.isEmpty
        }
        let owners = isSubject ? [subject.key] : links.flatMap(\.columns)
        self.owners = owners
        guard !owners.isEmpty, entry.rule.isPersonal else {
            columns = []
            return
        }
        let keys = context.map.keys(of: entry.table).flatMap(\.key.columns)
        // The rule of a column for its own subject says nothing about other persons in it.
        let settled = entry.columns.filter { $0.rule?.isNotPersonal == true }.map(\.name)
        let spoken = keys + entry.links.flatMap(\.columns) + settled
        columns = table.columns.filter { column in
            guard !spoken.contains(column.name), !owners.contains(column.name) else { return false }
            switch column.kind {
            case .text, .json, .array: return true
            // In the subject's own rows every other UUID is checked anyway.
            case .uuid: return isSubject
            case .integer, .number, .boolean, .timestamp, .bytes, .other: return false
            }
        }.map(\.name)
    }

    /// - Parameter row: The values of `columns`, then those of `owners`.
    func collect(
        _ row: some Collection<SQLValue>, of table: TableName, into places: inout [SampledPlace: SampledValues]
    ) {
        let owners = row.dropFirst(columns.count).compactMap(\.text)
        let whose = Set(owners.filter { $0.utf8.count <= SampledValues.longestText }.map { $0.lowercased() })
        for (column, value) in zip(columns, row) {
            var found: [SampledPlace: SampledValues] = [:]
            SampledValues.collect(value, of: ColumnName(table, column), into: &found)
            for (place, values) in found { places[place, default: SampledValues()].add(keysOf: values, but: whose) }
        }
    }
}
