// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell

/// Text in which no two different schemas look the same: every part carries its length.
struct CanonicalText: Hashable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(_ table: SchemaTable) {
        add(table)
    }

    mutating func add(_ text: String) {
        bytes.append(contentsOf: "\(text.utf8.count):".utf8)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ flag: Bool) {
        bytes.append(UInt8(ascii: flag ? "+" : "-"))
    }

    mutating func add<Entry>(_ list: [Entry], each add: (inout CanonicalText, Entry) -> Void) {
        bytes.append(contentsOf: "[\(list.count)".utf8)
        for entry in list { add(&self, entry) }
    }

    mutating func add(_ list: [String]) {
        add(list) { $0.add($1) }
    }

    mutating func add(_ name: TableName) {
        add([name.schema].compactMap(\.self))
        add(name.name)
    }

    private mutating func add(optional text: String?) {
        add([text].compactMap(\.self))
    }

    mutating func add(_ table: SchemaTable) {
        add(table.name)
        add(table.kind.rawValue)
        add(table.parents) { $0.add($1) }
        add(table.columns) { $0.add($1) }
        add(table.primaryKey)
        add(table.unique)
        add(table.foreignKeys) { $0.add($1) }
        add(table.checks) { $0.add($1) }
        add(table.exclusions) { text, exclusion in
            text.add(exclusion.name)
            text.add(exclusion.definition)
        }
        add(table.triggers) { $0.add($1) }
        add(table.changesRefusedForReplication)
        add(table.rowSecurity.isEnabled)
        add(table.rowSecurity.isForced)
        add(table.hasRowID)
        if let citus = table.citus { add(["citus", citus.spread.rawValue, citus.column ?? "", "\(citus.isColumnar)"]) }
    }

    private mutating func add(_ column: SchemaColumn) {
        add(column.name)
        add(column.qualifiedType)
        add(column.kind.rawValue)
        add(column.isNullable)
        add(column.isGenerated)
        add(optional: column.identity?.rawValue)
        add(optional: column.qualifiedDefault)
        add(optional: column.maximumLength.map(String.init))
        add(optional: column.looseEquality)
        add(optional: column.onNullConflict?.rawValue)
    }

    private mutating func add(_ key: ForeignKey) {
        add(key.name)
        add(key.columns)
        add(key.target)
        add(key.targetColumns)
        add(key.onDelete.rawValue)
        add(key.onUpdate.rawValue)
        add(key.setColumns)
        add(key.matchesFull)
        add(key.isDeferrable)
        add(key.isDeferred)
        add(key.isValidated)
    }

    private mutating func add(_ check: SchemaCheck) {
        add(check.name)
        add(check.condition)
        add(check.columns)
        add(check.isOfDomain)
    }

    private mutating func add(_ trigger: SchemaTrigger) {
        add(trigger.name)
        add(trigger.events)
        add(trigger.statement)
        add(trigger.functions) { text, function in
            text.add(function.name)
            text.add(function.definition)
        }
    }
}
