// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// SQLite: whether the changes that an erasure makes can be compiled. An app may give its own connections functions,
/// collations and modules, which its indexes, checks, generated columns and triggers then use; Farewell's have none.
///
/// Explains the changes, which reads and changes no row.
package struct MissingPartProbe {
    private let plan: Plan
    private let schema: Schema

    package init(_ plan: Plan, _ schema: Schema) {
        self.plan = plan
        self.schema = schema
    }

    package func findings(on connection: any SQLConnection) async throws -> [Finding] {
        guard !schema.dialect.hasColumnTypes else { return [] }
        let tables = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
        var findings: [Finding] = []
        for entry in plan.tables where entry.rule.isPersonal {
            guard let table = tables[entry.table], table.isReadable else { continue }
            for change in changes(entry, table) {
                guard let refusal = try await refusal(of: change, on: connection) else { continue }
                findings.append(
                    Finding(
                        "schema.part-missing", .error, table: entry.table,
                        "SQLite cannot change rows here. \(refusal)",
                        remedy: "Farewell has SQLite's own functions, collations and modules. Write the index, check, "
                            + "column or trigger with these, or drop it. If the rows identify no one, give the table "
                            + "the rule not personal."))
                break
            }
        }
        return findings
    }

    private func changes(_ entry: TablePlan, _ table: SchemaTable) -> [String] {
        let name = schema.dialect.quoted(table.name.name)
        var changes: [String] = []
        if entry.rule.erasesRows { changes.append(deletion(table, name)) }
        let ruled = entry.rule.rowsStay ? entry.columns.filter { $0.rule?.changesValue == true }.map(\.name) : []
        let unlinked = entry.links.filter { $0.isReference || $0.shared == .unlink }.flatMap(\.columns)
        let changed = Set(ruled + unlinked)
        let set = table.columns.filter { changed.contains($0.name) && !$0.isGenerated }
            .map { schema.dialect.quoted($0.name) }.map { "\($0) = \($0)" }
        if !set.isEmpty { changes.append("UPDATE main.\(name) SET \(set.joined(separator: ", "))") }
        return changes
    }

    /// A change of a row's place needs every index, as a deletion does, and not what the database's keys then delete:
    /// in a long chain of tables that would be compiled for each of them.
    private func deletion(_ table: SchemaTable, _ name: String) -> String {
        let place = table.rowIDName.map { [$0] } ?? table.primaryKey.map(schema.dialect.quoted)
        guard table.triggers.isEmpty, !table.columns.contains(where: \.isGenerated), !place.isEmpty else {
            let column = table.columns.first.map { schema.dialect.quoted($0.name) } ?? "1"
            return "DELETE FROM main.\(name) WHERE \(column) = 1"
        }
        return "UPDATE main.\(name) SET \(place.map { "\($0) = \($0)" }.joined(separator: ", "))"
    }

    /// Why a change cannot be compiled; `nil` if it can, or if something else is wrong.
    private func refusal(of change: String, on connection: any SQLConnection) async throws -> String? {
        do {
            try await connection.run(SQLStatement("EXPLAIN \(change)"))
            return nil
        } catch let error as FarewellError where ["sql.42883", "sql.42704"].contains(error.code.rawValue) {
            return error.message
        } catch let error as FarewellError where error.family != .tryAgain {
            return nil
        }
    }
}
