// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// PostgreSQL: documents of the type `json`, which are the text that the app wrote.
///
/// They are not converted to `jsonb`: that refuses what `json` accepts, such as `\u0000`, so that one row would stop
/// every erasure; and it loses the order of members, those that are repeated, and how numbers are written.
extension RowComparison {
    /// Whether the link's column is of the type `json`.
    var isJSONText: Bool {
        guard graph.dialect.hasTypedMembers, let column = child[edge.link.columns[0]], column.kind == .json else {
            return false
        }
        return column.baseType == "json"
    }

    /// The link's column of a row `t` as `json`, also where its type is a domain.
    private func document(_ build: RowStatementBuilder) -> String {
        "CAST(t.\(build.quoted(edge.link.columns[0])) AS json)"
    }

    /// Whether the link leads to whole numbers, of which `5` and `5.0` are one.
    var isOfWholeNumbers: Bool { targetKind(0) == .integer }

    /// PostgreSQL: the text of a value of `jsonb`, a whole number without its point.
    ///
    /// - Parameter type: The value's type there; looked at only where the text has a point.
    func whole(_ text: String, _ type: String) -> String {
        guard isOfWholeNumbers else { return text }
        let number = Self.withoutPoint(text)
        return "CASE WHEN \(text) LIKE '%.0%' AND \(type) = 'number' THEN \(number) ELSE \(text) END"
    }

    private static func withoutPoint(_ number: String) -> String { "regexp_replace(\(number), '[.]0+$', '')" }

    /// The text of the value at the path.
    func valueInText(_ build: inout RowStatementBuilder) -> String {
        "(SELECT \(Self.scalar("j.v", areWhole: isOfWholeNumbers)) FROM (SELECT \(found(&build)) AS v OFFSET 0) AS j)"
    }

    /// The list of a row `t`, or an empty one.
    func listInText(_ build: inout RowStatementBuilder) -> String {
        let list = edge.link.path.isEmpty ? document(build) : found(&build)
        return "CASE json_typeof(\(list)) WHEN 'array' THEN \(list) ELSE '[]'::json END"
    }

    private func found(_ build: inout RowStatementBuilder) -> String {
        "(\(Self.readable(document(build))) #> \(build.parameter(.path(edge.link.path)))::text[])"
    }

    /// The document of a row `t` without the entry at the link's path.
    func withoutEntryInText(_ build: inout RowStatementBuilder) -> String {
        rewritten(nil, &build)
    }

    /// The document of a row `t`, the list in it without the members `m` of which a condition is true.
    func withoutInText(_ condition: String, _ build: inout RowStatementBuilder) -> String {
        guard !edge.link.path.isEmpty else {
            let others = "\(members(&build, areNumbered: true)) WHERE (\(condition)) IS NOT TRUE"
            return "(SELECT '[' || coalesce(string_agg(CAST(m.v AS text), ', ' ORDER BY m.place), '') || ']' "
                + "FROM \(others))"
        }
        return rewritten(
            { list in
                let members =
                    "SELECT r.v AS kept, CAST(\(Self.original("CAST(r.v AS text)")) AS json) AS v, r.place "
                    + "FROM json_array_elements(\(list)) WITH ORDINALITY AS r (v, place)"
                return "(SELECT '[' || coalesce(string_agg(CAST(m.kept AS text), ', ' ORDER BY m.place), '') || ']' "
                    + "FROM (\(members)) AS m WHERE (\(condition)) IS NOT TRUE)"
            }, &build)
    }

    /// - Parameter change: Makes the new list at the path from the old one; `nil` removes the entry.
    private func rewritten(_ change: ((String) -> String)?, _ build: inout RowStatementBuilder) -> String {
        let text = rewritten("d.v", edge.link.path[...], change, &build)
        let plain = Self.plain("CAST(\(document(build)) AS text)")
        return "(SELECT \(Self.original(text)) FROM (SELECT CAST(\(plain) AS json) AS v OFFSET 0) AS d)"
    }

    /// The text of a plain document of which the entry at a path is changed, level by level: every other entry stays
    /// as it is written.
    private func rewritten(
        _ document: String, _ path: ArraySlice<String>, _ change: ((String) -> String)?,
        _ build: inout RowStatementBuilder
    ) -> String {
        guard let name = path.first else { return "CAST(\(document) AS text)" }
        let (entry, rest) = ("e\(path.count)", path.dropFirst())
        let value = "\(entry).value"
        var changed: String?
        if !rest.isEmpty {
            changed = rewritten(value, rest, change, &build)
        } else if let change {
            changed = "CASE json_typeof(\(value)) WHEN 'array' THEN \(change(value)) ELSE CAST(\(value) AS text) END"
        }
        func entries(_ prefix: String, _ isNamed: String) -> (value: String, condition: String) {
            guard let changed else { return ("\(prefix)CAST(\(value) AS text)", " WHERE (\(isNamed)) IS NOT TRUE") }
            return ("\(prefix)CASE WHEN \(isNamed) THEN \(changed) ELSE CAST(\(value) AS text) END", "")
        }
        let key = Self.readable("CAST('\"' || \(Self.original("\(entry).key")) || '\"' AS json)")
        let named = "(\(key) #>> '{}') = \(build.parameter(.text(name)))::text"
        let members = entries("'\"' || \(entry).key || '\":' || ", named)
        var cases =
            "WHEN 'object' THEN (SELECT '{' || coalesce(string_agg(\(members.value), ', ' ORDER BY \(entry).place), "
            + "'') || '}' "
            + "FROM json_each(\(document)) WITH ORDINALITY AS \(entry) (key, value, place)\(members.condition))"
        if let place = Int32(name) {
            let start = place < 0 ? "json_array_length(\(document))" : "0"
            let elements = entries("", "\(entry).place - 1 = \(start) + (\(place))")
            cases +=
                " WHEN 'array' THEN (SELECT '[' || coalesce(string_agg(\(elements.value), ', ' "
                + "ORDER BY \(entry).place), '') || ']' "
                + "FROM json_array_elements(\(document)) WITH ORDINALITY AS \(entry) (value, place)"
                + "\(elements.condition))"
        }
        return "CASE json_typeof(\(document)) \(cases) ELSE CAST(\(document) AS text) END"
    }

    /// The text of a value `v` that may be a key, as `jsonb` yields it; null for others.
    ///
    /// - Parameter areWhole: Whether keys are whole numbers.
    static func scalar(_ value: String, areWhole: Bool = false) -> String {
        let text = "CAST(\(value) AS text)"
        let number =
            "CASE WHEN \(text) ~ '^.{1,100}[eE][+-]?[0-9]{1,3}$' THEN CAST(CAST(\(text) AS numeric) AS text) "
            + "ELSE \(text) END"
        return "CASE json_typeof(\(value)) WHEN 'string' THEN (\(readable(value)) #>> '{}') WHEN 'number' THEN "
            + "\(areWhole ? withoutPoint(number) : number) WHEN 'boolean' THEN \(text) END"
    }

    /// A document of which every member can be read: escapes that are no character of the database, `\u0000` and halves
    /// of a pair, would stop the statement. They cannot be part of a key, and become a character that is not used.
    private static func readable(_ document: String) -> String {
        let text = "CAST(\(document) AS text)"
        let refused = #"E'\\\\u(0000|d[89ab]..(?!\\\\ud[c-f]))|(?<!\\\\ud[89ab]..)\\\\ud[c-f]..'"#
        return #"(CASE WHEN strpos(\#(text), E'\\u') = 0 THEN \#(document) ELSE CAST(regexp_replace("#
            + #"replace(\#(text), E'\\\\', E'\\u005c'), \#(refused), E'\\\\uffff', 'gi') AS json) END)"#
    }

    /// A document's text without escapes, from which ``original(_:)`` makes the same text again: names and values can
    /// be taken from it as they are written.
    private static func plain(_ text: String) -> String {
        #"replace(replace(replace(replace(\#(text), chr(127), chr(127) || '0'), E'\\\\', chr(127) || '1'), "#
            + #"E'\\"', chr(127) || '2'), E'\\', chr(127) || '3')"#
    }

    private static func original(_ plain: String) -> String {
        #"replace(replace(replace(replace(\#(plain), chr(127) || '3', E'\\'), chr(127) || '2', E'\\"'), "#
            + #"chr(127) || '1', E'\\\\'), chr(127) || '0', chr(127))"#
    }
}
