// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowComparison {
    /// Whether a row `t` names one of the keys of one column that rows of its parent had.
    func isAmongCaptured(_ build: inout RowStatementBuilder) -> String {
        let found = edge.link.list == nil ? isCaptured(&build) : holdsMember(isCapturedMember(&build), &build)
        return conditioned(found + isNowhere(build), &build)
    }

    private func isCaptured(_ build: inout RowStatementBuilder) -> String {
        let parent = graph.nodes[edge.parent].table
        let place = parent.place(of: edge.link.targetColumns[0]) ?? 0
        guard !ignoresCase else { return isCapturedInAnyCase(place, &build) }
        let kind = kind(of: edge.link.columns[0])
        let own = value(0, &build)
        // PostgreSQL gets the keys of an integer as integers, for its index, and no key that is written otherwise.
        if isNumberOfText(0), !graph.dialect.hasColumnTypes || kind != .integer {
            return isCapturedNumber(own, place, &build)
        }
        guard graph.dialect.hasColumnTypes, edge.link.path.isEmpty,
            child[edge.link.columns[0]]?.isOfTypeOfItsOwn == true
        else {
            return isAmong(own, kind, { .captured(node: edge.parent, column: place, kind: $0) }, &build)
        }
        // Such keys were remembered as they are written.
        let list = build.list(.captured(node: edge.parent, column: place, kind: .text)) + "::text[]"
        if isAsText(0) { return "CAST(\(own) AS text) = ANY(\(list))" }
        return "\(own) IN (SELECT CAST(k.v AS \(parent.columns[place].type)) FROM unnest(\(list)) AS k (v))"
    }

    /// Whether a number is written like one of the texts that were keys: it equals 7 and 07, and only 7 is its text.
    private func isCapturedNumber(_ own: String, _ place: Int, _ build: inout RowStatementBuilder) -> String {
        let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
        guard !graph.dialect.hasColumnTypes else { return "CAST(\(own) AS text) = ANY(\(keys)::text[])" }
        return isListed([own], in: "json_each(\(keys))") { _ in "value" }
    }

    /// Whether a row `t` names one of the composite keys that rows of its parent had: all columns of one key together,
    /// compared as the rows were when they were erased. Column by column it would find neighbours' rows.
    func isAmongKeys(_ build: inout RowStatementBuilder) -> String {
        // On PostgreSQL the comparison itself has the condition.
        let found = isKept(&build)
        return graph.dialect.hasColumnTypes ? found + isNowhere(build) : conditioned(found, &build)
    }

    private func isKept(_ build: inout RowStatementBuilder) -> String {
        let parent = graph.nodes[edge.parent].table
        let places = graph.keyPlaces(of: edge)
        let list = build.list(.capturedKeys(node: edge.parent, columns: places))
        let targets = edge.link.targetColumns.map { parent.place(of: $0) ?? 0 }
        guard graph.dialect.hasColumnTypes else {
            let values = edge.link.columns.indices.map { position -> String in
                let own = value(position, &build)
                return child[edge.link.columns[position]]?.kind == .bytes ? "hex(\(own))" : own
            }
            return isListed(values, in: graph.dialect.unpackedKeys(list)) { position in
                let place = places.firstIndex(of: targets[position]) ?? 0
                return graph.dialect.keyValue(place, as: parent.columns[targets[position]].type)
            }
        }
        let keys = places.enumerated().map { position, place in
            "\(graph.dialect.keyValue(position, as: parent.columns[place].type)) AS c\(place)"
        }
        let condition = withoutPartition.joined(
            "k", column: { "k.c\(targets[$0])" }, identity: { "k.i\($0)" }, &build)
        return "EXISTS (SELECT 1 FROM (SELECT \(keys.joined(separator: ", ")) "
            + "FROM \(graph.dialect.unpackedKeys(list))) AS k WHERE \(condition))"
    }

    /// SQLite: whether these values of a row `t` are in a list of keys. The list is made once; a condition on each of
    /// its rows would be evaluated again for every row of the table.
    func isListed(_ values: [String], in source: String, key: (Int) -> String) -> String {
        var keys: [[String]] = [[]]
        for position in values.indices {
            let value = key(position)
            let spellings = hasSpellings(position) ? graph.dialect.spellings(ofUUID: value) : [value]
            keys = keys.flatMap { begun in spellings.map { begun + [$0] } }
        }
        let compared = values.enumerated().map { equality($0).side($1) }
        let row = values.count == 1 ? compared[0] : "(\(compared.joined(separator: ", ")))"
        func isIn(where condition: String = "") -> String {
            let lists = keys.map { "SELECT \($0.joined(separator: ", ")) FROM \(source)\(condition)" }
            return "\(row) IN (\(lists.joined(separator: " UNION ")))"
        }
        let numbers = values.indices.filter(isNumberOfText)
        guard !numbers.isEmpty else { return isIn() }
        let areWritten = numbers.map { Self.isWrittenAsNumber(key($0)) }.joined(separator: " AND ")
        let areTexts = numbers.map { "typeof(\(values[$0])) = 'text'" }.joined(separator: " AND ")
        return "(\(isIn(where: " WHERE " + areWritten)) OR (\(areTexts) AND \(isIn())))"
    }
}

extension RowGraph {
    /// The columns that a link leads to, by their places in the table linked to, each once and in one order.
    func keyPlaces(of edge: Edge) -> [Int] {
        let table = nodes[edge.parent].table
        return Set(edge.link.targetColumns).sorted().compactMap(table.place(of:))
    }

    /// For each node the composite keys that links from other nodes name, and its own key where its rows are read again
    /// by that, each by the places of its columns.
    func keysKept() -> [[[Int]]] {
        var keys = [Set<[Int]>](repeating: [], count: nodes.count)
        for node in nodes {
            let links = node.links.filter { $0.parent != node.index } + node.references
            for edge in links where !edge.isDirect && edge.link.columns.count > 1 {
                keys[edge.parent].insert(keyPlaces(of: edge))
            }
            if isKnownByKey(node) { keys[node.index].insert(ownKey(of: node)) }
        }
        return keys.map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    }
}

extension SchemaTable {
    /// The name of a key in a subject's sealed data.
    package func keyName(_ places: [Int]) -> String {
        places.map { "\(ColumnName(name, columns[$0].name))" }.joined(separator: ", ")
    }
}
