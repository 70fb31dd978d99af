// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables in which a probe could not look for a key, because the role lacks a right.
struct ForbiddenTables {
    private let plan: Plan
    private let schema: Schema
    private var rights: [MissingRight] = []

    init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        self.schema = schema
    }

    mutating func add(_ table: SchemaTable) {
        // Where the plan itself needs the right, its absence is an error already.
        if plan[table.name]?.rule.isPersonal == true, !table.isReadable { return }
        let right = MissingRight(
            table.missingRights.contains("usage") ? "usage" : "select", on: table.name, in: schema)
        if !rights.contains(where: { $0.grant == right.grant }) { rights.append(right) }
    }

    /// One for each schema that the role may not use, and for each other table.
    var findings: [Finding] {
        rights.map { right in
            let place = right.isOfSchema ? "there" : "here"
            return Finding(
                "right.missing", .warning, table: right.isOfSchema ? nil : right.table,
                "\(right.who) may not \(right.actByName), so the check cannot find out whether a key exists \(place) "
                    + "to which the plan or the database sets another table's column.", remedy: right.remedy)
        }
    }
}
