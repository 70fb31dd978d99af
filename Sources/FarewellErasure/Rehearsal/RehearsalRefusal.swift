// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellPlan
import FarewellSQL

/// Something that the database refused during a rehearsal, and what may be changed in the plan.
public struct RehearsalRefusal: Sendable, Hashable {
    /// `sql.23514` and similar codes.
    public var code: FarewellError.Code
    /// The table that refused, as far as the database names it; otherwise the one whose rows were to be changed.
    public var table: TableName?
    /// The constraint, key, index or trigger.
    public var name: String?
    public var message: String
    /// The necessary change in the plan or in the database.
    public var remedy: String
}

extension RehearsalRefusal {
    /// - Parameters:
    ///   - error: The database's error.
    ///   - table: The table whose rows were to be changed.
    ///   - triggers: The triggers that may have refused: table and name.
    init(
        _ error: FarewellError, changing table: TableName?, triggers: [(table: TableName, name: String)],
        _ schema: Schema
    ) {
        let place = ErrorPlace(error.message)
        let named = place.table.flatMap { name in schema.tables.first { "\($0.name)" == name }?.name }
        self.init(
            code: error.code, table: named ?? Self.tableOfColumns(in: error, schema) ?? table, name: place.constraint,
            message: error.message, remedy: error.remedy ?? "")
        if isOfTrigger(error) {
            let calling = Self.calling(error.refusedPlace, in: schema)
            let both = calling.filter { one in triggers.contains { $0 == one } }
            let triggers = calling.isEmpty ? triggers : both.isEmpty ? calling : both
            if let only = triggers.first, triggers.count == 1 { (self.table, name) = (only.table, only.name) }
            let names = triggers.prefix(4).map { "\(Shown.name($0.name)) of \(Shown.line("\($0.table)", limit: 160))" }
            message =
                "A trigger refused the change"
                + (names.isEmpty ? "" : ": \(names.joined(separator: " or "))") + " (\(error.code.rawValue))."
        }
        remedy = suggestion(error, schema)
    }

    /// SQLite names columns with their table: `(slots.room, slots.day)`.
    private static func tableOfColumns(in error: FarewellError, _ schema: Schema) -> TableName? {
        guard !schema.dialect.hasColumnTypes, let open = error.message.lastIndex(of: "(") else { return nil }
        let columns = error.message[open...].dropFirst()
        return schema.tables.map(\.name).filter { columns.hasPrefix("\($0.name).") }
            .max { $0.name.utf8.count < $1.name.utf8.count }
    }

    /// The triggers that call the function which raised an error; only those of the table that the error names, if
    /// there are any. The database may name the table of the statement whose cascade fired the trigger.
    private static func calling(_ place: RefusedPlace?, in schema: Schema) -> [(table: TableName, name: String)] {
        guard let place, let function = place.function?.prefix(while: { $0 != "(" }) else { return [] }
        let all = schema.tables.flatMap { table in
            table.triggers.filter { trigger in
                trigger.calledFunction.map { $0 == function || $0.hasSuffix(".\(function)") } == true
            }.map { (table: table.name, name: $0.name) }
        }
        let here = all.filter { place.table == $0.table.description || place.table == $0.table.name }
        return here.isEmpty ? all : here
    }

    /// Whether code of the database raised the error. A missing right is named by the database itself.
    private func isOfTrigger(_ error: FarewellError) -> Bool {
        switch error.code.rawValue {
        case "sql.P0001", "sql.P0002", "sql.P0003", "sql.P0004": true
        case "sql.42501": !error.message.contains("permission denied") && !error.message.contains("must be owner")
        case let code: code.count == 9 && !Self.known.contains(String(code.dropFirst(4).prefix(2)))
        }
    }

    /// The classes of states that the server itself raises where rows are changed.
    private static let known: Set<String> = [
        "08", "21", "22", "23", "25", "40", "42", "44", "53", "54", "55", "57", "58", "XX", "0A",
    ]

    private func suggestion(_ error: FarewellError, _ schema: Schema) -> String {
        let place = table.map { Shown.line("\($0)", limit: 160) } ?? "the table"
        let key = schema.tables.first { $0.name == table }?.foreignKeys.first { $0.name == name && name != nil }
        switch error.code.rawValue {
        case "sql.23514", "sql.44000":
            return error.remedy
                ?? "Give the rows of \(place) a rule that the constraint allows: erase them, or give the column a "
                + "constant instead of null. If the column is a list that loses the subject, change the constraint."
        case "sql.23P01", "sql.23505":
            return error.remedy
                ?? "Two rows of \(place) would be the same. Erase these rows, or use hash or null for the column "
                + "instead of a constant; if the constraint treats nulls as equal, use hash."
        case "sql.23502":
            return error.remedy
                ?? "Erase the rows of \(place), or give the column a constant or hash instead of null."
        case "sql.23503" where key?.onDelete == .setDefault:
            return "The default of the key in \(place) names no row. Insert that row, change the default, or give the "
                + "rows a rule: erase, or null where the column allows it."
        case "sql.23503", "sql.23001":
            return error.remedy
                ?? "Rows of \(place) refer to deleted rows. Give them a rule: erase them too, or empty the link."
        case "sql.428C9":
            return "The database computes this column of \(place). Erase the rows, or change its source columns "
                + "instead."
        case "sql.0A000" where schema.isDistributed:
            return error.remedy
                ?? "Citus does not support this statement on \(place). Find its rows by a column with the subject's "
                + "key, or keep the table on the coordinator."
        case "sql.0A000":
            return error.remedy
                ?? "A rule or view of the database blocks changes to \(place). Change the plan's rule for "
                + "it, or the database's."
        case "sql.XX000" where !schema.dialect.hasRights:
            return error.remedy
                ?? "Look for an index, a check or a generated column of \(place) that computes this: no rule of the "
                + "plan helps."
        case "sql.42501" where !isOfTrigger(error):
            return "Grant the missing right on \(place) to the role that Farewell connects as."
        default:
            guard isOfTrigger(error) else { return error.remedy ?? "Change the plan's rule for \(place)." }
            return schema.dialect.hasRights
                ? "Give the rows of \(place) another rule, or let the trigger permit the change to the role that "
                    + "Farewell connects as."
                : "Give the rows of \(place) another rule, or change the trigger so that it permits the change."
        }
    }
}
