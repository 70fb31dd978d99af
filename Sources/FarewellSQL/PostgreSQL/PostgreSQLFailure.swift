// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell

/// An error of the server, without any value of any row: DETAIL, HINT and CONTEXT are never read, literals
/// in the primary message are cut out; names come from the fields made for them.
struct PostgreSQLFailure {
    let state: String
    private let primary: String
    private let sourceFunction: String
    private let place: String

    init(_ result: ServerResult) {
        // A connection that broke gives an error of libpq itself, which has no state.
        state = result.field(Int32(UInt8(ascii: "C"))) ?? "08006"
        primary = result.field(Int32(UInt8(ascii: "M"))) ?? ""
        sourceFunction = result.field(Int32(UInt8(ascii: "R"))) ?? ""
        let table = result.field(Int32(UInt8(ascii: "t"))).map { name in
            [result.field(Int32(UInt8(ascii: "s"))), name].compactMap(\.self).joined(separator: ".")
        }
        place = [
            table.map { "table \($0)" },
            result.field(Int32(UInt8(ascii: "c"))).map { "column \($0)" },
            result.field(Int32(UInt8(ascii: "n"))).map { "constraint \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    /// The prepared plan no longer fits the schema, or the server has forgotten it: prepare again.
    var isStalePlan: Bool {
        state == "26000" || (state == "0A000" && sourceFunction == "RevalidateCachedQuery")
    }

    var error: FarewellError {
        let suffix = place.isEmpty ? "" : " (\(place))"
        return FarewellError(
            .init(rawValue: "sql.\(state)"), Self.family(state), sentence + suffix + ".", remedy: Self.remedy(state))
    }

    private var sentence: String {
        switch state.prefix(2) {
        case "23": return Self.violations[state] ?? "A constraint was violated"
        case "P0": return "A function or trigger of the database raised an error"
        default: break
        }
        // Text written by a function's author may hold anything.
        if sourceFunction == "exec_stmt_raise" || primary.isEmpty {
            return "PostgreSQL refused the statement with \(state)"
        }
        return "PostgreSQL refused the statement with \(state): \(Self.withoutLiterals(primary, state))"
    }

    private static let violations = [
        "23502": "A column must not be null", "23503": "A foreign key would be broken",
        "23505": "A key exists already", "23514": "A check constraint was violated",
        "23P01": "An exclusion constraint was violated", "23001": "A restricting key forbids the change",
    ]

    /// States whose quoted words are names of tables, columns, roles, types or databases.
    private static let namesThings: Set<String> = [
        "42P01", "42703", "42704", "42883", "42501", "42P06", "42P07", "42701", "42710", "42804", "3D000",
        "3F000", "28000", "28P01",
    ]

    /// Looks at scalars, not at characters: a quote with a combining mark after it is a quote all the same.
    static func withoutLiterals(_ text: String, _ state: String) -> String {
        let text = text.streamSafe
        let scalars = text.unicodeScalars
        if state.hasPrefix("22") {
            let kept = String(scalars.prefix { $0 != "\"" && $0 != "'" && $0 != ":" })
            return kept.split(separator: " ").joined(separator: " ")
        }
        if namesThings.contains(state) { return text }
        guard let first = scalars.firstIndex(where: { $0 == "\"" || $0 == "'" }),
            let last = scalars.lastIndex(where: { $0 == "\"" || $0 == "'" })
        else { return text }
        return String(scalars[..<first]) + "…" + String(scalars[scalars.index(after: last)...])
    }

    static func family(_ state: String) -> FarewellError.Family {
        switch state {
        case "42601", "42P18", "42P02": return .ours
        case "55P03", "55006", "57014", "57P01", "57P02", "57P03", "57P05", "58030": return .tryAgain
        default: break
        }
        switch state.prefix(2) {
        case "08", "40", "53": return .tryAgain
        case "22", "23", "28", "3D", "3F", "42", "44", "P0": return .yoursToFix
        default: return state == "25006" ? .yoursToFix : .ours
        }
    }

    private static func remedy(_ state: String) -> String? {
        switch state {
        case "42501": "Grant the missing right to the role Farewell connects as."
        case "25006": "Connect to a server that may be written to."
        case "53100": "Make room on the server's disk, then try again."
        case "57014": "Try again, or allow the statement more time."
        case "55P03": "Try again when the lock is free."
        case "53300": "Try again, or allow more connections."
        default: nil
        }
    }
}
