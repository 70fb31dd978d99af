// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Reads PostgreSQL's catalog into a `Schema`, in one round trip.
enum PostgreSQLCatalog {
    static func read(from connection: any SQLConnection) async throws -> Schema {
        let plain = [relations, columns, keys]
        let defining = [
            columnDefinitions, constraintDefinitions, triggerStatements, functions, publications, eventTriggers,
        ]
        let texts = plain + fixing + defining + [restoring]
        let answers = try await connection.pipeline(texts.map { SQLStatement($0) })
        guard answers.count == texts.count else { throw CatalogRow.unreadable }
        let definitions = try Definitions(answers[(plain.count + fixing.count)...].map(\.rows))
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
        let isCitus = answers[plain.count].rows.first?.last == .bool(true)
        let spread = isCitus ? try await CitusCatalog.tables(on: connection) : [:]
        var role = SchemaRole()
        var tables: [(number: Int64, table: SchemaTable)] = []
        for row in answers[0].rows {
            var row = CatalogRow(row)
            role = SchemaRole(name: try row.text(), bypassesRowSecurity: try row.flag())
            guard let oid = try row.optionalInteger() else { continue }
            var table = try Self.table(from: &row, columns: columnsOf[oid] ?? [], definitions)
            let indexes = indexesOf[oid] ?? []
            table.primaryKey = indexes.first(where: \.isPrimary)?.columns ?? []
            table.uniqueKeys = indexes.filter(\.isUniqueKey).map(\.columns).withoutRepetition
            table.foreignKeys = foreignKeysOf[oid] ?? []
            table.indexes = indexes.map(\.index)
            definitions.complete(&table, oid)
            table.citus = spread[oid]
            tables.append((oid, table))
        }
        return Schema(
            dialect: .postgresql, tables: definitions.replicated(tables), role: role,
            eventTriggers: definitions.eventTriggers)
    }

    private static func table(
        from row: inout CatalogRow, columns: [SchemaColumn], _ definitions: Definitions
    ) throws -> SchemaTable {
        var table = SchemaTable(
            name: TableName(schema: try row.name(), try row.name()), kind: try kind(try row.text()), columns: columns)
        table.parents = try row.list(of: [String].self).compactMap {
            $0.count == 2 ? TableName(schema: NameSpelling.of($0[0]), NameSpelling.of($0[1])) : nil
        }
        table.rowSecurity = RowSecurity(
            isEnabled: try row.flag(), isForced: try row.flag(), appliesToRole: try row.flag())
        table.missingRights = try row.text().split(separator: " ").map(String.init)
        table.estimatedRows = try row.optionalInteger().map(Int.init)
        table.triggers = try row.list(of: Fires.self).map(definitions.trigger)
        table.owner = try row.optionalText()
        let (member, saved) = (try row.optionalText(), try row.optionalText())
        table.ofExtension = member.map { SchemaExtension(name: $0, savesRows: saved != nil) }
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
