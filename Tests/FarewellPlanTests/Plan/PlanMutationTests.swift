// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

struct PlanMutationTests {
    /// A change of a schema behind the back of its plan, and what must be said about it.
    struct Mutation: Sendable {
        let name: String
        let codes: Set<Finding.Code>
        /// Changes the schema at a random place; `nil` when it has no such place, else the table it changed.
        let apply: @Sendable (inout Schema, Plan, inout PlanSeed) -> TableName?
    }

    @Test("BX-1 a derived plan whose questions are answered fits any schema")
    func derivedPlansFit() throws {
        for seed in UInt64(1)...200 {
            var random = PlanSeed(seed: seed)
            let schema = RandomSchema.schema(tables: 1 + random.below(14), &random)
            let plan = try RandomSchema.plan(for: schema)
            let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
            #expect(errors == [], "seed \(seed)")
            let text = PlanFile.text(for: plan)
            #expect(try PlanFile.read(Array(text.utf8), path: "p") == plan, "seed \(seed)")
        }
    }

    @Test("BX-1 every later change of the schema is found, at its table")
    func mutations() throws {
        var applied: [String: Int] = [:]
        for seed in UInt64(1)...400 {
            var random = PlanSeed(seed: seed &* 31)
            let schema = RandomSchema.schema(tables: 3 + random.below(12), &random)
            let plan = try RandomSchema.plan(for: schema)
            let before = Set(PlanCheck.findings(plan, schema))
            let mutation = random.pick(Self.mutations)
            var changed = schema
            guard let place = mutation.apply(&changed, plan, &random) else { continue }
            applied[mutation.name, default: 0] += 1
            let after = Set(PlanCheck.findings(plan, Schema(dialect: .postgresql, tables: changed.tables)))
            let fresh = after.subtracting(before)
            #expect(
                fresh.contains { $0.table == place && mutation.codes.contains($0.code) },
                "seed \(seed): \(mutation.name) at \(place) led to \(fresh.map(\.code.rawValue))")
        }
        #expect(applied.count == Self.mutations.count, "each kind of change happened: \(applied)")
    }

    @Test("a plan for 1,000 tables is derived, checked, written and read without delay")
    func thousandTables() throws {
        var random = PlanSeed(seed: 1_000)
        let schema = RandomSchema.schema(tables: 1_000, &random)
        let clock = ContinuousClock()
        var plan: Plan?
        var text = ""
        let derived = try clock.measure { plan = try RandomSchema.plan(for: schema) }
        let fitting = try #require(plan)
        var findings: [Finding] = []
        let checked = clock.measure { findings = PlanCheck.findings(fitting, schema) }
        let written = clock.measure { text = PlanFile.text(for: fitting) }
        let read = try clock.measure { plan = try PlanFile.read(Array(text.utf8), path: "p") }
        print("1,000 tables: derived in \(derived), checked in \(checked), written in \(written), read in \(read)")
        #expect(plan == fitting && !findings.contains { $0.severity == .error })
    }

    private static let mutations: [Mutation] = [
        Mutation(name: "a new table", codes: ["table.unaccounted"]) { schema, _, _ in
            schema.tables.append(SchemaSketch.table("public.fresh", "id uuid pk", "user_id uuid"))
            return schema.tables.last?.name
        },
        Mutation(name: "a new column", codes: ["column.unaccounted"]) { schema, _, random in
            let index = random.below(schema.tables.count)
            schema.tables[index].columns.append(SchemaColumn(name: "fresh", type: "text", kind: .text))
            return schema.tables[index].name
        },
        Mutation(name: "a dropped table", codes: ["table.unknown"]) { schema, _, random in
            let name = random.pick(schema.tables).name
            schema.tables.removeAll { $0.name == name }
            return name
        },
        Mutation(name: "a dropped column", codes: ["column.unknown"]) { schema, _, random in
            let index = random.below(schema.tables.count)
            schema.tables[index].columns.removeLast()
            return schema.tables[index].name
        },
        Mutation(name: "a dropped key", codes: ["key.gone"]) { schema, plan, random in
            pick(&schema, &random) { table, _ in
                plan[table.name]?.links.isEmpty == false
            } change: { table, random in
                let links = plan[table.name]?.links ?? []
                let linking = random.pick(links).columns
                table.foreignKeys.removeAll { $0.columns == linking }
            }
        },
        Mutation(
            name: "another action", codes: ["key.changed", "key.cascades-into", "key.blocks", "key.leads-to-person"]
        ) {
            schema, plan, random in
            pick(&schema, &random) { table, _ in
                plan[table.name]?.links.isEmpty == false
            } change: { table, random in
                let linking = random.pick(plan[table.name]?.links ?? []).columns
                for index in table.foreignKeys.indices where table.foreignKeys[index].columns == linking {
                    let others = DeleteAction.allCases.filter { $0 != table.foreignKeys[index].onDelete }
                    table.foreignKeys[index].onDelete = random.pick(others)
                }
            }
        },
        Mutation(
            name: "a new key",
            codes: ["key.added", "key.emptied", "key.cascades-into", "key.blocks", "key.leads-to-person"]
        ) { schema, _, random in
            pick(&schema, &random) { table, _ in
                table.name.name != "users" && table.columns.count > 1
            } change: { table, random in
                table.foreignKeys.append(
                    ForeignKey(
                        name: "fresh", columns: [table.columns[1].name],
                        target: TableName(schema: "public", "users"), targetColumns: ["id"],
                        onDelete: random.pick([.cascade, .noAction, .restrict, .setNull])))
            }
        },
        Mutation(name: "a dropped index", codes: ["index.missing"]) { schema, plan, random in
            pick(&schema, &random) { table, _ in
                plan[table.name]?.links.isEmpty == false
            } change: { table, random in
                let linking = random.pick(plan[table.name]?.links ?? []).columns
                table.indexes.removeAll { $0.columns == linking }
            }
        },
        Mutation(name: "a copying trigger", codes: ["trigger.copies"]) { schema, plan, random in
            pick(&schema, &random) { table, _ in
                isPersonal(table, plan)
            } change: { table, random in
                table.triggers.append(
                    SchemaTrigger(
                        name: "copy", events: [random.pick(["delete", "update"])],
                        definition: random.pick([
                            "begin insert into audit values (old.id); return old; end",
                            "BEGIN\n  INSERT\n    INTO audit.log(a) SELECT OLD.id;\nEND",
                            "BEGIN PERFORM pg_notify('x', old.email); RETURN old; END",
                        ])))
            }
        },
        Mutation(name: "row security", codes: ["row-security.hides"]) { schema, _, random in
            pick(&schema, &random) { _, _ in
                true
            } change: { table, _ in
                table.rowSecurity = RowSecurity(isEnabled: true, isForced: true, appliesToRole: true)
            }
        },
        Mutation(name: "a lost right", codes: ["right.missing"]) { schema, plan, random in
            pick(&schema, &random) { table, _ in
                isPersonal(table, plan)
            } change: { table, random in
                table.missingRights = [random.pick(["select", "delete", "update"])]
            }
        },
        Mutation(name: "a table with an innocent name and type", codes: ["table.unaccounted"]) { schema, _, _ in
            schema.tables.append(SchemaSketch.table("public.misc", "n int pk", "whom uuid"))
            return schema.tables.last?.name
        },
    ]

    private static func isPersonal(_ table: SchemaTable, _ plan: Plan) -> Bool {
        (plan[table.name]?.rule ?? .notPersonal) != .notPersonal
    }

    private static func pick(
        _ schema: inout Schema, _ random: inout PlanSeed, where fits: (SchemaTable, Int) -> Bool,
        change: (inout SchemaTable, inout PlanSeed) -> Void
    ) -> TableName? {
        let candidates = schema.tables.indices.filter { fits(schema.tables[$0], $0) }
        guard !candidates.isEmpty else { return nil }
        let index = random.pick(candidates)
        change(&schema.tables[index], &random)
        return schema.tables[index].name
    }
}
