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
        let list = postgres ? "string_agg" : "group_concat"
        return "(SELECT \(list)(\(member), ',') FROM \(members(&build)) WHERE \(condition))"
    }

    /// Whether a member `m` is the key of one of the subjects.
    func isDirectMember(_ build: inout RowStatementBuilder) -> String {
        isAmong(member, .text, { .subjects($0) }, &build)
    }

    /// Whether a member `m` is this key of a row of the parent's.
    func isMember(of key: String) -> String {
        let text = "CAST(\(key) AS text)"
        guard targetKind(0) == .uuid else { return "\(equality(0).side(member)) = \(equality(0).keySide(text))" }
        return "\(member) IN (\(text), \(postgres ? "" : "lower(\(text)), ")upper(\(text)))"
    }

    /// Whether a member `m` is one of the keys that rows of the parent had.
    func isCapturedMember(_ build: inout RowStatementBuilder) -> String {
        let place = graph.nodes[edge.parent].table.place(of: edge.link.targetColumns[0]) ?? 0
        guard postgres else {
            let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
            return "\(equality(0).side(member)) IN (SELECT CAST(k.value AS text) FROM json_each(\(keys)) AS k)"
        }
        return isAmong(member, .text, { .captured(node: edge.parent, column: place, kind: $0) }, &build)
    }

    /// The list of a row `t` without the members of which a condition is true; the others stay as they are, in their
    /// order.
    func without(_ condition: String, _ build: inout RowStatementBuilder) -> String {
        let source = members(&build, areNumbered: true)
        let others = "\(source) WHERE (\(condition)) IS NOT TRUE"
        let column = "t." + build.quoted(edge.link.columns[0])
        let type = child[edge.link.columns[0]]?.type ?? "text"
        switch (edge.link.list, postgres) {
        // UUIDs in a text are no list that could lose one; the plan's check lets them only own rows.
        case (.array, _), (.uuids, _), (nil, _): return "ARRAY(SELECT m.v FROM \(others) ORDER BY m.place)"
        case (.comma, true):
            return "CAST(btrim(array_to_string(ARRAY(SELECT m.v FROM \(others) ORDER BY m.place), ',')) AS \(type))"
        case (.comma, false): return "(SELECT coalesce(trim(group_concat(m.value, ',')), '') FROM \(others))"
        case (.json, true):
            let rest = "coalesce((SELECT jsonb_agg(m.v ORDER BY m.place) FROM \(others)), '[]'::jsonb)"
            guard !edge.link.path.isEmpty else { return "CAST(\(rest) AS \(type))" }
            let path = build.parameter(.path(edge.link.path))
            return "CAST(jsonb_set(\(column)::jsonb, \(path)::text[], \(rest)) AS \(type))"
        case (.json, false):
            let rest = "(SELECT '[' || coalesce(group_concat(\(Self.writtenMember), ','), '') || ']' FROM \(others))"
            guard !edge.link.path.isEmpty else { return rest }
            return "json_set(\(column), \(build.parameter(.path(edge.link.path))), json(\(rest)))"
        }
    }

    /// The JSON document of a row `t` without the entry at the link's path; the rest of it stays.
    func withoutEntry(_ build: inout RowStatementBuilder) -> String {
        let column = "t." + build.quoted(edge.link.columns[0])
        let path = build.parameter(.path(edge.link.path))
        guard postgres else { return "json_remove(\(column), \(path))" }
        let type = child[edge.link.columns[0]]?.type ?? "jsonb"
        return "CAST((\(column)::jsonb #- \(path)::text[]) AS \(type))"
    }

    /// A member `m` as text, as it is compared with a key; null if it cannot be one.
    private var member: String {
        switch (edge.link.list, postgres) {
        case (.array, _), (nil, _): "CAST(m.v AS text)"
        case (.uuids, _): "m.v[1]"
        case (.json, true): "(m.v #>> '{}')"
        case (.comma, true): "btrim(m.v)"
        case (.json, false): "CASE WHEN m.type IN ('text', 'integer') THEN CAST(m.value AS text) END"
        case (.comma, false): "trim(m.value)"
        }
    }

    private static let uuid = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

    /// SQLite: a member `m` of a JSON array as JSON.
    private static let writtenMember =
        "CASE WHEN m.type IN ('object', 'array') THEN m.value WHEN m.type IN ('true', 'false', 'null') THEN m.type "
        + "ELSE json_quote(m.value) END"

    /// The members of a row `t`, `m`; numbered in their order on PostgreSQL, if that must be declared.
    private func members(_ build: inout RowStatementBuilder, areNumbered: Bool = false) -> String {
        let column = "t." + build.quoted(edge.link.columns[0])
        let name = areNumbered ? " WITH ORDINALITY AS m (v, place)" : " AS m (v)"
        switch (edge.link.list, postgres) {
        case (.array, _), (nil, _): return "unnest(\(column))\(name)"
        case (.uuids, _):
            let isBytes = child[edge.link.columns[0]]?.kind == .bytes
            let text = isBytes ? "encode(\(column), 'escape')" : "CAST(\(column) AS text)"
            return "regexp_matches(\(text), '\(Self.uuid)', 'g')\(name)"
        case (.comma, true): return "unnest(string_to_array(\(column), ','))\(name)"
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
