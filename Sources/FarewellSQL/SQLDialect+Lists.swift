// SPDX-License-Identifier: Apache-2.0

/// How the databases write lists of keys, and the members of texts and documents that are lists.
extension SQLDialect {
    /// A text of each row, as one text with commas; null without rows.
    package func joined(_ text: String) -> String {
        self == .postgresql ? "string_agg(\(text), ',')" : "group_concat(\(text), ',')"
    }

    /// A parameter's values as rows with the column `value`. The parameter is a list where one can be; elsewhere it is
    /// one value.
    package func spread(_ parameter: String, _ type: String, as name: String) -> String {
        hasArrays ? unpacked(parameter, type, as: name) : "(SELECT \(parameter) AS value) AS \(name)"
    }

    /// The keys of several columns, each a list in a list of JSON, as rows `e`.
    package func unpackedKeys(_ list: String) -> String {
        self == .postgresql ? "jsonb_array_elements(\(list)::jsonb) AS e (v)" : "json_each(\(list)) AS e"
    }

    /// One value of a key of `unpackedKeys`.
    ///
    /// - Parameter type: Of the column; the value in JSON is a text, where columns have types.
    package func keyValue(_ position: Int, as type: String) -> String {
        self == .postgresql ? "CAST(e.v ->> \(position) AS \(type))" : "json_extract(e.value, '$[\(position)]')"
    }

    /// The spellings in which a column of text may hold a UUID, in both letter cases and without hyphens. PostgreSQL
    /// writes each in lower case and with hyphens itself.
    package func spellings(ofUUID value: String) -> [String] {
        guard self == .sqlite else { return [value, "upper(\(value))", "replace(\(value), '-', '')"] }
        let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(lower(\(value)), \($0), \($1))" }
        return [
            value, "lower(\(value))", "upper(\(value))",
            "CASE WHEN length(\(value)) = 36 THEN replace(lower(\(value)), '-', '') ELSE \(value) END",
            "CASE WHEN length(\(value)) = 32 THEN \(parts.joined(separator: " || '-' || ")) ELSE \(value) END",
        ]
    }

    /// A document without the member at a path.
    package func without(_ path: String, in document: String) -> String {
        self == .postgresql ? "(\(document)::jsonb #- \(path)::text[])" : "json_remove(\(document), \(path))"
    }

    /// Whether a value has a character other than spaces and line ends.
    package func isWritten(_ value: String) -> String {
        self == .postgresql
            ? #"btrim(CAST(\#(value) AS text), E' \t\n\r') <> ''"#
            : "trim(CAST(\(value) AS text), ' ' || char(9, 10, 13)) <> ''"
    }

    /// Whether a text contains a word of letters, digits and hyphens, in either case, with none of these beside it.
    package func holdsWord(_ word: String, in text: String) -> String {
        let (text, word) = ("lower(\(text))", "lower(\(word))")
        guard self == .postgresql else {
            return "'|' || \(text) || '|' GLOB '*[^0-9a-z-]' || \(word) || '[^0-9a-z-]*'"
        }
        // A regular expression takes longer, and is used only for texts that contain the word.
        return "(strpos(\(text), \(word)) > 0 AND \(text) ~ ('(^|[^0-9a-z-])' || \(word) || '($|[^0-9a-z-])'))"
    }

    /// Whether a text has only whole numbers and the signs of lists: no word or name is beside a number that says what
    /// it counts.
    package func isListOfNumbers(_ text: String) -> String {
        self == .postgresql
            ? #"\#(text) ~ '^[][0-9",;|[:space:]-]*$'"#
            : "\(text) NOT GLOB '*[^][0-9\",;| ' || char(9, 10, 13) || '-]*'"
    }

    /// Whether a text is one word with digits, of at least eight characters.
    package func isWordWithDigits(_ text: String) -> String {
        self == .postgresql
            ? "\(text) ~ '^[0-9A-Za-z_-]{8,}$' AND \(text) ~ '[0-9]'"
            : "length(\(text)) >= 8 AND \(text) NOT GLOB '*[^0-9A-Za-z_-]*' AND \(text) GLOB '*[0-9]*'"
    }
}
