// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The comparison of a linking column with a key, by the types of both.
///
/// The conversion is on the key's side if possible, so that the linking column's index can be used. A text column may
/// hold a UUID in either letter case, or without hyphens; each spelling is compared. Other text is compared as it is,
/// for `bob` and `BOB` are two subjects, unless the link ignores letter case.
struct RowComparison {
    let graph: RowGraph
    let edge: RowGraph.Edge
    let child: SchemaTable

    /// `t.column = ANY($n)` for a direct link, or its counterpart on SQLite.
    func direct(_ build: inout RowStatementBuilder) -> String {
        if edge.link.list != nil { return conditioned(holdsMember(isDirectMember(&build), &build), &build) }
        let kind = kind(of: edge.link.columns[0])
        let own = value(0, &build)
        // PostgreSQL does not treat an enum as text, and a value outside its labels cannot be converted to it.
        let isEnum = edge.link.path.isEmpty && child[edge.link.columns[0]]?.labels != nil
        // Nor can it convert a key that is no number.
        let isDecimal = graph.dialect.hasColumnTypes && kind == .number && isNumberOfText(0)
        let isNamed = isAmong(
            isEnum || isDecimal ? "CAST(\(own) AS text)" : own, isDecimal ? .text : kind, { .subjects($0) }, &build)
        return conditioned(isNamed, &build)
    }

    /// A comparison of `value` with every element of a slot.
    ///
    /// - Parameter isPadded: Whether value and keys are of PostgreSQL's type `character(n)`, whose indexes find no
    ///   `text`.
    static func isAmong(
        _ value: String, kind: SchemaColumn.Kind, isPadded: Bool = false, slot: RowStatement.Slot, _ graph: RowGraph,
        _ build: inout RowStatementBuilder
    ) -> String {
        guard graph.dialect.hasArrays else { return isAmongInSQLite(value, kind, slot, graph, &build) }
        let compared = isPadded ? "bpchar" : type(kind)
        if graph.isAboutOne, !slot.isList { return isOne(value, kind, as: compared, graph, &build) }
        return "\(value) = ANY(\(build.list(slot))::\(compared)[])"
    }

    private static func isAmongInSQLite(
        _ value: String, _ kind: SchemaColumn.Kind, _ slot: RowStatement.Slot, _ graph: RowGraph,
        _ build: inout RowStatementBuilder
    ) -> String {
        let parameter = build.parameter(slot)
        if slot.isList {
            return "\(kind == .bytes ? "hex(\(value))" : value) IN (SELECT value FROM json_each(\(parameter)))"
        }
        // A number may be written as text, in a column without a type or inside JSON.
        if graph.keyColumn.kind.isNumeric { return "\(value) IN (\(parameter), CAST(\(parameter) AS TEXT))" }
        let spellings = UUIDSpelling.allCases.map { build.parameter(.subjectUUID($0)) }
        let isNamed = "\(value) IN (\(([parameter] + spellings).joined(separator: ", ")))"
        guard kind.isNumeric, graph.keyColumn.kind == .text else { return isNamed }
        return "(\(isNamed)\(isTextOfNumber(value, as: parameter)))"
    }

    /// SQLite: a further condition on a value of a column of numbers that equals a text. Such a column turns the texts
    /// 7 and 07 into the same number, but they are the keys of two rows: a number stands for the text that it is
    /// written as.
    private static func isTextOfNumber(_ value: String, as key: String) -> String {
        " AND (typeof(\(value)) = 'text' OR \(isWrittenAsNumber(key)))"
    }

    /// SQLite: whether a text is what a number is written as.
    static func isWrittenAsNumber(_ key: String) -> String { "CAST(CAST(\(key) AS NUMERIC) AS TEXT) = \(key)" }

    /// PostgreSQL: a comparison of `value` with the one subject's key.
    private static func isOne(
        _ value: String, _ kind: SchemaColumn.Kind, as compared: String, _ graph: RowGraph,
        _ build: inout RowStatementBuilder
    ) -> String {
        guard kind == .text || kind == .json, graph.keyColumn.kind == .uuid else {
            return "\(value) = \(build.parameter(.subject(kind)))::\(compared)"
        }
        let cases = UUIDSpelling.allCases.map { build.parameter(.subjectUUID($0)) + "::text" }
        return "\(value) IN (\(cases.joined(separator: ", ")))"
    }

    private static func type(_ kind: SchemaColumn.Kind) -> String {
        switch kind {
        case .uuid: "uuid"
        case .integer: "bigint"
        case .number: "numeric"
        case .boolean: "boolean"
        case .timestamp: "timestamptz"
        case .bytes: "bytea"
        case .text, .json, .array, .other: "text"
        }
    }

    /// `t.a = p.c3 AND t.b = p.c4`: this row's columns against a parent selection's.
    ///
    /// - Parameter identity: The values that identify the parent's row (`RowSelection.identity`).
    func joined(
        _ parent: String, column: (Int) -> String, identity: (Int) -> String, _ build: inout RowStatementBuilder
    ) -> String {
        if edge.link.list != nil {
            return conditioned(holdsMember(isMember(of: column(0)), &build), &build)
        }
        let isSame = edge.link.columns.indices.map { position in
            let (here, there) = sides(position, parent: column(position), &build)
            let equality = equality(position)
            guard hasSpellings(position) else {
                var further = ignoresCase ? isOfNoOther(than: there, &build) : ""
                if !graph.dialect.hasColumnTypes, isNumberOfText(position) {
                    further += Self.isTextOfNumber(here, as: there)
                }
                return "\(equality.side(here)) = \(equality.keySide(there))\(further)"
            }
            return "\(equality.side(here)) IN (\(graph.dialect.spellings(ofUUID: there).joined(separator: ", ")))"
        }.joined(separator: " AND ")
        return conditioned(isSame + inPartition(identity, build), &build)
    }

    /// Both sides of one column's comparison, converted to types that compare.
    private func sides(_ position: Int, parent: String, _ build: inout RowStatementBuilder) -> (String, String) {
        let here = value(position, &build)
        guard graph.dialect.hasColumnTypes else { return (here, parent) }
        let kind = kind(of: edge.link.columns[position])
        let target = targetKind(position)
        if isAsText(position) { return ("CAST(\(here) AS text)", "CAST(\(parent) AS text)") }
        if kind == target || (kind.isNumeric && target.isNumeric) { return (here, parent) }
        if kind == .text || kind == .json { return (here, "CAST(\(parent) AS text)") }
        // The text of a UUID is in lower case; the key may be written in capitals.
        if kind == .uuid { return ("CAST(\(here) AS text)", "lower(CAST(\(parent) AS text))") }
        return ("CAST(\(here) AS text)", "CAST(\(parent) AS text)")
    }

    /// Whether a column of numbers leads to one of texts.
    func isNumberOfText(_ position: Int) -> Bool {
        kind(of: edge.link.columns[position]).isNumeric && targetKind(position) == .text
    }

    /// Whether values of one kind are compared as text, because PostgreSQL cannot compare the two types.
    func isAsText(_ position: Int) -> Bool {
        guard edge.link.path.isEmpty, let column = child[edge.link.columns[position]],
            let target = graph.nodes[edge.parent].table[edge.link.targetColumns[position]]
        else { return false }
        return column.isComparedAsText(with: target, hasKey: edge.link.onDelete != nil)
    }

    /// Whether the linking column may hold a UUID in another spelling than the key.
    func hasSpellings(_ position: Int) -> Bool {
        let kind = kind(of: edge.link.columns[position])
        return (kind == .text || kind == .json) && leadsToUUID(position)
    }

    /// Whether the key is a UUID. On SQLite, Django declares the 32 digits of one as `char(32)`, and writes it with
    /// hyphens in texts that no foreign key binds.
    func leadsToUUID(_ position: Int) -> Bool {
        if targetKind(position) == .uuid { return true }
        let target = graph.nodes[edge.parent].table[edge.link.targetColumns[position]]
        return !graph.dialect.hasColumnTypes && edge.link.onDelete == nil && target?.type.lowercased() == "char(32)"
    }

    /// The linking value of a row `t`: the column, or the value at the path in its JSON document.
    func value(_ position: Int, _ build: inout RowStatementBuilder) -> String {
        if edge.link.list != nil { return firstMember(where: isDirectMember(&build), &build) }
        let column = "t." + build.quoted(edge.link.columns[position])
        guard !edge.link.path.isEmpty else { return column }
        guard !isJSONText else { return valueInText(&build) }
        guard !graph.dialect.hasTypedMembers else {
            let path = "\(build.parameter(.path(edge.link.path)))::text[]"
            return whole("(\(column)::jsonb #>> \(path))", "jsonb_typeof(\(column)::jsonb #> \(path))")
        }
        // Text that is no JSON names no subject, and must not stop the statement for all subjects.
        return "CASE WHEN json_valid(\(column)) THEN \(extracted(column, &build)) END"
    }

    /// SQLite: the value at the path. Its paths cannot name every member; such a member is searched separately.
    func extracted(_ column: String, _ build: inout RowStatementBuilder) -> String {
        guard edge.link.path.contains(where: { $0.contains("\"") || $0.contains("\\") }) else {
            return "json_extract(\(column), \(build.parameter(.path(edge.link.path))))"
        }
        return edge.link.path.reduce(column) { document, member in
            "(SELECT j.value FROM json_each(\(document)) AS j WHERE j.key = \(build.parameter(.text(member))))"
        }
    }

    /// The kind of the compared value: JSON yields text.
    func kind(of column: String) -> SchemaColumn.Kind {
        edge.link.path.isEmpty ? child[column]?.kind ?? .other : .text
    }

    func targetKind(_ position: Int) -> SchemaColumn.Kind {
        graph.nodes[edge.parent].table[edge.link.targetColumns[position]]?.kind ?? .other
    }
}

extension SchemaColumn.Kind {
    var isNumeric: Bool { self == .integer || self == .number }
}

extension SchemaColumn {
    /// PostgreSQL: whether values are bound as text although their type is another: an enum, an array, `inet`.
    var isOfTypeOfItsOwn: Bool { labels != nil || kind == .array || kind == .other }

    /// A value of this column in a form that can be compared. An enum is compared as text: a domain over one has no
    /// comparison with itself, and cannot be distinguished from the enum.
    package func compared(_ value: String) -> String { labels == nil ? value : "CAST(\(value) AS text)" }

    /// The type that it is compared in.
    var comparedType: String { labels == nil ? type : "text" }

    /// Whether there may be no comparison of the two types although they are of one kind: an enum and text, a domain
    /// over an enum even with itself, arrays of different elements. Where the database has a key there is one.
    func isComparedAsText(with other: SchemaColumn, hasKey: Bool) -> Bool {
        guard !hasKey else { return false }
        if labels != nil || other.labels != nil { return true }
        return kind == .array && other.kind == .array && type != other.type
    }
}

extension RowStatement.Slot {
    /// Whether the slot is a list on SQLite, which has no arrays and takes JSON instead.
    var isList: Bool {
        if case .captured = self { true } else { false }
    }
}
