// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLDatabase {
    /// The same error with the trigger's own name, if a function that a trigger calls raised it.
    ///
    /// PostgreSQL's error says which function that was, and the transaction it ended answers no further question; so
    /// this asks the catalog afterwards. An error of another kind, or whose trigger is not found, stays as it is.
    package func namingTrigger(in error: FarewellError) async -> FarewellError {
        guard dialect.hasFunctionsOfTriggers, let place = error.refusedPlace, let function = place.function else {
            return error
        }
        let search = RefusingTrigger(function: function, table: place.table)
        guard let (found, isHere) = try? await withConnection({ try await search.found(on: $0) }), !found.isEmpty else {
            return error
        }
        let triggers = found.prefix(5).map { "\(Shown.line($0.name, limit: 120)) of \($0.table)" }
        let more = found.count > 5 ? ", …" : ""
        let subject = found.count == 1 ? "Trigger" : "One of these triggers"
        let names = triggers.joined(separator: ", ") + more
        return FarewellError(
            error.code, error.family, "\(isHere ? error.message : Self.withoutTable(error)) \(subject): \(names).",
            remedy: error.remedy, refusedPlace: error.refusedPlace)
    }

    /// The message without the table of the statement, whose cascade fired another table's trigger.
    private static func withoutTable(_ error: FarewellError) -> String {
        guard let table = error.refusedPlace?.table else { return error.message }
        let opening = "A trigger of \(Shown.line(table, limit: 120)) refused"
        return error.message.replacing(opening, with: "A trigger refused")
    }
}

/// Finds the triggers that call a function.
struct RefusingTrigger {
    /// As `regprocedure` writes it, or its name alone.
    let function: String
    /// The table whose rows were changed, if that is known.
    let table: String?

    /// - Returns: The triggers, and whether they are triggers of that table.
    func found(
        on connection: any SQLConnection
    ) async throws -> (triggers: [(name: String, table: TableName)], isHere: Bool) {
        let known = function.utf8.contains(UInt8(ascii: "(")) ? "to_regprocedure" : "to_regproc"
        let result = try await connection.run(
            """
            SELECT trigger.tgname::text, space.nspname::text, class.relname::text
            FROM pg_catalog.pg_trigger AS trigger
            JOIN pg_catalog.pg_class AS class ON class.oid = trigger.tgrelid
            JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
            WHERE trigger.tgfoid = pg_catalog.\(known)($1) AND NOT trigger.tgisinternal AND trigger.tgparentid = 0
            ORDER BY 1, 2, 3 LIMIT 1000
            """, .text(function))
        let all = result.rows.compactMap { row -> (name: String, table: TableName)? in
            guard let name = row[0].text, let schema = row[1].text, let table = row[2].text else { return nil }
            return (name, TableName(schema: NameSpelling.of(schema), NameSpelling.of(table)))
        }
        let here = all.filter { trigger in
            let whole = [trigger.table.schema, trigger.table.name].compactMap(\.self).joined(separator: ".")
            return table.map { $0 == trigger.table.name || $0 == whole } ?? true
        }
        return here.isEmpty ? (all, false) : (here, true)
    }
}
