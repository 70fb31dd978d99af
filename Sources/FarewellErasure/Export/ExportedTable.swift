// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Writes the rows of one table while they are read: all into a CSV file and a JSON file, and the first rows for the
/// page.
final class ExportedTable: Sendable {
    private struct State: Sendable {
        var rows = 0
        var first: [[String]] = []
        /// The CSV lines of the next piece.
        var lines: [UInt8] = []
        /// The JSON objects of the next piece.
        var objects: [UInt8] = []
    }

    let export: RowExport
    private let csv: ExportFile
    private let json: ExportFile
    private let hasDocuments: Bool
    private let kinds: [SchemaColumn.Kind]
    /// The columns' names in JSON, one after the other, each with its colon and all but the first with a comma.
    private let names: [UInt8]
    /// Where the names end; the first begins at the first of these.
    private let ends: [Int]
    private let state = Guarded(State())
    /// How many rows the page shows.
    static let shown = 50

    /// - Parameter dialect: Whose values these are: where columns have types, a document is one.
    init(_ export: RowExport, csv: ExportFile, json: ExportFile, _ dialect: SQLDialect) throws {
        self.export = export
        self.csv = csv
        self.json = json
        hasDocuments = dialect.hasColumnTypes
        kinds = export.columns.map(\.kind)
        var (head, names, ends): ([UInt8], [UInt8], [Int]) = ([], [], [0])
        for (place, column) in export.columns.enumerated() {
            let name = NameSpelling.name(column.name)
            if place > 0 {
                head.append(UInt8(ascii: ","))
                names.append(UInt8(ascii: ","))
            }
            ExportText.csv(name: name, to: &head)
            JSONString.write(name, to: &names)
            names.append(UInt8(ascii: ":"))
            ends.append(names.count)
        }
        (self.names, self.ends) = (names, ends)
        try csv.write(head + Self.lineEnd)
        try json.write("[")
    }

    func write(_ rows: [[SQLValue]]) throws {
        try state.withLock { state in
            var (lines, objects): ([UInt8], [UInt8]) = ([], [])
            for row in rows {
                add(row, isFirst: state.rows == 0, to: &lines, &objects)
                if state.first.count < Self.shown {
                    state.first.append(zip(export.columns, row).map { ExportText.shown($1) })
                }
                state.rows += 1
            }
            try csv.write(lines)
            try json.write(objects)
        }
    }

    /// The same for rows whose values are all text, given as bytes.
    func write(_ rows: TextRows) throws {
        try state.withLock { state in
            state.lines.removeAll(keepingCapacity: true)
            state.objects.removeAll(keepingCapacity: true)
            let (before, last) = (state.rows, max(kinds.count, 1) - 1)
            names.withUnsafeBufferPointer { names in
                rows.forEach { row, place, value in
                    if place == 0 {
                        state.objects += (before + row == 0 ? "\n{" : ",\n{").utf8
                        if state.first.count < Self.shown { state.first.append([]) }
                    }
                    // If no column of a table is exported, a row has one value that belongs to no column.
                    if place < kinds.count {
                        if place > 0 { state.lines.append(UInt8(ascii: ",")) }
                        state.objects.append(
                            contentsOf: UnsafeBufferPointer(rebasing: names[ends[place]..<ends[place + 1]]))
                        add(value, kinds[place], shownIn: before + row, &state)
                    }
                    guard place == last else { return }
                    state.lines += Self.lineEnd
                    state.objects.append(UInt8(ascii: "}"))
                }
            }
            state.rows += rows.count
            try csv.write(state.lines)
            try json.write(state.objects)
        }
    }

    private func add(
        _ value: UnsafeBufferPointer<UInt8>?, _ kind: SchemaColumn.Kind, shownIn row: Int, _ state: inout State
    ) {
        let isShown = row < Self.shown
        guard let value else {
            if isShown { state.first[row].append(ExportText.shown(.null)) }
            state.objects += "null".utf8
            return
        }
        let contents = TextContents(of: value)
        ExportText.withUTF8(value, contents) { text in
            ExportText.csv(text: text, contents, kind, to: &state.lines)
            if hasDocuments, kind == .json {
                state.objects.append(contentsOf: text)
            } else {
                ExportText.json(text: text, contents, kind, to: &state.objects)
            }
            if isShown { state.first[row].append(ExportText.shown(.text(String(decoding: text, as: UTF8.self)))) }
        }
    }

    private func add(_ row: [SQLValue], isFirst: Bool, to lines: inout [UInt8], _ objects: inout [UInt8]) {
        objects += (isFirst ? "\n{" : ",\n{").utf8
        for (place, column) in export.columns.enumerated() {
            if place > 0 { lines.append(UInt8(ascii: ",")) }
            var value = row[place]
            ExportText.csv(value, column.kind, to: &lines)
            objects += names[ends[place]..<ends[place + 1]]
            if hasDocuments, column.kind == .json, let text = value.text { value = .json(text) }
            ExportText.json(value, column.kind, to: &objects)
        }
        lines += Self.lineEnd
        objects.append(UInt8(ascii: "}"))
    }

    /// How many rows have been written.
    var rows: Int { state.withLock { $0.rows } }

    /// How many rows there were, the first of them, and the files.
    func end() throws -> (rows: Int, first: [[String]], csv: ExportFile.Size, json: ExportFile.Size) {
        let (rows, first) = state.withLock { ($0.rows, $0.first) }
        try json.write(rows == 0 ? "]\n" : "\n]\n")
        return (rows, first, try csv.end(), try json.end())
    }

    private static let lineEnd = Array("\r\n".utf8)
}
