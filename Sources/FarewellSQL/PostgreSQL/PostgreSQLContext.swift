// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The names in the CONTEXT of a server's error: which function raised it, and by a change of which table.
///
/// The text itself is never passed on: it quotes statements that functions make of values. It is read from the inside
/// out, one line for each call, and in the language of the server's messages.
struct PostgreSQLContext {
    /// The outermost function below the innermost statement that changes rows: a trigger's, mostly, with its arguments'
    /// types.
    private(set) var function: String?
    /// The table whose rows that statement changes; a cascade's table as well.
    private(set) var table: String?

    init(_ text: String) {
        let known = String(decoding: text.utf8.prefix(65_536), as: UTF8.self).streamSafe
        for line in known.split(separator: "\n").prefix(1_000) {
            if let name = Self.function(in: line) {
                function = name
                // An inner line concerns a change that the function makes itself.
                table = nil
            } else if let changed = Self.changed(in: line) {
                guard function != nil else {
                    table = table ?? changed
                    continue
                }
                table = changed
                return
            }
        }
    }

    /// `PL/pgSQL function guard() line 4 at RAISE`, `PL/Python function "guard"`, `SQL function "f" statement 1`.
    private static func function(in line: Substring) -> String? {
        guard line.hasPrefix("PL/") || line.hasPrefix("SQL function") || line.hasPrefix("SQL-") && line.contains("()")
        else { return nil }
        if let mark = line.firstRange(of: " function ") {
            let rest = line[mark.upperBound...]
            if let end = rest.ranges(of: " line ").last { return String(rest[..<end.lowerBound]) }
            return String(rest.prefix { $0 != " " }).replacing("\"", with: "")
        }
        // Another language than English: the word that an argument list follows.
        guard let open = line.firstIndex(of: "(") else { return nil }
        let start = line[..<open].lastIndex { $0 == " " || $0 == "\u{A0}" }.map { line.index(after: $0) }
        guard let start, let close = line[open...].firstIndex(of: ")") else { return nil }
        return String(line[start...close])
    }

    private static func changed(in line: Substring) -> String? {
        let starts = ["DELETE FROM ", "UPDATE ", "INSERT INTO ", "delete from ", "update ", "insert into "]
            .compactMap { line.firstRange(of: $0)?.lowerBound }
        if let start = starts.min(), line.hasPrefix("SQL") {
            return ChangedTables(String(line[start...]), longest: 4_096).names.first
        }
        // `while deleting tuple (0,1) in relation "notes"`
        guard line.hasPrefix("while "), let mark = line.firstRange(of: "in relation \"") else { return nil }
        return NameSpelling.of(String(line[mark.upperBound...].prefix { $0 != "\"" }))
    }
}
