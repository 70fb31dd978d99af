// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Reads PostgreSQL's catalog into a `Schema`: three queries, in one round trip.
enum PostgreSQLCatalog {
    static func read(from connection: any SQLConnection) async throws -> Schema {
        let answers = try await connection.pipeline([relations, columns, keys].map { SQLStatement($0) })
        guard answers.count == 3 else { throw CatalogRow.unreadable }
        var columnsOf: [Int64: [SchemaColumn]] = [:]
        for row in answers[1].rows {
            var row = CatalogRow(row)
            columnsOf[try row.integer()] = try row.list(of: Column.self).map(\.column)
        }
        var foreignKeysOf: [Int64: [ForeignKey]] = [:]
        var indexesOf: [Int64: [Index]] = [:]
        for row in answers[2].rows {
            var row = CatalogRow(row)
            let table = try row.integer()
            switch try row.text() {
            case "index": indexesOf[table] = try row.list()
            default: foreignKeysOf[table] = try row.list(of: Key.self).map(\.foreignKey)
            }
        }
        var role = SchemaRole()
        var tables: [SchemaTable] = []
        for row in answers[0].rows {
            var row = CatalogRow(row)
            role = SchemaRole(name: try row.text(), bypassesRowSecurity: try row.flag())
            guard let oid = try row.optionalInteger() else { continue }
            var table = try Self.table(from: &row, columns: columnsOf[oid] ?? [])
            let indexes = indexesOf[oid] ?? []
            table.primaryKey = indexes.first(where: \.isPrimary)?.columns ?? []
            table.uniqueKeys = indexes.filter(\.isUniqueKey).map(\.columns).withoutRepetition
            table.foreignKeys = foreignKeysOf[oid] ?? []
            table.indexes = indexes.map(\.index)
            tables.append(table)
        }
        return Schema(dialect: .postgresql, tables: tables, role: role)
    }

    private static func table(from row: inout CatalogRow, columns: [SchemaColumn]) throws -> SchemaTable {
        var table = SchemaTable(
            name: TableName(schema: try row.text(), try row.text()), kind: try kind(try row.text()), columns: columns)
        table.parents = try row.list(of: [String].self).compactMap {
            $0.count == 2 ? TableName(schema: $0[0], $0[1]) : nil
        }
        table.rowSecurity = RowSecurity(
            isEnabled: try row.flag(), isForced: try row.flag(), appliesToRole: try row.flag())
        table.missingRights = try row.text().split(separator: " ").map(String.init)
        table.estimatedRows = try row.optionalInteger().map(Int.init)
        table.triggers = try row.list(of: [String].self).compactMap {
            guard $0.count == 3 else { return nil }
            return SchemaTrigger(name: $0[0], events: $0[1].split(separator: " ").map(String.init), definition: $0[2])
        }
        return table
    }

    private static func kind(_ letter: String) throws -> SchemaTable.Kind {
        switch letter {
        case "r": .table
        case "p": .partitioned
        case "partition": .partition
        case "f": .foreign
        case "m": .materializedView
        default: throw CatalogRow.unreadable
        }
    }
}

extension Array where Element: Hashable {
    /// The elements in order, each only the first time.
    var withoutRepetition: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
