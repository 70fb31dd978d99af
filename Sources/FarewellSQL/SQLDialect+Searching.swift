// SPDX-License-Identifier: Apache-2.0

/// How the databases search the values of a column of any type. Each function writes a condition over a value; a
/// parameter of the statement is the list of texts or numbers to be found.
extension SQLDialect {
    /// A value of any type as text, compared byte by byte: with a collation that calls different texts equal,
    /// PostgreSQL refuses `LIKE`.
    package func plainText(_ value: String) -> String {
        let text = "CAST(\(value) AS text)"
        return self == .postgresql ? "\(text) COLLATE pg_catalog.\"default\"" : text
    }

    /// The condition that a text contains one of a list, in any letter case. The list is the result of
    /// `searchList` for texts in lower case.
    package func holds(_ text: String, anyOf parameter: String) -> String {
        self == .postgresql
            ? "lower(\(text)) LIKE ANY(\(parameter)::text[])"
            : "EXISTS (SELECT 1 FROM json_each(\(parameter)) AS n WHERE instr(lower(\(text)), n.value) > 0)"
    }

    /// The list for `holds`. Wildcards in the texts mean themselves.
    package func searchList(_ texts: [String]) -> SQLValue {
        guard hasArrays else { return .array(texts.map(SQLValue.text)) }
        return .array(texts.map { .text("%" + Self.withoutWildcards($0) + "%") })
    }

    private static func withoutWildcards(_ text: String) -> String {
        var literal = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "%" || scalar == "_" { literal.append("\\") }
            literal.append(scalar)
        }
        return String(literal)
    }

    /// The condition that a text contains one of some decimal numbers, and no digit before or behind it.
    ///
    /// - Parameter parameter: Binds a value and returns its name.
    package func holdsDigits(_ text: String, anyOf digits: [String], _ parameter: (SQLValue) -> String) -> String {
        guard self == .postgresql else {
            let list = parameter(.array(digits.map { .text("*[^0-9]\($0)[^0-9]*") }))
            return "EXISTS (SELECT 1 FROM json_each(\(list)) AS n WHERE 'x' || \(text) || 'x' GLOB n.value)"
        }
        // A regular expression takes longer, and is used only for texts that contain the digits.
        let expression = SQLValue.text("(^|[^0-9])(\(digits.joined(separator: "|")))($|[^0-9])")
        return
            "(\(text) LIKE ANY(\(parameter(searchList(digits)))::text[]) AND \(text) ~ \(parameter(expression))::text)"
    }

    /// The condition that a text contains one of some telephone numbers, whatever signs are between the digits.
    ///
    /// A copy of the text without these signs takes long to make. So only texts are copied that contain the last two
    /// digits of a number, which people write together.
    ///
    /// - Parameter parameter: Binds a value and returns its name.
    package func holdsDialled(_ text: String, anyOf numbers: [String], _ parameter: (SQLValue) -> String) -> String {
        guard self == .postgresql else {
            let digits = [" ", "-", "(", ")", ".", "/"].reduce(text) { "replace(\($0), '\($1)', '')" }
            return "EXISTS (SELECT 1 FROM json_each(\(parameter(searchList(numbers)))) AS n "
                + "WHERE instr(\(text), substr(n.value, -2)) > 0 AND instr(\(digits), n.value) > 0)"
        }
        let ends = parameter(searchList(numbers.map { String($0.suffix(2)) }))
        return "(\(text) LIKE ANY(\(ends)::text[]) "
            + "AND translate(\(text), ' -()./', '') LIKE ANY(\(parameter(searchList(numbers)))::text[]))"
    }

    /// The condition that a number is one of a list. Without column types, only values that are numbers count.
    ///
    /// - Parameter type: The type as which the list's numbers are compared.
    package func isNumber(_ value: String, anyOf parameter: String, as type: String) -> String {
        self == .postgresql
            ? "\(value) = ANY(\(parameter)::text[]::\(type)[])"
            : "(typeof(\(value)) IN ('integer', 'real') AND \(value) IN (SELECT value FROM json_each(\(parameter))))"
    }

    /// The list for `isNumber`: the integers that the database can compare with.
    package func numberList(_ numbers: [String]) -> SQLValue {
        guard hasArrays else { return .array(numbers.compactMap { Int64($0).map(SQLValue.integer) }) }
        return .array(numbers.map(SQLValue.text))
    }

    /// The condition that bytes are one of a list of hexadecimal texts. Bytes longer than the limit are not read.
    package func isBytes(_ value: String, anyOf parameter: String, longest: String) -> String {
        self == .postgresql
            ? "CASE WHEN octet_length(\(value)) <= \(longest)::bigint "
                + "THEN encode(\(value), 'hex') = ANY(\(parameter)::text[]) ELSE false END"
            : "CASE WHEN typeof(\(value)) = 'blob' AND length(\(value)) <= \(longest) "
                + "THEN lower(hex(\(value))) IN (SELECT value FROM json_each(\(parameter))) ELSE 0 END"
    }

    /// Bytes in hexadecimal digits.
    package func hexadecimal(_ value: String) -> String {
        self == .postgresql ? "encode(\(value), 'hex')" : "lower(hex(\(value)))"
    }

    /// The condition that a column of bytes holds text after all, which only a database without column types allows.
    package func isText(_ value: String) -> String {
        self == .postgresql ? "false" : "typeof(\(value)) = 'text'"
    }

    /// How many bytes a text has.
    package func byteLength(_ text: String) -> String {
        self == .postgresql ? "octet_length(\(text))" : "length(CAST(\(text) AS blob))"
    }
}
