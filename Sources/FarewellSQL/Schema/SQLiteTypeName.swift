// SPDX-License-Identifier: Apache-2.0

/// A column's declared type on SQLite, which accepts any words and acts on some of their letters.
struct SQLiteTypeName: Sendable, Hashable {
    /// As declared; the types SQLite knows by name in capitals, as its newer versions report them.
    let text: String

    init(_ declared: String) {
        let capitals = declared.uppercased()
        text = ["ANY", "BLOB", "INT", "INTEGER", "REAL", "TEXT"].contains(capitals) ? capitals : declared
    }

    func uppercased() -> String { text.uppercased() }

    var kind: SchemaColumn.Kind {
        let words = text.uppercased().prefix { $0 != "(" }.split(separator: " ")
        let name = words.joined(separator: " ")
        // Names people use, then SQLite's own rules in its own order (sqlite.org/datatype3.html, 3.1).
        switch name {
        case "UUID", "GUID", "UNIQUEIDENTIFIER": return .uuid
        case "JSON", "JSONB": return .json
        case "BOOL", "BOOLEAN": return .boolean
        case "BYTEA", "BINARY", "VARBINARY", "IMAGE": return .bytes
        case "DATE", "STRING": return name == "DATE" ? .timestamp : .text
        case "", "ANY", "INTERVAL", "POINT", "TIME": return .other
        default: break
        }
        if name.hasPrefix("DATETIME") || name.hasPrefix("TIMESTAMP") { return .timestamp }
        if name.contains("INT") { return .integer }
        if ["CHAR", "CLOB", "TEXT"].contains(where: name.contains) { return .text }
        if name.contains("BLOB") { return .bytes }
        if ["REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL", "MONEY", "NUMBER"].contains(where: name.contains) {
            return .number
        }
        return .other
    }

    /// The declared length of a text type. SQLite does not enforce it, but programs that read the rows may rely on it.
    var maximumLength: Int? {
        guard kind == .text, let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close
        else { return nil }
        return Int(text[text.index(after: open)..<close].filter { $0 != " " })
    }
}
