// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The entries of the lists that SQLite's catalog queries answer, in the order of their parts there.
extension SQLiteCatalog {
    struct ColumnEntry: Decodable {
        let name: String
        let type: SQLiteTypeName
        let refusesNull: Bool
        let standard: String?
        /// The place in the primary key, from 1; 0 outside of it.
        let keyPlace: Int
        private let hidden: Int

        /// A virtual table's own machinery, not data.
        var isHidden: Bool { hidden == 1 }
        var isGenerated: Bool { hidden > 1 }

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.name()
            type = SQLiteTypeName(try parts.decodeIfPresent(String.self) ?? "")
            refusesNull = try parts.decode(Int.self) != 0
            standard = try parts.decodeIfPresent(String.self)
            keyPlace = try parts.decode(Int.self)
            hidden = try parts.decode(Int.self)
        }

        func column(
            isVirtual: Bool, isRowID: Bool, looseEquality: String?, onNullConflict: ConflictAction?, generation: String?
        ) -> SchemaColumn {
            var column = SchemaColumn(
                // The columns of a full-text index declare no type and hold text.
                name: name, type: type.text, kind: isVirtual && type.text.isEmpty ? .text : type.kind,
                isNullable: !refusesNull && !isRowID, isGenerated: isGenerated, defaultExpression: standard,
                maximumLength: type.maximumLength, looseEquality: looseEquality, onNullConflict: onNullConflict)
            column.generation = generation
            return column
        }
    }

    /// One column of one foreign key.
    struct KeyPart: Decodable {
        let id: Int
        let target: String
        let column: String
        let targetColumn: String?
        let action: String
        let updateAction: String

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            id = try parts.decode(Int.self)
            target = try parts.name()
            column = try parts.name()
            targetColumn = try parts.optionalName()
            action = try parts.decode(String.self)
            updateAction = try parts.decode(String.self)
        }
    }

    /// One key column of one index.
    struct IndexPart: Decodable {
        let index: String
        let isUnique: Bool
        /// `c` for CREATE INDEX, `u` for a unique constraint, `pk` for the primary key.
        let origin: String
        let isPartial: Bool
        /// Empty for an expression.
        let columnName: String
        let collation: String?

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            index = try parts.name()
            isUnique = try parts.decode(Int.self) != 0
            origin = try parts.decode(String.self)
            isPartial = try parts.decode(Int.self) != 0
            let isRowID = try parts.decode(Int.self) == -1
            columnName = try parts.optionalName() ?? (isRowID ? "rowid" : "")
            collation = try parts.optionalName()
        }
    }

    /// The texts of triggers, by the table's folded name, of indexes and of tables, by their own; the tables that
    /// name a collation.
    struct Texts {
        private(set) var triggers: [String: [SchemaTrigger]] = [:]
        private(set) var indexes: [String: String] = [:]
        private(set) var tables: [String: String] = [:]
        private(set) var collating: Set<String> = []
        private(set) var hasEstimates = false

        init(_ rows: [[SQLValue]]) throws {
            for row in rows {
                var row = CatalogRow(row)
                let (type, name) = (try row.text(), try row.name())
                let (table, text) = (folded(try row.name()), try row.optionalText() ?? "")
                switch type {
                case "trigger":
                    let trigger = SchemaTrigger(name: name, events: SQLiteText(text).triggerEvents, definition: text)
                    triggers[table, default: []].append(trigger)
                case "index": indexes[folded(name)] = text
                case _ where folded(name) == "sqlite_stat1": hasEstimates = true
                default:
                    tables[folded(name)] = text
                    if folded(text).contains("collate") { collating.insert(folded(name)) }
                }
            }
        }
    }
}
