// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Columns that list several values (`list:`): the members of a row `t` are called `m`.
extension RowComparison {
    /// Whether a row `t` has a member of which a condition is true.
    func holdsMember(_ condition: String, _ build: inout RowStatementBuilder) -> String {
        "EXISTS (SELECT 1 FROM \(members(&build)) WHERE \(condition))"
    }

    /// The first member of a row `t` of which a condition is true, as text; null if there is none.
    func firstMember(where condition: String, _ build: inout RowStatementBuilder) -> String {
        "(SELECT \(member) FROM \(members(&build)) WHERE \(condition) LIMIT 1)"
    }

    /// The members of a row `t` of which a condition is true, as one text, separated by commas; null where there is
    /// none.
    func allMembers(where condition: String, _ build: inout RowStatementBuilder) -> String {
        "(SELECT \(graph.dialect.joined(member)) FROM \(members(&build)) WHERE \(condition))"
    }

    /// Whether a member `m` is the key of one of the subjects.
    func isDirectMember(_ build: inout RowStatementBuilder) -> String {
        written(isAmong(member, .text, { .subjects($0) }, &build), member: member)
    }

    /// Whether a member `m` is this key of a row of the parent's.
    func isMember(of key: String) -> String {
        let text = "CAST(\(key) AS text)"
        guard leadsToUUID(0) else {
            return written("\(equality(0).side(member)) = \(equality(0).keySide(text))", member: member)
        }
        return "\(member) IN (\(graph.dialect.spellings(ofUUID: text).joined(separator: ", ")))"
    }

    /// Whether a member `m` is one of the keys that rows of the parent had.
    func isCapturedMember(_ build: inout RowStatementBuilder) -> String {
        let place = graph.nodes[edge.parent].table.place(of: edge.link.targetColumns[0]) ?? 0
        guard graph.dialect.hasArrays else {
            let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
            let rows = graph.dialect.unpacked(keys, "text", as: "k")
            let isAmong = "\(equality(0).side(member)) IN (SELECT CAST(k.value AS text) FROM \(rows))"
            return written(isAmong, member: member)
        }
        let isAmong = isAmong(member, .text, { .captured(node: edge.parent, column: place, kind: $0) }, &build)
        return written(isAmong, member: member)
    }

    /// The list of a row `t` without the members of which a condition is true; the others stay as they are, in their
    /// order.
    func without(_ condition: String, _ build: inout RowStatementBuilder) -> String {
        let source = members(&build, areNumbered: true)
        let others = "\(source) WHERE (\(condition)) IS NOT TRUE"
        let column = "t." + build.quoted(edge.link.columns[0])
        let type = child[edge.link.columns[0]]?.type ?? "text"
        switch (edge.link.list, graph.dialect.hasTypedMembers) {
        // UUIDs in a text are no list that could lose one; the plan's check lets them only own rows.
        case (.array, _), (.uuids, _), (nil, _):
            return arrayWithout(condition, column, "ARRAY(SELECT m.v FROM \(others) ORDER BY m.place)", type, &build)
        case (.comma, true):
            return "CAST(btrim(array_to_string(ARRAY(SELECT m.v FROM \(others) ORDER BY m.place), ',')) AS \(type))"
        case (.comma, false): return "(SELECT coalesce(trim(group_concat(m.value, ',')), '') FROM \(others))"
        case (.json, true) where isJSONText: return "CAST(\(withoutInText(condition, &build)) AS \(type))"
        case (.json, true):
            // Citus takes jsonb_agg for a function that depends on settings. The texts of the members are the same.
            let rest =
                graph.isDistributed
                ? "CAST('[' || coalesce((SELECT string_agg(CAST(m.v AS text), ',' ORDER BY m.place) FROM \(others)), "
                    + "'') || ']' AS jsonb)"
                : "coalesce((SELECT jsonb_agg(m.v ORDER BY m.place) FROM \(others)), '[]'::jsonb)"
            guard !edge.link.path.isEmpty else { return "CAST(\(rest) AS \(type))" }
            let path = build.parameter(.path(edge.link.path))
            return "CAST(jsonb_set(\(column)::jsonb, \(path)::text[], \(rest)) AS \(type))"
        case (.json, false):
            let list = edge.link.path.isEmpty ? "'$'" : build.parameter(.path(edge.link.path))
            let found = "\(members(&build)) WHERE (\(condition)) IS TRUE"
            let rest = Self.rest(of: column, list: list, others, without: found)
            guard !edge.link.path.isEmpty else { return rest }
            return "json_set(\(column), \(build.parameter(.path(edge.link.path))), json(\(rest)))"
        }
    }

    /// PostgreSQL: an array without some members. A list may begin at any number, and keeps it. In an array of arrays
    /// the members' places have a meaning: they stay, and are emptied.
    private func arrayWithout(
        _ condition: String, _ column: String, _ rest: String, _ type: String, _ build: inout RowStatementBuilder
    ) -> String {
        // Citus refuses a recursion, and a change by an array's text. Such a list stays, and reading back finds the
        // subject in it.
        guard !graph.isDistributed else {
            let isUnusual = "array_ndims(\(column)) > 1 OR array_lower(\(column), 1) <> 1"
            return "CASE WHEN \(isUnusual) THEN \(column) ELSE \(rest) END"
        }
        let found = "ARRAY(SELECT m.v FROM \(members(&build)) WHERE \(condition))"
        let emptied =
            "(WITH RECURSIVE emptied (n, v) AS (SELECT 0, array_replace(\(column), NULL, NULL) UNION ALL "
            + "SELECT s.n + 1, array_replace(s.v, g.v[s.n + 1], NULL) FROM emptied AS s, (SELECT \(found)) AS g (v) "
            + "WHERE s.n < cardinality(g.v)) SELECT s.v FROM emptied AS s ORDER BY s.n DESC LIMIT 1)"
        let bounds = "array_lower(\(column), 1) || ':' || array_lower(\(column), 1) + cardinality(g.v) - 1"
        let moved =
            "(SELECT CASE cardinality(g.v) WHEN 0 THEN g.v "
            + "ELSE CAST('[' || \(bounds) || ']=' || CAST(g.v AS text) AS \(type)) END FROM (SELECT \(rest)) AS g (v))"
        return "CASE WHEN array_ndims(\(column)) > 1 THEN \(emptied) "
            + "WHEN array_lower(\(column), 1) <> 1 THEN \(moved) ELSE \(rest) END"
    }

    /// The JSON document of a row `t` without the entry at the link's path; the rest of it stays.
    func withoutEntry(_ build: inout RowStatementBuilder) -> String {
        let column = "t." + build.quoted(edge.link.columns[0])
        let type = child[edge.link.columns[0]]?.type ?? "jsonb"
        guard !isJSONText else { return "CAST(\(withoutEntryInText(&build)) AS \(type))" }
        let path = build.parameter(.path(edge.link.path))
        return graph.dialect.cast(graph.dialect.without(path, in: column), as: type)
    }

    /// A member `m` as text, as it is compared with a key; null if it cannot be one.
    private var member: String {
        switch (edge.link.list, graph.dialect.hasTypedMembers) {
        case (.array, _), (nil, _): "CAST(m.v AS text)"
        case (.uuids, _): "m.v[1]"
        case (.json, true) where isJSONText: Self.scalar("m.v", areWhole: isOfWholeNumbers)
        case (.json, true): whole("(m.v #>> '{}')", "jsonb_typeof(m.v)")
        case (.comma, true): "btrim(m.v)"
        case (.json, false):
            "CASE WHEN m.type IN ('text', 'integer') THEN CAST(m.value AS text)\(isOfWholeNumbers ? Self.real : "") END"
        case (.comma, false): "trim(m.value)"
        }
    }

    /// SQLite: a whole number that is written with a point or an exponent. Its value is rounded: it decides for up to
    /// fifteen digits, and the written number for more (`exactly`).
    private static let real =
        " WHEN m.type = 'real' AND abs(m.value) < 1e15 AND m.value = CAST(m.value AS integer) "
        + "THEN CAST(CAST(m.value AS integer) AS text)"
    private static let writtenNumber = asWritten("m.fullkey", in: "m.json")

    /// SQLite: a condition that compares a member `m` with a key, without numbers that only their rounding makes equal.
    /// The written number is looked at if the values are equal: the look passes all that is before the member, so that
    /// a look at each took time by the square of the list's length.
    func exactly(_ condition: String) -> String {
        guard !graph.dialect.hasTypedMembers, edge.link.list == .json, isOfWholeNumbers else { return condition }
        let number = Self.writtenNumber
        let isSame = "rtrim(rtrim(\(number), '0'), '.') = CAST(CAST(m.value AS integer) AS text)"
        let isExact = "m.type <> 'real' OR length(\(number)) <= 16 OR \(isSame)"
        // The condition is there twice: SQLite may look at the operands of an AND in another order.
        return "\(condition) AND CASE WHEN \(condition) THEN \(isExact) ELSE 0 END"
    }

    private static let uuid = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

    /// Members that are removed from a list in one step.
    private static let atOnce = 8

    /// SQLite: a list without some members; the others stay as they are written. A look at the document by a member's
    /// path passes all that is before it, so that one for each member took time by the square of the list's length. If
    /// all remaining members are texts without escapes and whole numbers, they are written from their values. Otherwise
    /// the found ones are removed, from the last to the first, by their places.
    private static func rest(of document: String, list: String, _ others: String, without found: String) -> String {
        let text = "m.type = 'text'"
        let whole = "m.type = 'integer' AND typeof(m.value) = 'integer' AND m.value <> 0"
        let member = "CASE WHEN \(text) THEN '\"' || m.value || '\"' ELSE CAST(m.value AS text) END"
        let joined = "(SELECT '[' || coalesce(group_concat(\(member), ','), '') || ']' FROM \(others))"
        let isPlain =
            #"instr(\#(document), '\') = 0 AND instr(\#(document), '''') = 0 "#
            + "AND NOT EXISTS (SELECT 1 FROM \(others) AND NOT (\(text) OR (\(whole))))"
        // A place that no list has stands for the places that the last step does not have.
        let places = (0..<atOnce).map { number in
            let place = "json_extract(f.places, '$[' || (g.n * \(atOnce) + \(number)) || ']')"
            return "'$[' || coalesce(\(place), 999999999) || ']'"
        }
        let removed =
            "(WITH RECURSIVE found (places) AS (SELECT json_group_array(f.place) FROM "
            + "(SELECT m.key AS place FROM \(found) ORDER BY m.key DESC) AS f), "
            + "gone (n, list) AS (SELECT 0, json_extract(\(document), \(list)) UNION ALL "
            + "SELECT g.n + 1, json_remove(g.list, \(places.joined(separator: ", "))) FROM gone AS g, found AS f "
            + "WHERE g.n * \(atOnce) < json_array_length(f.places)) "
            + "SELECT g.list FROM gone AS g ORDER BY g.n DESC LIMIT 1)"
        return "CASE WHEN \(isPlain) THEN \(joined) ELSE \(removed) END"
    }

    /// SQLite: a member of a JSON document as it is written there, which its value is not: a number would be rounded.
    /// Two paths yield both values as JSON, and no list is so long that the second one exists.
    private static func asWritten(_ path: String, in document: String) -> String {
        let pair = "json_extract(\(document), \(path), '$[999999999]')"
        return "substr(\(pair), 2, length(\(pair)) - length('[,null]'))"
    }

    /// The members of a row `t`, `m`; numbered in their order on PostgreSQL, if that must be declared.
    func members(_ build: inout RowStatementBuilder, areNumbered: Bool = false) -> String {
        let column = "t." + build.quoted(edge.link.columns[0])
        let name = areNumbered ? " WITH ORDINALITY AS m (v, place)" : " AS m (v)"
        switch (edge.link.list, graph.dialect.hasTypedMembers) {
        case (.array, _), (nil, _): return "unnest(\(column))\(name)"
        case (.uuids, _):
            let isBytes = child[edge.link.columns[0]]?.kind == .bytes
            let text = isBytes ? "encode(\(column), 'escape')" : "CAST(\(column) AS text)"
            return "regexp_matches(\(text), '\(Self.uuid)', 'g')\(name)"
        case (.comma, true): return "unnest(string_to_array(\(column), ','))\(name)"
        case (.json, true) where isJSONText: return "json_array_elements(\(listInText(&build)))\(name)"
        case (.json, true):
            let document = "\(column)::jsonb"
            let list =
                edge.link.path.isEmpty
                ? document : "(\(document) #> \(build.parameter(.path(edge.link.path)))::text[])"
            return "jsonb_array_elements(CASE jsonb_typeof(\(list)) WHEN 'array' THEN \(list) "
                + "ELSE '[]'::jsonb END)\(name)"
        case (.comma, false):
            return "json_each('[' || replace(json_quote(CAST(\(column) AS text)), ',', '\",\"') || ']') AS m"
        case (.json, false):
            // A value that is no list has no members, and must not stop the statement.
            let path = edge.link.path.isEmpty ? "" : ", \(build.parameter(.path(edge.link.path)))"
            return "json_each(CASE WHEN json_valid(\(column)) THEN CASE json_type(\(column)\(path)) "
                + "WHEN 'array' THEN \(column) ELSE '[]' END ELSE '[]' END\(path)) AS m"
        }
    }
}
