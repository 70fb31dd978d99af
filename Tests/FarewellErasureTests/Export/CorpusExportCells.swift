// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import PlanCorpus

/// The cells of the corpus that an export of one person may contain, by what the schema's author says of each column.
///
/// A person's export has no key of another person. If a row has two owners, the author of the row is the one whom a column
/// names, and not a row of the person's; of two columns, the one that is not listed here.
struct CorpusExportCells {
    private static let otherSides: Set<String> = ["followee_id", "recipient_uid", "target_account_id", "target_id", "likeable_id"]

    let record: CorpusRecord
    let table: CorpusTable
    let person: Int

    /// The text of each column of a row; `nil` where the export has none.
    func texts(of row: CorpusRecord.Row) -> [String?] {
        let isAnothers = isAnothers(row)
        return zip(table.columns, row.cells).map { column, cell in
            let leads = table.leads.filter { $0.columns.contains(column.name) && $0.kind != .about }
            if leads.contains(where: { $0.form == .list }) {
                let own = cell.names.filter { record.rows[$0.table]?[$0.row].owners.contains(person) == true }
                return own.isEmpty ? nil : own.map(\.text).joined(separator: ",")
            }
            if leads.contains(where: { isOwn($0, row) }) { return cell.text }
            if leads.contains(where: { isOfPeople($0.target) && isSet($0, row) }) { return nil }
            return !isAnothers || isNumber(column) ? cell.text : nil
        }
    }

    private func isAnothers(_ row: CorpusRecord.Row) -> Bool {
        guard table.name != record.schema.subject.table else { return false }
        let owning = table.leads.filter(\.owns)
        let people = owning.filter { isOfPeople($0.target) }
        let named = people.filter { !Self.otherSides.contains($0.columns[0]) }
        let authors = named.isEmpty ? people : named
        return authors.count < owning.count && authors.contains { isSet($0, row) } && !authors.contains { isOwn($0, row) }
    }

    /// Whether rows of a table are people: one for each of them.
    private func isOfPeople(_ name: String) -> Bool {
        guard name != record.schema.subject.table else { return true }
        guard let owning = record.schema[name]?.leads.filter(\.owns), owning.count == 1, owning[0].condition == nil else { return false }
        return owning[0].kind == .owner && owning[0].form == .value && record.schema[name]?.isUnique(owning[0].columns) == true
    }

    private func isSet(_ lead: CorpusLead, _ row: CorpusRecord.Row) -> Bool {
        let isMeant = lead.condition.map { text($0.column, row) == $0.value } ?? true
        return isMeant && lead.columns.allSatisfy { text($0, row) != nil }
    }

    /// Whether a row names the person, or a row of the person's.
    private func isOwn(_ lead: CorpusLead, _ row: CorpusRecord.Row) -> Bool {
        guard isSet(lead, row), let target = record.schema[lead.target] else { return false }
        guard lead.form == .value else {
            // A value in a document that owns the row names no other row.
            let names = table.place(of: lead.columns[0]).map { row.cells[$0].names } ?? []
            guard !names.isEmpty else { return lead.owns && row.owners.contains(person) }
            return names.allSatisfy { record.rows[$0.table]?[$0.row].owners.contains(person) == true }
        }
        let values = lead.columns.map { text($0, row) }
        let places = lead.targetColumns.compactMap(target.place(of:))
        return (record.rows[lead.target] ?? []).contains { named in
            named.owners.contains(person) && places.map { named.cells[$0].text } == values
        }
    }

    private func text(_ column: String, _ row: CorpusRecord.Row) -> String? {
        table.place(of: column).flatMap { row.cells[$0].text }.map { $0.hasSuffix(".0") ? String($0.dropLast(2)) : $0 }
    }

    /// Whether a column is the row's own number.
    private func isNumber(_ column: CorpusTable.Column) -> Bool {
        let isNumber = ["bigint", "integer"].contains(column.type) || column.type == "uuid" && record.dialect == .postgresql
        return isNumber && table.primaryKey == [column.name] && !table.leads.contains { $0.columns.contains(column.name) }
    }
}
