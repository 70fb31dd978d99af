// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// PostgreSQL: a right that every erasure needs in the control store's tables and that the connected role lacks, as
/// where another role has made them. Found before an erasure begins: the ledger is written to when the rows are gone.
struct ControlRights {
    /// `INSERT`.
    let missing: String
    /// `farewell.ledger`.
    let table: String

    /// The first that is missing; none if there are no tables yet.
    static func lacking(on connection: any SQLConnection) async throws -> ControlRights? {
        let row =
            try await connection.run(
                """
                SELECT needed.word, 'farewell.' || needed.name FROM (VALUES ('audit', 'INSERT'), \
                ('audit', 'SELECT'), ('erasures', 'INSERT'), ('erasures', 'SELECT'), ('erasures', 'UPDATE'), \
                ('ledger', 'INSERT'), ('loaded_plans', 'INSERT'), \
                ('loaded_plans', 'SELECT'), ('loaded_plans', 'UPDATE'), ('schemas', 'INSERT'), ('schemas', 'SELECT'), \
                ('steps', 'INSERT'), ('steps', 'SELECT'), ('steps', 'UPDATE')) AS needed (name, word) \
                JOIN pg_catalog.pg_class AS c ON c.relname = needed.name \
                AND c.relnamespace = pg_catalog.to_regnamespace('farewell') AND c.relkind IN ('r', 'p') \
                WHERE NOT has_table_privilege(c.oid, needed.word) ORDER BY 2, 1 LIMIT 1
                """
            ).rows.first ?? []
        guard row.count == 2, let missing = row[0].text, let table = row[1].text else { return nil }
        return ControlRights(missing: missing, table: table)
    }

    var message: String {
        let act = missing == "SELECT" ? "read" : missing.lowercased()
        return "This role may not \(act) in \(table), which every erasure reads and writes."
    }

    var remedy: String { "As an owner: GRANT \(missing) ON \(table) TO the role." }
}
