// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RandomDatabase {
    /// A random schema with all that real ones have beside keys: two keys to people of which one only names them,
    /// polymorphic links, CHECK and EXCLUDE constraints, generated columns, triggers, SET NULL with a list of columns.
    package static func rich(seed: UInt64) -> RandomDatabase {
        var database = RandomDatabase(seed: seed)
        var random = SplitMix(state: seed ^ 0x5eed_0f_41c4)
        for index in database.tables.indices {
            for constraint in Constraint.allCases where random.number(in: 0...3) == 0 {
                database.tables[index].constraints.insert(constraint)
            }
            guard index > 0 else { continue }
            if random.number(in: 0...1) == 0 { database.addReference(to: index, &random) }
            if random.number(in: 0...2) == 0 { database.addPolymorphic(to: index, &random) }
        }
        return database
    }

    /// A key that names a subject in another subject's row.
    private mutating func addReference(to index: Int, _ random: inout SplitMix) {
        let actions: [DeleteAction?] = [nil, .noAction, .restrict, .setNull, .setNull]
        tables[index].references.append(
            Reference(
                columns: ["named"], target: 0, isNullable: true, action: actions[random.number(in: 0...4)],
                isReference: true))
        for row in tables[index].rows.indices {
            let person = random.number(in: 0...2) == 0 ? nil : random.number(in: 1...4)
            tables[index].rows[row]["named"] = .some(person)
        }
    }

    /// A column that names a person where its type is 1, a row of an earlier table where it is 2, and else nothing of
    /// this database.
    private mutating func addPolymorphic(to index: Int, _ random: inout SplitMix) {
        let others = (0..<index).filter { tables[$0].key == ["id"] && !tables[$0].rows.isEmpty }
        let target = others[random.number(in: 0...(others.count - 1))]
        let isReference = random.number(in: 0...2) == 0
        for (value, target) in [(1, 0), (2, target)] {
            tables[index].references.append(
                Reference(
                    columns: ["any_id"], target: target, isNullable: true, isReference: value == 1 && isReference,
                    condition: Condition(column: "any_type", value: value)))
        }
        for row in tables[index].rows.indices {
            let type = random.number(in: 0...3)
            let rows = tables[type == 1 ? 0 : target].rows
            let key = type == 1 || type == 2 ? rows[random.number(in: 0...(rows.count - 1))]["id"] ?? nil : nil
            tables[index].rows[row]["any_type"] = .some(type == 0 ? nil : type)
            tables[index].rows[row]["any_id"] = .some(key ?? random.number(in: 1...14))
        }
    }

    // MARK: SQL

    func constraints(_ table: Table, _ dialect: SQLDialect) -> [String] {
        var parts: [String] = []
        if table.constraints.contains(.generated) {
            parts.append("twice integer GENERATED ALWAYS AS (note * 2) STORED")
        }
        if table.constraints.contains(.check) { parts.append("CHECK (note >= 0 AND note < 9)") }
        if table.constraints.contains(.exclude), dialect == .postgresql, !table.key.isEmpty {
            parts.append("EXCLUDE USING btree (\(table.key.map { "\($0) WITH =" }.joined(separator: ", ")))")
        }
        return parts
    }

    /// For the oracle: columns that hold a polymorphic link's value only where it is one, and that a key can bind.
    func mirrors(of table: Table) -> [String] {
        table.references.filter { !$0.isReference }.compactMap { reference in
            reference.condition.map { condition in
                "\(linking(reference)[0]) integer GENERATED ALWAYS AS (CASE WHEN \(condition.column) = \(condition.value) "
                    + "THEN \(reference.columns[0]) END) STORED"
            }
        }
    }

    /// The columns that a key binds.
    func linking(_ reference: Reference) -> [String] {
        guard let condition = reference.condition else { return reference.columns }
        return ["\(reference.columns[0])_where_\(condition.value)"]
    }

    /// A trigger that looks on and changes nothing.
    func triggers(_ index: Int, _ dialect: SQLDialect, _ schema: String) -> [String] {
        guard tables[index].constraints.contains(.trigger) else { return [] }
        let table = quoted(index, dialect, schema)
        guard dialect == .postgresql else {
            return ["CREATE TRIGGER onlooker\(index) AFTER UPDATE ON \(table) BEGIN SELECT 1; END"]
        }
        let function = "\(dialect.quoted(schema)).look_on_\(index)"
        return [
            "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS "
                + "'BEGIN IF TG_OP = ''DELETE'' THEN RETURN OLD; END IF; RETURN NEW; END'",
            "CREATE TRIGGER onlooker BEFORE UPDATE OR DELETE ON \(table) FOR EACH ROW EXECUTE FUNCTION \(function)()",
        ]
    }

    /// For the oracle: columns that name a deleted row are set to null, last of all.
    package func emptyings(schema: String) -> [String] {
        tables.indices.flatMap { index in
            tables[index].references.filter(\.isReference).map { reference in
                let column = reference.columns[0]
                let condition = reference.condition.map { " AND \($0.column) = \($0.value)" } ?? ""
                let target = quoted(reference.target, .postgresql, schema)
                return "UPDATE \(quoted(index, .postgresql, schema)) SET \(column) = NULL WHERE \(column) IS NOT NULL\(condition) "
                    + "AND \(column) NOT IN (SELECT \(tables[reference.target].key[0]) FROM \(target))"
            }
        }
    }
}
