// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

extension FarewellError {
    /// This error with a remedy, if a constraint stopped the erasure and the error has no remedy of its own.
    var withRemedy: FarewellError {
        guard remedy == nil, let remedy = Self.remedy(code) else { return self }
        return FarewellError(code, family, message, remedy: remedy, refusedPlace: refusedPlace)
    }

    /// This error with the names of the plan's foreign tables, if a statement took too long: their servers may be what
    /// it waited for, and PostgreSQL does not say so.
    func namingForeignTables(of prepared: PreparedPlan) -> FarewellError {
        guard code == "sql.57014" else { return self }
        let planned = Set(prepared.plan.tables.filter { $0.rule.isPersonal }.map(\.table))
        let foreign = prepared.schema.tables.filter { $0.kind == .foreign && planned.contains($0.name) }.map(\.name)
        guard !foreign.isEmpty else { return self }
        let names = foreign.prefix(5).map { Shown.line("\($0)", limit: 160) } + (foreign.count > 5 ? ["…"] : [])
        return FarewellError(
            code, family,
            "\(message) The statement may have waited for the server of a foreign table: "
                + "\(names.joined(separator: ", ")).",
            remedy: remedy, refusedPlace: refusedPlace)
    }

    /// This error with its place and a remedy, if a stored text is not in the encoding that the database declares.
    func naming(unreadableIn place: String) -> FarewellError {
        guard code == "sql.22021" || code == "sql.22P05" else { return self }
        return FarewellError(
            code, .yoursToFix,
            "A text in \(place) has bytes that the database cannot give as UTF-8 (\(code.rawValue)). A database with "
                + "the encoding SQL_ASCII does not check them.",
            remedy: "Correct the bytes. Those in LATIN1: "
                + "convert_from(convert(convert_to(column, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'UTF8').")
    }

    private static func remedy(_ code: Code) -> String? {
        switch code {
        case "sql.23502": "Give the column a constant in the plan instead of null, or erase the row."
        case "sql.23503", "sql.23001":
            "Give the referencing rows a rule in the plan: erase them, or unlink them."
        case "sql.23505":
            "Give the column a value in the plan that differs from row to row, such as hash, or erase the row."
        case "sql.23514", "sql.23P01":
            "Give the columns values in the plan that the constraint allows, or erase the row."
        default: nil
        }
    }
}
