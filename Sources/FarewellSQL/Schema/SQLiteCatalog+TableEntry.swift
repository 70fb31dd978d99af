// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLiteCatalog {
    /// The catalog's entry for one table.
    struct TableEntry {
        let name: String
        let isVirtual: Bool
        let lacksRowID: Bool
        let enforcesKeys: Bool
        let columns: [ColumnEntry]
        let keyParts: [KeyPart]
        let indexParts: [IndexPart]

        init(_ row: [SQLValue]) throws {
            var row = CatalogRow(row)
            name = try row.name()
            isVirtual = try row.text() == "virtual"
            lacksRowID = try row.flag()
            enforcesKeys = try row.flag()
            columns = try row.list()
            keyParts = try row.list()
            indexParts = try row.list()
        }

        var primaryKey: [String] {
            columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
        }

        /// The column that is another name for the rowid, if there is one: never null, needs no index.
        var rowIDColumn: String? {
            let key = columns.filter { $0.keyPlace > 0 }
            guard key.count == 1, !lacksRowID, !isVirtual, key[0].type.uppercased() == "INTEGER" else { return nil }
            return key[0].name
        }

        func table(
            texts: Texts, looseEqualities: [String: String], other: (String) -> TableEntry?
        ) -> SchemaTable {
            let text = isVirtual ? "" : texts.tables[folded(name)] ?? ""
            let conflicts = SQLiteConflicts(createTable: text)
            let isGenerating = columns.contains(where: \.isGenerated)
            let generations = isGenerating ? SQLiteExpression.generations(in: text) : [:]
            let indexes = indexes(texts: texts, conflicts, looseEqualities)
            let columns = columns.filter { !$0.isHidden }
            return SchemaTable(
                name: TableName(name), kind: isVirtual ? .virtual : .table,
                columns: columns.map {
                    $0.column(
                        isVirtual: isVirtual, isRowID: $0.name == rowIDColumn, looseEquality: looseEqualities[$0.name],
                        onNullConflict: conflicts.nulls[folded($0.name)],
                        generation: generations[folded($0.name)]?.text)
                },
                primaryKey: primaryKey, uniqueKeys: uniqueKeys(),
                foreignKeys: foreignKeys(other: other), indexes: indexes,
                triggers: texts.triggers[folded(name), default: []].sorted { $0.name < $1.name },
                checks: SQLiteExpression.checks(in: text).map { check in
                    SchemaCheck(
                        name: check.name ?? "", condition: check.text,
                        columns: columns.map(\.name).filter(check.mentions))
                },
                hasRowID: !lacksRowID)
        }

        private func uniqueKeys() -> [[String]] {
            indexGroups.filter { $0[0].isUnique && !$0[0].isPartial && $0[0].origin != "pk" }
                .map { $0.map(\.columnName) }.filter { !$0.contains("") }.withoutRepetition
        }

        private func indexes(
            texts: Texts, _ conflicts: SQLiteConflicts, _ looseEqualities: [String: String]
        ) -> [SchemaIndex] {
            var indexes = indexGroups.map { parts in
                let columns = parts.map(\.columnName)
                let text = texts.indexes[folded(parts[0].index)]
                let leavesOutOnlyNull =
                    text.map { SQLiteText($0).condition(isThatNotNull: columns[0]) } ?? false
                let isPlain = !parts[0].isUnique || !parts[0].isPartial && !columns.contains("")
                return SchemaIndex(
                    name: parts[0].index, columns: columns, isUnique: parts[0].isUnique,
                    isPartial: parts[0].isPartial && !leavesOutOnlyNull,
                    definition: isPlain ? "" : text.map(Self.definition) ?? "",
                    onConflict: parts[0].origin == "c" ? nil : conflicts.keys[columns.map(folded)],
                    collation: Self.collation(of: parts[0], beside: looseEqualities[columns[0]]))
            }
            if let rowIDColumn {
                indexes.append(
                    SchemaIndex(
                        name: "rowid", columns: [rowIDColumn], isUnique: true,
                        onConflict: conflicts.keys[[folded(rowIDColumn)]]))
            }
            return indexes
        }

        /// The collation of an index's part, if it is not the column's. A collation that is not here is taken for the
        /// column's own: nothing is compared in it.
        private static func collation(of part: IndexPart, beside own: String?) -> String? {
            guard let name = part.collation?.uppercased(), own != SchemaColumn.unknownCollation else { return nil }
            return name == own ?? SQLDialect.sqlite.exactCollation ? nil : name
        }

        /// The columns of an index and its condition, as written.
        private static func definition(_ text: String) -> String {
            let condition = SQLiteExpression.condition(ofIndex: text).map { " WHERE \($0.text)" } ?? ""
            return (SQLiteExpression.key(ofIndex: text)?.text ?? "") + condition
        }

        /// The parts of each index together, in name order.
        private var indexGroups: [[IndexPart]] {
            Dictionary(grouping: indexParts, by: \.index).values.sorted { $0[0].index < $1[0].index }
        }

        private func foreignKeys(other: (String) -> TableEntry?) -> [ForeignKey] {
            let keys = Dictionary(grouping: keyParts, by: \.id).sorted { $0.key > $1.key }.map { _, parts in
                let target = other(parts[0].target)
                let named = parts.compactMap(\.targetColumn)
                let columns = parts.map { part in self.columns.named(part.column) }
                return ForeignKey(
                    columns: columns, target: TableName(target?.name ?? parts[0].target),
                    targetColumns: named.isEmpty
                        ? target?.primaryKey ?? [] : named.map { target?.columns.named($0) ?? $0 },
                    onDelete: DeleteAction(rawValue: parts[0].action.lowercased()) ?? .noAction,
                    onUpdate: DeleteAction(rawValue: parts[0].updateAction.lowercased()) ?? .noAction,
                    isDeferrable: true, isValidated: enforcesKeys)
            }
            // SQLite's keys have no names: their columns and targets give them an order of their own.
            return keys.sorted { ($0.columns.description, $0.target) < ($1.columns.description, $1.target) }
        }
    }
}

extension [SQLiteCatalog.ColumnEntry] {
    /// The real name of a column that another statement may have written in other case.
    fileprivate func named(_ name: String) -> String {
        let wanted = SQLiteCatalog.folded(name)
        return first { SQLiteCatalog.folded($0.name) == wanted }?.name ?? name
    }
}
