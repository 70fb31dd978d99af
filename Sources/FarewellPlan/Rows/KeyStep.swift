// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// One key by which the database itself updates rows during an erasure.
struct KeyStep: Sendable {
    let table: SchemaTable
    let key: ForeignKey
    /// The node whose rows are deleted or changed.
    let target: RowGraph.Node
    /// The key's action on `table`: its action on delete, or on update.
    let action: DeleteAction
    /// The keys that lead from `target` to the table that `key` refers to, the nearest to `target` first; empty if
    /// `key` refers to `target` itself.
    var path: [KeyStep.Part] = []
    /// PostgreSQL: the partition of the target's table to which the nearest key refers; `nil` if it refers to the whole
    /// table.
    var partition: SchemaTable?
    /// Whether the key updates every row that refers to a row of `target`.
    private(set) var isCertain: Bool

    struct Part: Sendable {
        let table: SchemaTable
        let key: ForeignKey
    }

    /// The greatest number of keys between `target` and the table that `key` refers to.
    static let greatestDepth = 8

    /// The columns that the key changes.
    var changedColumns: [String] {
        action == .cascade || key.setColumns.isEmpty ? key.columns : key.emptiedColumns
    }

    /// All steps of an erasure, a step before those that follow it.
    static func all(_ graph: RowGraph, _ map: SchemaMap, _ nodes: [TableName: RowGraph.Node]) -> [KeyStep] {
        // Updates on other servers are not counted, so they cannot be compared.
        let tables = map.schema.tables.filter { $0.citus?.isDistributed != true }
        var found: [KeyStep] = []
        var following: [TableName: [Part]] = [:]
        for table in tables {
            for key in table.foreignKeys where key.isPaired && key.columns.allSatisfy({ table[$0] != nil }) {
                let whole = map.listedName(of: key.target)
                if key.updatesRows { following[whole, default: []].append(Part(table: table, key: key)) }
                guard let target = nodes[whole], var step = first(table, key, target) else { continue }
                step.partition = key.target == whole ? nil : map[key.target]
                found.append(step)
            }
        }
        var next = found[...]
        while let step = next.popFirst() {
            guard step.path.count < greatestDepth, found.count < greatestNumber else { continue }
            for part in following[map.listedName(of: step.table.name)] ?? [] {
                guard let more = step.followed(by: part) else { continue }
                found.append(more)
                next.append(more)
            }
        }
        return withoutOverlaps(found)
    }

    /// Bounds what circles of keys could multiply.
    private static let greatestNumber = 2000

    /// Two keys that change the same column: after the first, the second may find no row.
    private static func withoutOverlaps(_ steps: [KeyStep]) -> [KeyStep] {
        var columns: [TableName: [String: Int]] = [:]
        for step in steps {
            for column in step.key.columns { columns[step.table.name, default: [:]][column, default: 0] += 1 }
        }
        return steps.map { step in
            var step = step
            if step.key.columns.contains(where: { columns[step.table.name]?[$0] != 1 }) { step.isCertain = false }
            return step
        }
    }

    private static func first(_ table: SchemaTable, _ key: ForeignKey, _ target: RowGraph.Node) -> KeyStep? {
        if target.rule.erasesRows {
            guard key.onDelete == .setNull || key.onDelete == .setDefault else { return nil }
            return KeyStep(table: table, key: key, target: target, action: key.onDelete, isCertain: key.isValidated)
        }
        let changing = target.columns.filter { $0.rule?.changesValue == true && key.targetColumns.contains($0.name) }
        guard !changing.isEmpty, key.updatesRows else { return nil }
        // If the new value is the old one, the key does nothing.
        let isSure = changing.contains { $0.rule?.alwaysDiffers == true }
        return KeyStep(
            table: table, key: key, target: target, action: key.onUpdate, isCertain: key.isValidated && isSure)
    }

    private func followed(by next: Part) -> KeyStep? {
        let path = path + [Part(table: table, key: key)]
        guard next.key.targetColumns.contains(where: changedColumns.contains),
            !path.contains(where: { $0.key == next.key && $0.table.name == next.table.name })
        else { return nil }
        return KeyStep(
            table: next.table, key: next.key, target: target, action: next.key.onUpdate, path: path,
            partition: partition, isCertain: false)
    }
}

extension ForeignKey {
    /// Whether the database changes referring rows when the value that they refer to changes.
    package var updatesRows: Bool { onUpdate != .noAction && onUpdate != .restrict }
}
