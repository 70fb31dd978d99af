// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A live database's shape, read from its catalog in two or three queries.
///
/// It holds everything that decides where a subject's data is and what a delete would do, but none of the data. Values
/// are in a fixed order (by name), so that equal schemas are equal values.
public struct Schema: Sendable, Hashable, Codable {
    public var dialect: SQLDialect
    /// Every table except the database's own and Farewell's, by name.
    public var tables: [SchemaTable]
    /// The rights of the connected role that matter to an erasure.
    public var role: SchemaRole
    /// Triggers that wait for changes of the schema (PostgreSQL).
    public var eventTriggers: [SchemaEventTrigger]

    public init(
        dialect: SQLDialect, tables: [SchemaTable], role: SchemaRole = SchemaRole(),
        eventTriggers: [SchemaEventTrigger] = []
    ) {
        self.dialect = dialect
        self.tables = tables.sorted { $0.name < $1.name }
        self.role = role
        self.eventTriggers = eventTriggers
    }

    /// The table of this exact name. Found by halving while the tables are in order, which they are unless changed.
    public subscript(name: TableName) -> SchemaTable? {
        var (low, high) = (0, tables.count)
        while low < high {
            let middle = (low + high) / 2
            if tables[middle].name < name { low = middle + 1 } else { high = middle }
        }
        if low < tables.count, tables[low].name == name { return tables[low] }
        return tables.first { $0.name == name }
    }
}
