// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A random database with what may refuse or multiply an erasure: checks, unique keys, triggers that refuse, copy and
/// count, keys that set null. The same seed always gives the same one.
package struct HazardDatabase {
    package let random: RandomDatabase
    package let seed: UInt64
    /// The obstacles, drawn for this seed.
    package let hazards: Set<Hazard>

    package enum Hazard: String, CaseIterable, Sendable {
        /// A trigger refuses to delete rows with a certain note.
        case refusingTrigger
        /// A trigger copies deleted rows.
        case copyingTrigger
        /// A trigger counts deleted rows.
        case countingTrigger
        /// A key sets null where a check needs a value.
        case checkAgainstNull
        /// A key sets null where a unique key counts nulls as equal (PostgreSQL) or a constant is there already.
        case uniqueConstant
        /// A key that is set to null and nothing more.
        case setNull
    }

    package init(seed: UInt64) {
        var chance = SplitMix(state: seed &* 77 &+ 5)
        random = RandomDatabase(seed: seed)
        self.seed = seed
        hazards = Set(Hazard.allCases.filter { _ in chance.number(in: 0...2) == 0 })
    }

    /// Tables beside the random ones, then triggers; all in the given schema.
    package func script(_ dialect: SQLDialect, schema: String) -> [String] {
        func name(_ table: String) -> String {
            (dialect == .postgresql ? dialect.quoted(schema) + "." : "") + dialect.quoted(table)
        }
        let people = name("people")
        var statements = random.script(.asDrawn, dialect, schema: schema)
        statements += [
            "CREATE TABLE \(name("history")) (what integer)", "CREATE TABLE \(name("counts")) (n integer)",
            "INSERT INTO \(name("counts")) VALUES (0)",
        ]
        for (table, extra) in [("checked", checked), ("constants", unique), ("plain", "")] {
            statements += [
                "CREATE TABLE \(name(table)) (id integer PRIMARY KEY, who integer REFERENCES \(people) (id) "
                    + "ON DELETE SET NULL, word text, robot integer\(extra))",
                "INSERT INTO \(name(table)) VALUES (1, 1, 'a', NULL), (2, 2, 'b', 7), (3, 3, 'c', NULL), (4, NULL, 'gone', 5), "
                    + "(5, 2, 'd', NULL)",
            ]
        }
        let target = name(random.tables.last?.name ?? "people")
        if hazards.contains(.refusingTrigger) {
            statements += trigger("refuse", "BEFORE DELETE", target, dialect, schema, when: "OLD.note = 2", "RAISE")
        }
        if hazards.contains(.copyingTrigger) {
            statements += trigger(
                "copying", "AFTER DELETE", target, dialect, schema, when: "OLD.note < 2",
                "INSERT INTO \(name("history")) VALUES (OLD.note)")
        }
        if hazards.contains(.countingTrigger) {
            statements += trigger(
                "counting", "AFTER DELETE", people, dialect, schema, when: "true", "UPDATE \(name("counts")) SET n = n + 1")
        }
        return statements
    }

    private var checked: String {
        hazards.contains(.checkAgainstNull) ? ", CONSTRAINT somebody CHECK (who IS NOT NULL OR robot IS NOT NULL)" : ""
    }

    private var unique: String { hazards.contains(.uniqueConstant) ? ", CONSTRAINT one_word UNIQUE (word)" : "" }

    private func trigger(
        _ name: String, _ event: String, _ table: String, _ dialect: SQLDialect, _ schema: String, when: String,
        _ action: String
    ) -> [String] {
        guard dialect == .postgresql else {
            let body = action == "RAISE" ? "SELECT RAISE(ABORT, 'no')" : action
            return ["CREATE TRIGGER \(name) \(event) ON \(table) WHEN \(when) BEGIN \(body); END"]
        }
        let function = "\(dialect.quoted(schema)).\(name)"
        let body = action == "RAISE" ? "RAISE EXCEPTION 'no'" : action
        return [
            "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body); RETURN OLD; END $$",
            "CREATE TRIGGER \(name) \(event) ON \(table) FOR EACH ROW WHEN (\(when)) EXECUTE FUNCTION \(function)()",
        ]
    }

    /// The random database's plan, with the tables beside it.
    package func plan(_ dialect: SQLDialect, schema: String) -> Plan {
        var plan = random.plan(dialect, schema: schema)
        func name(_ table: String) -> TableName { TableName(schema: dialect == .postgresql ? schema : nil, table) }
        plan.tables += [
            TablePlan(table: name("history"), rule: .notPersonal, columns: [.init("what")]),
            TablePlan(table: name("counts"), rule: .notPersonal, columns: [.init("n")]),
        ]
        for table in ["checked", "constants", "plain"] {
            let word: ColumnRule = table == "constants" ? .constant("gone") : .notPersonal
            plan.tables.append(
                TablePlan(
                    table: name(table), rule: .anonymise,
                    links: [
                        Link(columns: ["who"], target: name("people"), targetColumns: ["id"], onDelete: .setNull, shared: .erase)
                    ],
                    columns: [
                        .init("id", .notPersonal), .init("who", seed.isMultiple(of: 2) ? .null : .notPersonal),
                        .init("word", word), .init("robot", .notPersonal),
                    ]))
        }
        plan.tables.sort { $0.table < $1.table }
        if seed.isMultiple(of: 3) {
            let source = random.name(random.tables.count - 1, dialect, schema)
            plan.effects = [
                TriggerEffect(on: source, also: name("history"), inserts: .perRow(1)),
                TriggerEffect(on: name("people"), also: name("counts"), updates: .any),
            ]
        }
        return plan
    }

    /// Every row of every table as text, by table.
    package func dump(_ connection: any SQLConnection, schema: String) async throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for table in random.tables.map(\.name) + ["history", "counts", "checked", "constants", "plain"] {
            let name =
                (connection.dialect == .postgresql ? connection.dialect.quoted(schema) + "." : "")
                + connection.dialect.quoted(table)
            let result = try await connection.run(SQLStatement("SELECT * FROM \(name)"))
            found[table] = result.rows.map { row in row.map { $0.text ?? "-" }.joined(separator: " ") }.sorted()
        }
        return found
    }
}
