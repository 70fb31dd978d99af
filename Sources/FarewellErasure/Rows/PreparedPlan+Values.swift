// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL

extension PreparedPlan {
    /// The names of the keys by which rows that stay are found again (`SchemaTable.keyName`).
    var ownKeyNames: [String] {
        let graph = program.graph
        return graph.nodes.filter(graph.isKnownByKey).map { $0.table.keyName(graph.ownKey(of: $0)) }
    }

    /// The values for statements about the subjects of some erasures.
    func values(_ erasures: [OpenedErasure], limit: Int = 0) -> RowValues {
        var captured: [RowValues.CapturedKey: [SQLValue]] = [:]
        for erasure in erasures {
            for (name, keys) in erasure.subject.captured {
                guard let column = ColumnName(parsing: name),
                    let node = program.graph.nodes.first(where: { $0.table.name == column.table }),
                    let place = node.table.place(of: column.column)
                else { continue }
                captured[.init(node: node.index, column: place), default: []] += keys.map(\.value)
            }
        }
        var capturedKeys: [RowValues.CapturedColumns: [[SQLValue]]] = [:]
        for capture in program.captures {
            let table = program.graph.nodes[capture.node].table
            for columns in capture.keys {
                let name = table.keyName(columns)
                let keys = erasures.flatMap { $0.subject.capturedKeys?[name] ?? [] }
                capturedKeys[.init(node: capture.node, columns: columns)] = keys.map { $0.map(\.value) }
            }
        }
        // Subjects erased together are hashed under one key, the first one's; it is destroyed with theirs.
        let seal = erasures.first?.seal
        return RowValues(
            subjects: erasures.map(\.subject.key.value), captured: captured, capturedKeys: capturedKeys, limit: limit
        ) { column in
            seal?.columnKey(column).bytes ?? []
        }
    }
}

extension OpenedErasure {
    /// Discards the keys by which rows that stay are found: they may hold other data by now, and belong to another
    /// subject.
    mutating func forgetOwnKeys(under prepared: PreparedPlan) {
        for name in prepared.ownKeyNames { subject.capturedKeys?[name] = nil }
    }
}
