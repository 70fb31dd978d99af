// SPDX-License-Identifier: Apache-2.0

extension CorpusRecord {
    /// What is otherwise than before although it is not the subject's: rows of others that are missing, and cells of
    /// others that name nobody of the subject's and have changed. Rows of the subject may be there or not.
    ///
    /// - Parameter found: What `everything` read.
    package func strange(in found: [String: [String]], without gone: Set<Int>) -> [String] {
        schema.tables.flatMap { table -> [String] in
            var left = found[table.name] ?? []
            var strange: [String] = []
            let rows = self.rows[table.name] ?? []
            let others = rows.filter { $0.owners.isDisjoint(with: gone) }
            for row in others {
                let forms = forms(of: row, in: table, without: gone)
                if let place = left.firstIndex(where: forms.contains) {
                    left.remove(at: place)
                } else {
                    strange.append("\(table.name): \((forms.first ?? "").replacing("\u{1f}", with: " | "))")
                }
            }
            let own = rows.count - others.count
            if left.count > own { strange.append("\(table.name): \(left.count - own) rows too many") }
            return strange
        }
    }

    /// How a row of others may look: each cell that names the subject as it was, or without the subject.
    private func forms(of row: Row, in table: CorpusTable, without gone: Set<Int>) -> Set<String> {
        var forms: Set<[String]> = [[]]
        for (column, cell) in zip(table.columns, row.cells) where !column.isTouched {
            let texts = Set([cell.text, text(of: cell, without: gone)].map { Self.written($0, cell.form) })
            forms = Set(forms.flatMap { form in texts.map { form + [$0] } })
        }
        return Set(forms.map { $0.joined(separator: "\u{1f}") })
    }
}
