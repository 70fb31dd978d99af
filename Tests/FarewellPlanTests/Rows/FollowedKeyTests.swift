// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys of the database whose rows are all erased with the rows that they name.
struct FollowedKeyTests {
    /// Each table has a key to each earlier one.
    private static func schema(_ count: Int) -> Schema {
        let names = (0..<count).map { "table_\($0)" }
        var tables = [SchemaSketch.table("users", "id int pk")]
        for (number, name) in names.enumerated() {
            var table = SchemaSketch.table(name, "id int pk", "user_id int not-null -> users.id cascade")
            for other in names[..<number] {
                let one = SchemaSketch.table(name, "\(other)_id int not-null -> \(other).id")
                table.columns += one.columns
                table.foreignKeys += one.foreignKeys
                table.indexes += one.indexes
            }
            tables.append(table)
        }
        return Schema(dialect: .sqlite, tables: tables)
    }

    /// The keys that may be left to stop an erasure, and how many keys there are.
    private static func left(_ schema: Schema, _ change: (inout Plan) -> Void = { _ in }) throws -> (left: [String], all: Int) {
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan.answeringAll(.owner)
        change(&plan)
        let graph = try RowGraph(plan: plan, schema: schema)
        let selection = RowSelection(graph: graph)
        let nodes = Dictionary(graph.nodes.map { ($0.table.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        let keys = schema.tables.flatMap { table in table.foreignKeys.map { (table.name, $0) } }
        let left = keys.filter { table, key in
            guard let node = nodes[table], let parent = nodes[key.target] else { return true }
            return !selection.holdsAllRows(of: node, naming: parent, by: key)
        }
        return (left.map { "\($0.name).\($1.columns[0])" }, keys.count)
    }

    @Test("PL-8 BX-2 where every table leads to every other, no key has to be searched for rows that would stop an erasure")
    func wide() throws {
        for count in [4, 24] {
            let found = try Self.left(Self.schema(count))
            #expect(found.left.isEmpty && found.all == count * (count + 1) / 2, "\(found)")
        }
    }

    @Test("PL-4 BX-2 a key is searched where the plan's link compares otherwise, or lets rows of other users stay")
    func searched() throws {
        var schema = Self.schema(3)
        let last = try #require(schema.tables.firstIndex { $0.name.name == "table_2" })
        let key = "table_2.table_0_id"
        let place = try #require(schema.tables[last].columns.firstIndex { $0.name == "table_0_id" })
        schema.tables[last].columns[place].kind = .text
        #expect(try Self.left(schema).left == [key], "another type")
        schema = Self.schema(3)
        func changed(_ change: @escaping (inout Link) -> Void) throws -> [String] {
            try Self.left(schema) { plan in
                for table in plan.tables.indices where plan.tables[table].table.name == "table_2" {
                    for link in plan.tables[table].links.indices where plan.tables[table].links[link].columns == ["table_0_id"] {
                        change(&plan.tables[table].links[link])
                    }
                }
            }.left
        }
        #expect(try changed { $0.shared = .unlink } == [key])
        #expect(try changed { $0.role = .reference } == [key])
        #expect(try changed { $0.condition = LinkCondition([.init(column: "id", values: ["1"])]) } == [key])
        #expect(try changed { $0.role = .owner } == [])
    }
}
