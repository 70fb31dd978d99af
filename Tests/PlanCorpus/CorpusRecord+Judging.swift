// SPDX-License-Identifier: Apache-2.0

extension CorpusRecord {
    /// The differences in other subjects' data: missing rows of others, and changed cells of others that do not name the subject. Rows of
    /// the subject may be there or not.
    ///
    /// - Parameter found: The result of `everything`.
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

    /// The permitted forms of another subject's row: each cell that names the subject unchanged, or without the subject.
    private func forms(of row: Row, in table: CorpusTable, without gone: Set<Int>) -> Set<String> {
        var forms: Set<[String]> = [[]]
        for (column, cell) in zip(table.columns, row.cells) where !column.isTouched {
            let texts = Set([cell.text, text(of: cell, without: gone)].map { Self.written($0, cell.form) })
            forms = Set(forms.flatMap { form in texts.map { form + [$0] } })
        }
        return Set(forms.map { $0.joined(separator: "\u{1f}") })
    }
}
