// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Asks PostgreSQL whether a partition takes rows whose column becomes null, where that column decides about the
/// partition. Reads no row.
package struct PartitionProbe {
    private let context: CheckContext

    package init(_ plan: Plan, _ schema: Schema) {
        context = CheckContext(plan, schema)
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        var findings: [Finding] = []
        var seen: Set<ColumnName> = []
        for emptying in Emptying.all(context) where emptying.table.kind == .partitioned && !emptying.takesDefaults {
            let refusing = try await refusing(emptying.table, on: connection)
            for column in emptying.columns.filter(refusing.contains)
            where seen.insert(ColumnName(emptying.table.name, column)).inserted {
                findings.append(
                    Finding(
                        "key.null-no-partition", .error, table: emptying.table.name, column: column,
                        "\(emptying.actor) sets this column to null, and no partition takes rows without a value here: "
                            + "the database would refuse.",
                        remedy: emptying.remedy(
                            context, or: "add a partition that takes null, such as a default one", canReplace: true)))
            }
        }
        return findings
    }

    /// The columns that decide about the partition, here or in a partition that is partitioned itself, and may not be
    /// null there: a range needs a default partition for null, a list needs that or a partition that lists null.
    private func refusing(_ table: SchemaTable, on connection: any SQLConnection) async throws -> Set<String> {
        let answer = try await connection.run(
            SQLStatement(
                """
                SELECT part.attname::text FROM pg_catalog.pg_partition_tree(\(CatalogTable.number)) AS tree \
                JOIN pg_catalog.pg_partitioned_table AS whole ON whole.partrelid = tree.relid \
                JOIN pg_catalog.pg_attribute AS part ON part.attrelid = whole.partrelid \
                AND part.attnum = ANY (whole.partattrs::int2[]) \
                WHERE whole.partstrat IN ('l', 'r') AND whole.partdefid = 0 AND part.attnum > 0 \
                AND NOT (whole.partstrat = 'l' AND EXISTS (SELECT FROM pg_catalog.pg_inherits AS child \
                JOIN pg_catalog.pg_class AS class ON class.oid = child.inhrelid \
                WHERE child.inhparent = whole.partrelid \
                AND pg_catalog.pg_get_expr(class.relpartbound, class.oid) ~ '[( ]NULL[,)]'))
                """, CatalogTable.parameters(table.name)))
        return Set(ConstantProbe.names(answer.rows.compactMap(\.first)))
    }
}
