// SPDX-License-Identifier: Apache-2.0

/// How the databases find, in a column of paths and addresses, those that may name one file.
extension SQLDialect {
    /// The condition that a text may name a path, in whatever way a path or an address (RFC 3986) writes it. The
    /// patterns are of `LIKE`, `!` escapes in them, and they are matched from one slash to the end of the path.
    ///
    /// Texts with empty parts or dots between slashes are compared loosely. Texts that escape what needs no escape,
    /// such as `%6f` for `o`, may name any path.
    ///
    /// - Parameters:
    ///   - strict: The parameter with the path, in which what must be escaped may be anything.
    ///   - loose: The parameter with the same path, with any text beside its slashes.
    package func namesPath(_ value: String, strictly strict: String, loosely loose: String) -> String {
        let text = plainPath(plainText(value))
        let (strict, loose) = (typed(strict, "text"), typed(loose, "text"))
        let never = self == .postgresql ? "false" : "0"
        return "(CASE WHEN \(text) LIKE ('%' || \(strict) || '%') ESCAPE '!' "
            + "THEN \(isPath(text, strict)) ELSE \(never) END "
            + "OR CASE WHEN replace(\(text), '://', ':') LIKE '%//%' OR \(text) LIKE '%/.%' "
            + "THEN \(isPath(text, loose)) ELSE \(never) END "
            + "OR CASE WHEN \(text) LIKE '%!%%' ESCAPE '!' THEN \(Self.escapesUnreserved(text)) ELSE \(never) END)"
    }

    /// A path with the slashes of Windows as others write them, and without white space around it.
    private func plainPath(_ text: String) -> String {
        self == .postgresql
            ? "btrim(replace(\(text), chr(92), '/'), ' ' || chr(9) || chr(10) || chr(13))"
            : "trim(replace(\(text), char(92), '/'), ' ' || char(9, 10, 13))"
    }

    /// From a slash, or the beginning, to the end of the path.
    private func isPath(_ text: String, _ pattern: String) -> String {
        let ends = ["", " || '/%'", " || '?%'", " || '#%'"].map { end in
            "('/' || \(text)) LIKE ('%/' || \(pattern)\(end)) ESCAPE '!'"
        }
        return "(\(ends.joined(separator: " OR ")))"
    }

    /// Whether letters, digits, `-`, `.`, `_` or `~` (RFC 3986, 2.3) are escaped.
    private static func escapesUnreserved(_ text: String) -> String {
        let codes = (97...122).flatMap { [$0, $0 - 32] } + Array(48...57) + [45, 46, 95, 126]
        let found = codes.map { "lower(\(text)) LIKE '%!%\(String($0, radix: 16))%' ESCAPE '!'" }
        return "(\(found.joined(separator: " OR ")))"
    }
}
