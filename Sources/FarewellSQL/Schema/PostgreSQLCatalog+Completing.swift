// SPDX-License-Identifier: Apache-2.0
import Farewell

extension PostgreSQLCatalog {
    /// The results of the queries for definitions, by the number of the table.
    struct Definitions {
        private struct Details {
            var isPopulated = true
            /// `d` the primary key, `i` an index, `f` the whole row, `n` nothing.
            var replicaIdentity = "d"
            var identifying: [String] = []
            var columns: [String: ColumnDefinition] = [:]
            var checks: [SchemaCheck] = []
            var exclusions: [SchemaExclusion] = []
            var keys: [String: KeyDefinition] = [:]
            var unique: [String: UniqueDefinition] = [:]
            var sent: [Sent] = []
        }

        private struct TriggerNumber: Hashable {
            let number: Int64
            let isRule: Bool
        }

        private var details: [Int64: Details] = [:]
        private var statements: [TriggerNumber: String] = [:]
        private let functions: CalledFunctions
        private(set) var eventTriggers: [SchemaEventTrigger] = []

        /// - Parameter answers: In the order in which `read` asks.
        init(_ answers: [[[SQLValue]]]) throws {
            for row in answers[0] {
                var row = CatalogRow(row)
                let table = try row.integer()
                details[table, default: Details()].isPopulated = try row.flag()
                details[table]?.replicaIdentity = try row.text()
                details[table]?.identifying = try row.list().map(NameSpelling.of)
                details[table]?.columns = Dictionary(
                    try row.list(of: ColumnDefinition.self).map { ($0.name, $0) },
                    uniquingKeysWith: { first, _ in first })
            }
            for row in answers[1] { try Self.addConstraints(row, to: &details) }
            for row in answers[2] {
                var row = CatalogRow(row)
                let number = TriggerNumber(number: try row.integer(), isRule: try row.flag())
                statements[number] = try row.text()
            }
            functions = CalledFunctions(
                try answers[3].map { row in
                    var row = CatalogRow(row)
                    let (number, schema, name) = (try row.integer(), try row.text(), try row.text())
                    let function = SchemaFunction(
                        name: TableName(schema: schema, name).description, definition: try row.text())
                    return (number, name, function)
                })
            for row in answers[4] {
                var row = CatalogRow(row)
                details[try row.integer(), default: Details()].sent = try row.list()
            }
            eventTriggers = try answers[5].map { row in
                var row = CatalogRow(row)
                return SchemaEventTrigger(name: try row.text(), event: try row.text())
            }
        }

        private static func addConstraints(_ row: [SQLValue], to details: inout [Int64: Details]) throws {
            var row = CatalogRow(row)
            let table = try row.integer()
            var own = details[table] ?? Details()
            switch try row.text() {
            case "check": own.checks += try row.list(of: CheckDefinition.self).map { $0.check(isOfDomain: false) }
            case "domain": own.checks += try row.list(of: CheckDefinition.self).map { $0.check(isOfDomain: true) }
            case "exclusion": own.exclusions = try row.list(of: ExclusionDefinition.self).map(\.exclusion)
            case "key":
                own.keys = Dictionary(
                    try row.list(of: KeyDefinition.self).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            default:
                own.unique = Dictionary(
                    try row.list(of: UniqueDefinition.self).map { ($0.name, $0) },
                    uniquingKeysWith: { first, _ in first })
            }
            details[table] = own
        }

        func trigger(_ fires: Fires) -> SchemaTrigger {
            let number = TriggerNumber(number: fires.number, isRule: fires.isRule)
            let statement = statements[number] ?? fires.definition
            return SchemaTrigger(
                name: fires.name, events: fires.events, definition: fires.definition, statement: statement,
                functions: functions.all(from: fires.function, text: statement), isForEachRow: fires.isForEachRow,
                isRule: fires.isRule, isInstead: fires.isInstead)
        }

        /// Adds the facts that concern only this table.
        func complete(_ table: inout SchemaTable, _ number: Int64) {
            guard let own = details[number] else { return }
            table.isPopulated = own.isPopulated
            table.checks = own.checks.sorted { ($0.name, $0.columns.description) < ($1.name, $1.columns.description) }
            table.exclusions = own.exclusions
            table.publications = own.sent.map(\.publication)
            for place in table.columns.indices {
                guard let definition = own.columns[table.columns[place].name] else { continue }
                table.columns[place].qualifiedType = definition.type
                table.columns[place].qualifiedDefault = definition.expression
                table.columns[place].identity = definition.identity
            }
            for place in table.foreignKeys.indices {
                guard let definition = own.keys[table.foreignKeys[place].name] else { continue }
                table.foreignKeys[place].onUpdate = definition.onUpdate
                table.foreignKeys[place].matchesFull = definition.matchesFull
                table.foreignKeys[place].isDeferred = definition.isDeferred
                table.foreignKeys[place].setColumns = definition.setColumns
            }
            for place in table.indexes.indices {
                guard let definition = own.unique[table.indexes[place].name] else { continue }
                table.indexes[place].definition = definition.definition
                table.indexes[place].isDeferrable = definition.isDeferrable
            }
        }

        /// Says of each table which changes the server refuses because a publication sends them. A partition is sent
        /// by its parents' publications as well, but identifies its rows itself.
        func replicated(_ tables: [(number: Int64, table: SchemaTable)]) -> [SchemaTable] {
            let numbers = Dictionary(tables.map { ($0.table.name, $0) }, uniquingKeysWith: { first, _ in first })
            return tables.map { entry in
                var table = entry.table
                guard table.kind == .table || table.kind == .partition, let own = details[entry.number] else {
                    return table
                }
                var sent = own.sent
                var next = table
                var steps = 0
                while next.kind == .partition || next.kind == .partitioned, steps < 100,
                    let parent = next.parents.first.flatMap({ numbers[$0] })
                {
                    sent += details[parent.number]?.sent ?? []
                    next = parent.table
                    steps += 1
                }
                let refusing = sent.filter { refuses($0, table, own) }.map(\.publication)
                table.changesRefusedForReplication = [
                    refusing.contains(where: \.publishesUpdates) ? "update" : nil,
                    refusing.contains(where: \.publishesDeletes) ? "delete" : nil,
                ].compactMap(\.self)
                return table
            }
        }

        /// Whether the server refuses the changes that a publication sends: nothing identifies the row, or its filter
        /// or its list of columns does not fit the replica identity (PostgreSQL, CREATE PUBLICATION).
        private func refuses(_ sent: Sent, _ table: SchemaTable, _ own: Details) -> Bool {
            let isWhole = own.replicaIdentity == "f"
            let identity =
                isWhole ? table.columns.filter { !$0.isGenerated || $0.identity != nil }.map(\.name) : own.identifying
            guard !identity.isEmpty else { return true }
            if let columns = sent.columns, !Set(identity).isSubset(of: columns) { return true }
            guard let filter = sent.rowFilter, !isWhole else { return false }
            let tokens = Set(SQLiteText(filter).tokens(atMost: .max).map(\.text))
            return table.columns.contains { tokens.contains($0.name) && !identity.contains($0.name) }
        }
    }
}
