// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL

/// Random schemas, with plans that fit them.
enum RandomSchema {
    private static let innocent = ["title", "size", "state", "colour", "weight", "note", "flag", "rank"]

    /// Users, and `count` tables with keys to tables before them.
    static func schema(tables count: Int, _ random: inout PlanSeed) -> Schema {
        var tables = [SchemaSketch.table("public.users", "id uuid pk", "email text unique", "born date")]
        for number in 0..<count {
            var table = SchemaSketch.table("public.t\(number)", "id uuid pk")
            for column in innocent.prefix(1 + random.below(innocent.count)) {
                let kind: SchemaColumn.Kind = random.pick([.text, .integer, .boolean, .json, .timestamp])
                table.columns.append(SchemaColumn(name: column, type: kind.rawValue, kind: kind))
            }
            for key in 0..<random.pick([0, 1, 1, 1, 2, 2, 3]) {
                let target = random.below(3) == 0 ? tables[0] : random.pick(tables)
                let action = random.pick(DeleteAction.allCases)
                let column = "k\(key)"
                let isNullable = action == .setNull || action == .setDefault || random.below(2) == 0
                table.columns.append(
                    SchemaColumn(name: column, type: "uuid", kind: .uuid, isNullable: isNullable))
                table.foreignKeys.append(
                    ForeignKey(
                        name: "t\(number)_\(column)", columns: [column], target: target.name, targetColumns: ["id"],
                        onDelete: action))
                table.indexes.append(SchemaIndex(name: "i\(number)_\(column)", columns: [column]))
            }
            tables.append(table)
        }
        return Schema(dialect: .postgresql, tables: tables)
    }

    /// The derived plan, with every open question answered.
    static func plan(for schema: Schema) throws -> Plan {
        var plan = try PlanDerivation.draft(from: schema).plan.answeringAll(.owner)
        let open = PlanCheck.findings(plan, schema).filter { $0.code == "rule.touches-neighbour" }
        for finding in open {
            for index in plan.tables.indices where plan.tables[index].table == finding.table {
                for link in plan.tables[index].links.indices
                where plan.tables[index].links[link].columns.first == finding.column {
                    plan.tables[index].links[link].role = nil
                    plan.tables[index].links[link].shared = .erase
                }
            }
        }
        // Every question that the answers lead to says nothing new, until none is left.
        for _ in 0..<10 {
            let more = FollowingQuestions.of(plan, schema)
            guard !more.isEmpty else { break }
            plan.questions += more.map { question in
                var question = question
                question.answer = question.answers.contains(.unrelated) ? .unrelated : question.answers.last
                question.isImplied = false
                return question
            }
            plan = plan.answered()
        }
        return plan
    }
}
