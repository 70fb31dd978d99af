// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Testing

@Suite("A refusal in a rehearsal")
struct RehearsalRefusalTests {
    private static func table(_ name: String, calling function: String) -> SchemaTable {
        let trigger = SchemaTrigger(
            name: "keep", events: ["delete"], definition: "",
            statement: "CREATE TRIGGER keep BEFORE DELETE ON \(name) FOR EACH STATEMENT EXECUTE FUNCTION \(function)()",
            isForEachRow: false)
        return SchemaTable(name: TableName(schema: "public", name), columns: [], triggers: [trigger])
    }

    private static let schema = Schema(
        dialect: .postgresql,
        tables: [table("logs", calling: "public.guard"), table("posts", calling: "public.other"), table("notes", calling: "x.guarded")])

    private static func refusal(
        _ function: String, of table: String?, behind triggers: [(table: TableName, name: String)] = []
    ) -> RehearsalRefusal {
        let error = FarewellError(
            "sql.42501", .yoursToFix, "A trigger refused the change with 42501.",
            refusedPlace: RefusedPlace(table: table, function: function))
        return RehearsalRefusal(
            error, changing: TableName(schema: "public", "people"), triggers: triggers, schema)
    }

    @Test("SQL-12 the trigger that refused is named by its function, whichever statement fired it")
    func named() {
        let logs = TableName(schema: "public", "logs")
        let all = schemaTriggers
        for refusal in [
            Self.refusal("guard()", of: "public.people"), Self.refusal("guard()", of: "public.logs", behind: all),
            Self.refusal("public.guard()", of: nil, behind: [(table: TableName(schema: "public", "posts"), name: "keep")]),
        ] {
            #expect(refusal.table == logs && refusal.name == "keep", "\(refusal)")
            #expect(refusal.message == "A trigger refused the change: “keep” of public.logs (sql.42501).")
        }
        let unknown = Self.refusal("elsewhere()", of: "public.people")
        #expect(unknown.table == TableName(schema: "public", "people") && unknown.name == nil, "\(unknown)")
    }

    @Test("SQL-13 the table whose columns SQLite names refused, not the one whose rows were to be deleted")
    func columns() {
        let tables = ["people", "slots", "slots.old"].map { SchemaTable(name: TableName($0), columns: []) }
        let schema = Schema(dialect: .sqlite, tables: tables)
        for (message, table) in [
            ("A key already exists (slots.room, slots.day)", "slots"), ("A column must not be null (slots.room)", "slots"),
            ("A key already exists", "people"),
        ] {
            let error = FarewellError("sql.23505", .yoursToFix, message)
            let refusal = RehearsalRefusal(error, changing: TableName("people"), triggers: [], schema)
            #expect(refusal.table == TableName(table), "\(refusal)")
            #expect(refusal.remedy.contains("rows of \(table) would"), "\(refusal)")
        }
    }

    private var schemaTriggers: [(table: TableName, name: String)] {
        Self.schema.tables.map { (table: $0.name, name: "keep") }
    }
}
